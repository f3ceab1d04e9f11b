"""Examples on disk, and the rows that are refused."""

import pandas as pd
import pytest

from stages.core.stage.files import InputError
from stages.core.tasks.examples import (
    draw_examples,
    examples_frame,
    read_examples,
    validate,
    write_examples,
)

WORD = {
    "segment": 0,
    "text": "Cats",
    "start": 0,
    "end": 4,
    "lemma": "cat",
    "upos": "NOUN",
    "feats": "Number=Plur",
    "head": 1,
    "deprel": "nsubj",
    "negation": False,
}


def rows(**changes):
    first = {"id": "a", "text_a": "Cats sleep", "text_b": "They sleep", "label": 0.0}
    second = {"id": "b", "text_a": "Dogs bark", "text_b": "They bark", "label": 1.0}
    return examples_frame([first, second | changes])


def test_a_split_survives_writing_and_reading(tmp_path):
    examples = examples_frame(
        [
            {
                "id": "a",
                "text_a": "Cats sleep",
                "label": 1.0,
                "words": [WORD],
                "mentions": [
                    {
                        "segment": 0,
                        "first": 0,
                        "last": 0,
                        "head": 0,
                        "cluster": 0,
                        "kind": "nominal",
                    }
                ],
                "shared": [{"a": 0, "b": 3}],
            },
            {"id": "b", "text_a": "Dogs bark", "label": 0.0},
        ]
    )
    write_examples(examples, tmp_path / "train.parquet")
    back = read_examples(tmp_path / "train.parquet")
    assert back.to_dict("records") == examples.to_dict("records")
    assert back["text_b"].isna().all()


def test_the_same_examples_give_the_same_bytes(tmp_path):
    for name in "xy":
        write_examples(rows(), tmp_path / name)
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"text_b": None}, r"own\.tsv, row 1 .*text_b is missing"),
        ({"text_a": "  "}, r"row 1 .*text_a is missing or empty"),
        ({"label": 2.0}, r"unknown label 2\.0; known are no, yes"),
        ({"label": float("nan")}, "unknown label nan"),
        ({"id": "a"}, r"row 1 \(id 'a'\): row 0 has this id too"),
    ],
)
def test_a_bad_row_is_refused_by_file_row_and_reason(changes, message):
    with pytest.raises(InputError, match=message):
        validate(rows(**changes), "own.tsv", 2, ["no", "yes"])


def test_good_rows_pass():
    validate(rows(), "own.tsv", 2)
    validate(rows(label=2.5), "own.tsv", None)
    validate(rows().assign(text_b=None), "own.tsv", 2)


def test_a_score_must_be_finite():
    with pytest.raises(InputError, match="not a finite number"):
        validate(rows(label=float("nan")), "own.tsv", None)


def test_a_split_without_rows_is_refused():
    with pytest.raises(InputError, match="no rows"):
        validate(rows().iloc[:0], "own.tsv", 2)


def test_reading_names_the_file(tmp_path):
    with pytest.raises(InputError, match="prepare"):
        read_examples(tmp_path / "none.parquet")
    (tmp_path / "cut.parquet").write_bytes(b"PAR1")
    with pytest.raises(InputError, match="not a readable parquet file"):
        read_examples(tmp_path / "cut.parquet")


def test_drawn_examples_keep_their_order_and_follow_the_seed():
    frame = pd.DataFrame({"id": range(100)}, index=range(100, 200))
    some = draw_examples(frame, 10, seed=1)
    assert some["id"].tolist() == some.index.tolist() == sorted(set(some["id"]))
    assert len(some) == 10
    assert some.equals(draw_examples(frame, 10, seed=1))
    assert not some.equals(draw_examples(frame, 10, seed=2))
    assert len(draw_examples(frame, None, 1)) == len(draw_examples(frame, 200, 1)) == 100
