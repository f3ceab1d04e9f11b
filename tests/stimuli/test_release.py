"""The release of Lin et al. 2019: its conditions are derived from its sentences and agree with it.

A copy of it is no part of the project: where there is one (configurations/sesame), all of its
files are held against it, otherwise a few lines written as it has them.
"""

from collections import Counter

import pytest

from stages.core.stage.files import InputError
from stages.core.stimuli.entries import ReleasedStimuli
from stages.stimuli.release import attention_rows, probe_rows, vocabulary
from stages.stimuli.structure import structure_of, tells_number
from tools.pipeline import ROOT

RELEASE = ROOT / "configurations/sesame/corpora/opensesame"
SINGULAR, PLURAL = "singular", "plural"
# The legend of agr.4 to agr.19: numbers of subject and distractor; a modal, then does or do.
NUMBERS = [(SINGULAR, SINGULAR), (SINGULAR, PLURAL), (PLURAL, SINGULAR), (PLURAL, PLURAL)]
REFLEXIVES = {
    "1": ({"object"}, 1, 1),
    "2": ({"object"}, 1, 0),
    # Half of these have their distractor as an object, and a clause without a noun.
    "3": ({"relative", "object after a clause"}, 1, 1),
    "4": ({"relative", "object after a clause"}, 1, 0),
    "5": ({"relative and object"}, 2, 2),
    "6": ({"relative and object"}, 2, 1),
    "7": ({"relative and object"}, 2, 1),
    "8": ({"relative and object"}, 2, 0),
}


def legend(row: dict) -> tuple[set[str], int, int, str]:
    """Where distractors stand, how many, how many agree, the auxiliary, by the file's number."""
    if row["phenomenon"] == "reflexive":
        return (*REFLEXIVES.get(row["condition"], ({"none"}, 0, 0)), "modal")
    number = int(row["condition"])
    auxiliary = "agreeing" if number % 2 else "modal"
    if number < 4:
        return {"none"}, 0, 0, auxiliary
    group = (number - 4) // 2
    subject, distractor = NUMBERS[group % 4]
    kind = "prepositional" if group < 4 else "relative"
    return {kind}, 1, int(subject == distractor), auxiliary


def derived(row: dict) -> tuple[str, int, int, str]:
    return row["modifier"], row["distractors"], row["matching"], row["auxiliary"]


