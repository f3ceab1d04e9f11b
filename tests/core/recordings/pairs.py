"""A corpus of two annotated pairs."""

import pandas as pd

from stages.core.corpora.store import corpus_frame, word


def corpus() -> pd.DataFrame:
    """Two pairs; "xylophone" is in pieces."""
    rows = []
    for number, (a, b) in enumerate([("the xylophone sees", "a dog"), ("a cat", "the dog .")]):
        words = []
        for segment, text in enumerate((a, b)):
            start = 0
            for form in text.split(" "):
                words.append(word(form, start, segment))
                start += len(form) + 1
        rows.append({"id": f"t{number}", "group": "g", "text_a": a, "text_b": b, "words": words})
    return corpus_frame(rows)
