"""As many rows of each label, and no row twice."""

from pathlib import Path

import pandas as pd
import pytest

from stages.core.stage.files import InputError
from tools.balance import WRITERS, balanced, main, rows_of

LABELS = ["b"] * 7 + ["a"] * 2 + ["b"] * 4 + ["c"] * 3


def rows() -> pd.DataFrame:
    texts = [f'{place} 字 "quoted"' for place in range(len(LABELS))]
    return pd.DataFrame({"text": texts, "label": LABELS})


def test_each_label_has_as_many_rows_as_the_rarest_in_their_order() -> None:
    drawn = balanced(rows(), "label", seed=0)
    assert drawn["label"].value_counts().to_dict() == {"a": 2, "b": 2, "c": 2}
    places = drawn["text"].str.split().str[0].astype(int).tolist()
    assert places == sorted(set(places))
    assert drawn.equals(rows().iloc[places].reset_index(drop=True))


def test_an_ending_in_capitals(tmp_path: Path) -> None:
    source, target = tmp_path / "ALL.CSV", tmp_path / "drawn.csv"
    rows().to_csv(source, index=False)
    main(source, target, "label", 0)
    assert rows_of(target).equals(balanced(rows(), "label", 0))


def test_another_seed_draws_others_and_every_row_can_be_drawn() -> None:
    drawn = [frozenset(balanced(rows(), "label", seed)["text"]) for seed in range(40)]
    assert len(set(drawn)) > 10
    assert frozenset().union(*drawn) == set(rows()["text"])
    assert drawn[3] == frozenset(balanced(rows(), "label", 3)["text"])


@pytest.mark.parametrize("suffix", WRITERS)
def test_every_format_comes_back_as_it_was(tmp_path: Path, suffix: str) -> None:
    source, target = tmp_path / f"all{suffix}", tmp_path / "new" / f"drawn{suffix}"
    WRITERS[suffix](rows(), source)
    main(source, target, "label", 0)
    assert rows_of(target).equals(balanced(rows(), "label", 0))


@pytest.mark.parametrize("suffix", WRITERS)
def test_what_ends_a_line_elsewhere_stays_in_the_text(tmp_path: Path, suffix: str) -> None:
    source, target = tmp_path / f"all{suffix}", tmp_path / f"drawn{suffix}"
    texts = ["a\rb", "a\u2028b", 'a\x85"b']
    WRITERS[suffix](pd.DataFrame({"text": texts, "label": ["x", "y", "z"]}), source)
    main(source, target, "label", 0)
    assert rows_of(target)["text"].tolist() == texts


@pytest.mark.parametrize("suffix", WRITERS)
def test_words_for_nothing_are_texts(tmp_path: Path, suffix: str) -> None:
    source, target = tmp_path / f"all{suffix}", tmp_path / f"drawn{suffix}"
    texts = ["NA", "null", "None", "nan"]
    labels = ["NA", "None", "NA", "None"]
    WRITERS[suffix](pd.DataFrame({"text": texts, "label": labels}), source)
    main(source, target, "label", 0)
    found = rows_of(target)
    assert found["text"].tolist() == texts and found["label"].tolist() == labels
    assert target.read_bytes() == source.read_bytes() or suffix == ".parquet"


@pytest.mark.parametrize("suffix", [".tsv", ".csv"])
def test_an_empty_label_is_refused(tmp_path: Path, suffix: str) -> None:
    source = tmp_path / f"all{suffix}"
    WRITERS[suffix](rows().assign(label=["", *LABELS[1:]]), source)
    with pytest.raises(InputError, match="1 rows have no 'label'"):
        main(source, tmp_path / f"drawn{suffix}", "label", 0)


def test_what_cannot_be_drawn_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "all.jsonl"
    WRITERS[".jsonl"](rows(), source)
    with pytest.raises(InputError, match="no column 'grade'; it has text, label"):
        main(source, tmp_path / "drawn.jsonl", "grade", 0)
    with pytest.raises(InputError, match=r"name it \*\.jsonl"):
        main(source, tmp_path / "drawn.csv", "label", 0)
    WRITERS[".jsonl"](rows().assign(label=[None, *LABELS[1:]]), source)
    with pytest.raises(InputError, match="1 rows have no 'label'"):
        main(source, tmp_path / "drawn.jsonl", "label", 0)