@pytest.mark.skipif(not RELEASE.is_dir(), reason="no copy of the release is at hand")
def test_the_conditions_of_the_release_follow_from_its_sentences():
    entry = ReleasedStimuli(source="release", path=str(RELEASE), sentences=400, train=400, test=400)
    known, counts = vocabulary(), Counter()
    for row in attention_rows(entry):
        modifiers, *others = legend(row)
        modifier, *own = derived(row)
        assert modifier in modifiers, row
        assert own == others, row
        counts[row["condition"], row["phenomenon"], modifier] += 1
        subject = known.nouns[row["words"][row["right"][1]]]
        if row["phenomenon"] == "agreement" and row["distractors"] and subject.number:
            expected = NUMBERS[(int(row["condition"]) - 4) // 2 % 4][0]
            assert subject.number == expected
    assert {condition for condition, *_ in counts} == {str(number) for number in range(20)}
    # What disagrees: R3 and R4 hold two structures each, about as often.
    for condition in ("3", "4"):
        far = counts[condition, "reflexive", "object after a clause"]
        assert 120 < far < 280
    parts = Counter()
    for row in probe_rows(entry):
        if row["probe"] != "nth_token":
            assert (row["first"] == row["target"]) == (row["part"] in ("train", "test"))
            parts[row["probe"], row["part"]] += 1
    assert len(parts) == 7
    assert set(parts.values()) == {400}


LINES = {
    "data_agr/agr.5": "the cat near your bird does cry\t5\t0 1\t3 4 \n",
    "data_agr/agr.14": "your dog who my bees will kick will smile\t7\t0 1\t3 4 \n",
    "data_agr/agr.18": "the fish who the worms would hit can read\t7\t0 1\t3 4 \n",
    "data_refl/refl.3": "my king that will sleep would love my monk by himself\t10\t0 1\t7 8 \n",
    "data_refl/refl.7": "my lady that some witch can kick would kick your actor by herself\t12"
    "\t0 1\t3 4 9 10 \n",
    "data_aux/aux.gen": "my bee that would hit her good small bad young tiger could move\t11\n",
    "data_sbjn-join/sbjn-join.gen_apost": "our fish's new new worker ant will swim\t7\n",
}


@pytest.fixture
def release(tmp_path):
    """A release whose other files are empty."""
    names = [f"data_agr/agr.{number}" for number in range(20)]
    names += [f"data_refl/refl.{number}" for number in range(9)]
    names += [f"data_aux/aux.{part}" for part in ("train", "test", "gen")]
    parts = ("train", "test", "gen_comp", "gen_apost")
    names += [f"data_sbjn-join/sbjn-join.{part}" for part in parts]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(LINES.get(name, ""), encoding="utf-8")
    return tmp_path, ReleasedStimuli(source="release", path=str(tmp_path))


def test_lines_are_read_with_the_factors_of_their_words(release):
    _, entry = release
    rows = {(row["phenomenon"], row["condition"]): row for row in attention_rows(entry)}
    # The number of the fish can be read from nothing.
    assert set(rows) == {
        ("agreement", "5"),
        ("agreement", "14"),
        ("reflexive", "3"),
        ("reflexive", "7"),
    }
    assert derived(rows["agreement", "5"]) == ("prepositional", 1, 1, "agreeing")
    assert derived(rows["agreement", "14"]) == ("relative", 1, 0, "modal")
    assert derived(rows["reflexive", "3"]) == ("object after a clause", 1, 1, "modal")
    seventh = rows["reflexive", "7"]
    assert derived(seventh) == ("relative and object", 2, 1, "modal")
    assert seventh["wrong"] == [[3, 4], [9, 10]]
    assert seventh["items"] == ["lady", "witch", "actor"]
    assert seventh["words"][-1] == "herself"


def test_possessors_count_twice_in_the_places_of_the_release(release):
    _, entry = release
    rows = {row["part"]: row for row in probe_rows(entry)}
    possessive = rows["possessive"]
    assert possessive["words"][:3] == ["our", "fish", "'s"]
    assert possessive["words"][possessive["target"]] == "ant"
    assert possessive["words"][possessive["first"]] == "fish"
    clause = rows["relative"]
    assert (clause["words"][clause["first"]], clause["target"]) == ("would", 11)


@pytest.mark.parametrize(
    ("name", "line", "complaint"),
    [
        ("data_agr/agr.5", "the cat does cry\t1\t0 1\t\n", r"agr.5, line 1: source and candidates"),
        ("data_agr/agr.5", "the cat does cry\tx\t0 1\t\n", r"line 1: not a sentence and 3 lists"),
        ("data_agr/agr.5", "he does cry\t1\t0\t\n", r"line 1: no subject and auxiliary"),
        ("data_aux/aux.gen", "my bee could swim\t3\n", r"aux.gen, line 1: word 3 is no target"),
    ],
)
def test_damaged_lines_are_refused(release, name, line, complaint):
    folder, entry = release
    (folder / name).write_text(line, encoding="utf-8")
    with pytest.raises(InputError, match=complaint):
        list(attention_rows(entry))
        list(probe_rows(entry))


def test_a_missing_release_is_refused(release):
    folder, entry = release
    (folder / "data_agr/agr.7").unlink()
    with pytest.raises(InputError, match=r"agr.7: no such file; copy the whole release"):
        list(attention_rows(entry))
    with pytest.raises(InputError, match="names the folder elsewhere"):
        list(probe_rows(entry.model_copy(update={"path": "elsewhere"})))


def test_a_number_that_nothing_tells():
    known = vocabulary()
    assert not tells_number(["the", "fish", "near", "my", "dog", "can", "read"], known)
    assert tells_number(["the", "fish", "near", "my", "dog", "does", "read"], known)
    assert not tells_number(["the", "dog", "near", "my", "fish", "does", "read"], known)
    assert structure_of(["the", "fish", "near", "my", "dog", "do", "read"], known)["matching"] == 0
