"""The tasks written for this project: text and gold annotation from one grammar.

* `lexicon`, `inflection`: the words of `data/written/`, what fits what, what is held out;
* `meaning`: what a sentence means, and the styles to say it in;
* `scene` draws meanings, `exchange` and `edit` change them;
* `search` draws what queries ask and titles offer;
* `phrase`, `clause`, `template` build dependency trees, from meanings or written-out templates;
* `tree` reads text and annotation off a tree, `comparison` how two texts overlap;
* `relevance`, `paraphrase`, `sentiment`, `similarity`: a module for each task.

Validation asks for more than what was seen in training. Every template is that of one split alone:
written out for it in `data/written/` (relevance, sentiment), or what is left of a text when its
content words are taken out, of which a third is kept for validation by its spelling (paraphrase,
similarity). A tenth of most kinds of words is in validation examples only.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from stages.core.stage.files import InputError
from stages.core.tasks.examples import examples_frame
from stages.core.tasks.task import Task
from stages.core.written import paraphrase, relevance, sentiment, similarity
from stages.core.written.lexicon import SPLITS, Lexicon

# For each task the function that draws some examples that belong together.
DRAW: dict[str, Callable[[np.random.Generator, Lexicon], list[dict]]] = {
    "relevance": relevance.draw,
    "paraphrase": paraphrase.draw,
    "sentiment": sentiment.draw,
    "similarity": similarity.draw,
}


def write_task(name: str, task: Task) -> dict[str, pd.DataFrame]:
    """Write the examples of a task: a frame for `train` and one for `validation`.

    The same parameters give the same examples.

    Raises:
        InputError: no task of this name is written here, or templates of a split are missing.
    """
    return {split: examples_frame(rows) for split, rows in draw_task(name, task).items()}


def draw_task(name: str, task: Task) -> dict[str, list[dict]]:
    """The rows of each split: those of `SCHEMA`, with `templates` and, of some tasks, `kind`.

    No text pair occurs twice, in either order, within or across the splits. What was drawn together
    stays together, but for the last row of an odd number.

    Raises:
        InputError: no task of this name is written here, or templates of a split are missing.
    """
    if name not in DRAW:
        raise InputError(
            f"params.yaml: `tasks.{name}.data.source` is written, but only {', '.join(DRAW)} are; "
            "take hub or files"
        )
    seen: set[frozenset] = set()
    splits = {}
    for number, split in enumerate(SPLITS):
        generator = np.random.default_rng([task.data.seed, list(DRAW).index(name), number])
        lexicon = Lexicon(split)
        size = getattr(task.data, split)
        rows: list[dict] = []
        while len(rows) < size:
            drawn = DRAW[name](generator, lexicon)[: size - len(rows)]
            texts = [frozenset((row["text_a"], row["text_b"])) for row in drawn]
            if not seen & set(texts):
                seen.update(texts)
                rows += [
                    row | {"id": f"{split}-{len(rows) + place:05d}"}
                    for place, row in enumerate(drawn)
                ]
        splits[split] = rows
    return splits
