"""Maps of heads on stimuli: one finds what the source belongs to, the others attend by chance."""

import numpy as np
import pandas as pd

from stages.core.stimuli.entries import WrittenStimuli
from stages.core.stimuli.store import ATTENTION
from stages.stimuli.written import attention_rows
from tests.toy_maps import ToyRecording

LAYERS, HEADS = 4, 3
FINDS, UNIFORM, DECOY = (2, 1), (1, 0), (0, 2)  # the last always looks at the first distractor


def written_stimuli(sentences: int, seed: int = 0) -> pd.DataFrame:
    """Some sentences of every condition, as `read_attention` gives them."""
    entry = WrittenStimuli(source="written", sentences=sentences, seed=seed)
    return pd.DataFrame(attention_rows(entry), columns=ATTENTION.names)


class StimuliRecording(ToyRecording):
    """Each word is a token, a noun two."""

    def __init__(self, stimuli: pd.DataFrame, name: str = "untuned", seed: int = 0):
        self.name, self.stimuli, self.seed = name, stimuli, seed
        self.layers, self.heads = LAYERS, HEADS
        rows = []
        for _, row in stimuli.iterrows():
            nouns = {places[1] for places in (row["right"], *row["wrong"])}
            numbers = [n for n in range(len(row["words"])) for _ in range(1 + (n in nouns))]
            word = [-1, *numbers, -1]
            rows.append({"id": row["id"], "tokens": list(map(str, word)), "word": word})
        self.tokens = pd.DataFrame(rows)

    def _maps(self, row: int) -> np.ndarray:
        stimulus, numbers = self.stimuli.iloc[row], np.array(self.tokens["word"][row])
        length = len(numbers)
        generator = np.random.default_rng([self.seed, row])
        maps = generator.dirichlet(np.ones(length), (self.layers, self.heads, length))
        maps[UNIFORM] = 1 / length
        if self.name != "random_weights":
            for head, words in ((FINDS, stimulus["right"]), (DECOY, stimulus["wrong"][0])):
                chosen = np.isin(numbers, words)
                maps[head] = chosen / chosen.sum()
        return maps.astype(np.float32)
