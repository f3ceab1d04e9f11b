"""The tasks written for this project: text and gold annotation from one grammar.

* `lexicon`, `inflection`: the words of `data/written/`, what fits what, what is held out;
* `meaning`: what a sentence means, and the styles to say it in;
* `scene` draws meanings, `exchange` and `edit` change them;
* `phrase`, `clause`, `template` build dependency trees, from meanings or written-out templates;
* `tree` reads text and annotation off a tree;
* `relevance`, `paraphrase`, `sentiment`, `similarity`: a module for each task.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from stages.core.stage.files import InputError
from stages.core.tasks.examples import examples_frame
from stages.core.tasks.task import Task
from stages.core.written import paraphrase, relevance, sentiment, similarity
from stages.core.written.lexicon import Lexicon

SPLITS = ("train", "validation")
# For each task the function that draws some examples that belong together.
DRAW: dict[str, Callable[[np.random.Generator, Lexicon], list[dict]]] = {
    "relevance": relevance.draw,
    "paraphrase": paraphrase.draw,
    "sentiment": sentiment.draw,
    "similarity": similarity.draw,
}


def write_task(name: str, task: Task) -> dict[str, pd.DataFrame]:
    """Write the examples of a task: a frame for `train` and one for `validation`.

    The same parameters give the same examples. No text pair occurs twice, in either order, within
    or across the splits, and some words occur in validation only.

    Raises:
        InputError: no task of this name is written here.
    """
    if name not in DRAW:
        raise InputError(
            f"params.yaml: `tasks.{name}.data.source` is written, but only {', '.join(DRAW)} are; "
            "take hub or files"
        )
    seen: set[frozenset] = set()
    frames = {}
    for number, split in enumerate(SPLITS):
        generator = np.random.default_rng([task.data.seed, list(DRAW).index(name), number])
        lexicon = Lexicon(split)
        size = getattr(task.data, split)
        rows: list[dict] = []
        while len(rows) < size:
            for row in DRAW[name](generator, lexicon):
                texts = frozenset((row["text_a"], row["text_b"]))
                if texts not in seen and len(rows) < size:
                    seen.add(texts)
                    rows.append(row | {"id": f"{split}-{len(rows):05d}"})
        frames[split] = examples_frame(rows)
    return frames
