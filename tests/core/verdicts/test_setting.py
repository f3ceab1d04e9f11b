"""What a configuration has instead of what the source had."""

import pytest

from stages.core.corpora.entries import (
    ParagraphCorpus,
    RecordedCorpus,
    TreebankCorpus,
    WrittenCorpus,
)
from stages.core.tasks.task import Task
from stages.core.verdicts.setting import (
    Setting,
    departures,
    merged,
    setting_of_corpus,
    setting_of_task,
)

SOURCE = Setting(text="natural", inputs="pairs", arm="untuned", training="masked words", layers=12)


def test_every_point_that_differs_is_said():
    here = Setting(
        text="template", inputs="single", arm="tuned", training="sentence similarity", layers=6
    )
    assert departures(SOURCE, here) == [
        "a sentence encoder",
        "6 layers",
        "template text",
        "single texts",
        "a tuned encoder",
    ]


def test_what_is_the_same_or_not_known_is_no_departure():
    assert departures(SOURCE, SOURCE) == []
    assert departures(SOURCE, Setting(layers=12)) == []
    assert departures(Setting(inputs="single and pairs"), SOURCE) == []


@pytest.mark.parametrize(
    ("name", "data", "text", "inputs"),
    [
        ("relevance", {"source": "written"}, "template", "pairs"),
        ("sentiment", {"source": "written"}, "template", "single"),
        ("mrpc", {"source": "hub", "text_b": "b"}, "natural", "pairs"),
        ("sst2", {"source": "files", "text_b": None}, "natural", "single"),
    ],
)
def test_the_setting_of_a_task(name, data, text, inputs):
    if data["source"] == "written":
        entry = {"source": "written", "train": 1, "validation": 1, "seed": 0}
    else:
        columns = {"text_a": "a", "text_b": data["text_b"], "label": "l"}
        splits = {"train": "t", "validation": "v"}
        entry = {"source": data["source"], "splits": splits, "columns": columns}
        entry |= {"path": "p"} if data["source"] == "hub" else {}
    task = Task(data=entry, kind="classification", labels=2, metrics=["accuracy"])
    setting = setting_of_task(name, task)
    assert (setting.text, setting.inputs) == (text, inputs)


def test_the_setting_of_a_corpus():
    written = WrittenCorpus(source="written", texts=1, pairs=True)
    treebank = TreebankCorpus(source="conllu", path="p")
    paragraphs = ParagraphCorpus(source="paragraphs", path="p")
    recorded = RecordedCorpus(source="recorded", path="p", model="m")
    found = [setting_of_corpus(entry) for entry in (written, treebank, paragraphs, recorded)]
    assert [setting.text for setting in found] == ["template", "natural", "natural", "natural"]
    assert [setting.inputs for setting in found] == ["pairs", "single", "pairs", "not known"]


def test_what_is_not_known_of_recorded_attention_is_a_departure():
    """A source of an untuned encoder and pairs is not met by maps of which nobody says it."""
    source = Setting(text="natural", inputs="pairs", arm="untuned", training="masked words")
    plain = {"source": "recorded", "path": "p", "model": "m"}
    assert departures(source, setting_of_corpus(RecordedCorpus(**plain))) == [
        "how the encoder was trained is not known",
        "single texts or pairs, which is not known",
        "tuned or not is not known",
    ]
    said = {"arm": "tuned", "training": "masked words", "pairs": True}
    assert departures(source, setting_of_corpus(RecordedCorpus(**plain, **said))) == [
        "a tuned encoder"
    ]
    same = said | {"arm": "untuned"}
    assert departures(source, setting_of_corpus(RecordedCorpus(**plain, **same))) == []


def test_tasks_together_have_what_they_share():
    both = merged(
        [Setting(text="natural", inputs="single"), Setting(text="natural", inputs="pairs")]
    )
    assert both == Setting(text="natural", inputs="single and pairs")
    assert merged([Setting(text="natural"), Setting(text="template")]).text is None
