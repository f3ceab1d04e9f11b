"""Reading corpora: what each source becomes, and what is refused."""

import json
import os
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
import torch
from ruamel.yaml import YAML
from transformers import PreTrainedTokenizerBase

from stages.core.annotation.tagger import Tagger
from stages.core.corpora.entries import (
    FramenetCorpus,
    ParagraphCorpus,
    RecordedCorpus,
    TreebankCorpus,
)
from stages.core.corpora.store import corpus_frame, read_corpus, word, write_corpus
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.recording_writer import write_maps
from stages.core.stage.files import InputError
from stages.core.stimuli.entries import RecordedAttention
from stages.corpus import conllu, framenet, litbank, paragraphs, recorded
from stages.corpus.framenet import INDEXES, exemplar_rows
from stages.corpus.stage import read as stage_read
from stages.corpus.stage import run_stage
from stages.stimuli.recorded import sound_folder
from tests.oracle import oracle_corpus

TREEBANK = """\
# newdoc id = d1
# sent_id = s1
1\tDogs\tdog\tNOUN\tNNS\tNumber=Plur\t4\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\tPolarity=Neg\t4\tadvmod\t_\t_
4\tsleep\tsleep\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

# sent_id = s2
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\tde\tADP\t_\t_\t3\tcase\t_\t_
2\tle\tle\tDET\t_\t_\t3\tdet\t_\t_
3\tpain\tpain\tNOUN\t_\t_\t0\troot\t_\t_
3.1\tnothing\t_\tVERB\t_\t_\t_\t_\t_\t_
"""


def treebank(folder: Path, text: str) -> pd.DataFrame:
    (folder / "some.conllu").write_text(text + "\n", encoding="utf-8")
    entry = TreebankCorpus(source="conllu", path=str(folder / "some.conllu"))
    return conllu.read("own", entry)


def test_words_of_a_treebank_stand_where_they_are_in_the_text(tmp_path):
    first, second = treebank(tmp_path, TREEBANK).to_dict("records")
    assert first["text_a"] == "Dogs don't sleep."
    for entry in first["words"]:
        assert first["text_a"][entry["start"] : entry["end"]] == entry["text"]
    assert [entry["head"] for entry in first["words"]] == [3, 3, 3, -1, 3]
    assert [entry["negation"] for entry in first["words"]] == [False, False, True, False, False]
    assert first["group"] == second["group"] == "d1"
    # Two words that are written as one have its place both.
    assert second["text_a"] == "du pain"
    places = [(entry["start"], entry["end"]) for entry in second["words"]]
    assert places == [(0, 2), (0, 2), (3, 7)]


def test_a_file_that_is_no_treebank_is_refused(tmp_path):
    with pytest.raises(InputError, match="the head of word 1 is four"):
        treebank(tmp_path, TREEBANK.replace("\t4\tnsubj", "\tfour\tnsubj"))
    with pytest.raises(InputError, match="no sentences"):
        treebank(tmp_path, "")
    with pytest.raises(InputError, match=r"corpora\.own\.path"):
        conllu.read("own", TreebankCorpus(source="conllu", path=str(tmp_path / "none")))


def test_a_treebank_saved_by_other_systems_is_the_same(tmp_path):
    """A byte order mark, carriage returns before line feeds, a separator inside a word."""
    expected = treebank(tmp_path, TREEBANK.replace("pain", "pa\u2028in"))
    windows = "\ufeff" + TREEBANK.replace("pain", "pa\u2028in").replace("\n", "\r\n")
    (tmp_path / "some.conllu").write_bytes(windows.encode())
    entry = TreebankCorpus(source="conllu", path=str(tmp_path / "some.conllu"))
    pd.testing.assert_frame_equal(conllu.read("own", entry), expected)
    assert expected["text_a"].tolist()[1] == "du pa\u2028in"


def conll(*sentences: list[tuple[str, str]]) -> str:
    lines = ["#begin document (toy); part 0"]
    for sentence in sentences:
        for place, (form, mention) in enumerate(sentence):
            lines.append("\t".join(["toy", "0", str(place), form, *["_"] * 8, mention]))
        lines.append("")
    return "\n".join([*lines, "#end document"])


class FirstWordsHead(Tagger):
    """In place of a trained tagger: every word hangs on the first one."""

    def __init__(self):
        super().__init__(pipeline=None)

    def annotate(self, words: list[str]) -> list[dict]:
        kinds = {"she": "PRON", "Emma": "PROPN"}
        return [
            {"upos": kinds.get(form, "NOUN"), "head": 0 if place else -1, "deprel": "x"}
            for place, form in enumerate(words)
        ]


def windows(folder: Path, tokenizer: PreTrainedTokenizerBase, longest: int) -> list[dict]:
    """Of the document LITBANK, as rows of a corpus."""
    file = folder / "toy.conll"
    file.write_text(LITBANK)
    found = litbank.windows(
        "toy", litbank.read_document(file), tokenizer, FirstWordsHead(), longest
    )
    return corpus_frame(found).to_dict("records")


LITBANK = conll(
    [("Emma", "(1"), ("Woodhouse", "1)"), ("sat", "_")],
    [("she", "(1)"), ("saw", "_"), ("the", "(2"), ("house", "(3)|2)")],
)


def test_mentions_of_litbank(tmp_path, tiny_bert):
    (row,) = windows(tmp_path, load_tokenizer(tiny_bert), 128)
    assert row["text_a"] == "Emma Woodhouse sat she saw the house"
    found = [(m["first"], m["last"], m["head"], m["cluster"], m["kind"]) for m in row["mentions"]]
    assert found == [
        (0, 1, 0, 0, "proper"),
        (3, 3, 3, 0, "pronoun"),
        (5, 6, 5, 1, "nominal"),
        (6, 6, 6, 2, "nominal"),
    ]


def test_windows_hold_whole_sentences_that_fit(tmp_path, tiny_bert):
    tokenizer = load_tokenizer(tiny_bert)
    # "Emma Woodhouse sat" is in letters: 4 + 9 + 3 pieces, and two special tokens.
    rows = windows(tmp_path, tokenizer, 18)
    assert [row["text_a"] for row in rows] == ["Emma Woodhouse sat", "she saw the house"]
    assert rows[0]["group"] == rows[1]["group"] == "toy"
    # Too short for the sentence: it is cut, but not inside of "Emma Woodhouse".
    rows = windows(tmp_path, tokenizer, 17)
    assert [row["text_a"] for row in rows][:2] == ["Emma Woodhouse", "sat she saw the house"]
    assert len(rows[0]["mentions"]) == 1
    for row in rows:
        assert len(tokenizer(row["text_a"])["input_ids"]) <= 17


def test_brackets_without_a_partner_are_refused(tmp_path):
    file = tmp_path / "toy.conll"
    file.write_text(conll([("Emma", "1)")]))
    with pytest.raises(InputError, match="line 2: '1\\)' closes no mention"):
        litbank.read_document(file)
    file.write_text(conll([("Emma", "(1")]))
    with pytest.raises(InputError, match="does not end in its sentence"):
        litbank.read_document(file)


def exemplar(text: str, target: str, *elements: tuple[str, str]) -> dict:
    def span(part: str) -> tuple[int, int]:
        return text.index(part), text.index(part) + len(part)

    spans = [(*span(part), name) for part, name in elements]
    return {"text": text, "Target": [span(target)], "FE": (spans, {})}


def test_frames_of_short_sentences_with_distant_short_core_elements():
    entry = FramenetCorpus(source="framenet", path="")
    sentence = exemplar(
        "the man quickly gave her an old book",
        "gave",
        ("the man", "Donor"),
        ("her", "Recipient"),
        ("an old book", "Theme"),
        ("quickly", "Manner"),
    )
    (row,) = exemplar_rows(sentence, "Giving", {"Donor", "Recipient", "Theme"}, entry)
    # "her" stands beside the target and "quickly" is no core element.
    assert [frame["element"] for frame in row["frames"]] == ["Donor", "Theme"]
    donor = row["frames"][0]
    assert (donor["target_first"], donor["first"], donor["last"]) == (3, 0, 1)
    assert list(exemplar_rows(sentence, "Giving", {"Recipient"}, entry)) == []
    short = entry.model_copy(update={"longest_sentence": 7})
    assert list(exemplar_rows(sentence, "Giving", {"Donor"}, short)) == []


def test_consecutive_paragraphs(tmp_path):
    file = tmp_path / "articles.jsonl"
    file.write_text(json.dumps({"id": 7, "paragraphs": ["a", "b", "c", "d", "e"]}) + "\n")
    pairs = paragraphs.read("own", ParagraphCorpus(source="paragraphs", path=str(file)))
    assert list(zip(pairs["text_a"], pairs["text_b"], strict=True)) == [("a", "b"), ("c", "d")]
    assert set(pairs["group"]) == {"7"}
    alone = ParagraphCorpus(source="paragraphs", path=str(file), pairs=False)
    assert len(paragraphs.read("own", alone)) == 5
    file.write_text('{"id": 7}\n')
    with pytest.raises(InputError, match="line 1: not an article"):
        paragraphs.read("own", alone)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ('{"id": 1, "paragraphs": "one long text"}', "`paragraphs` is 'one long text', not a list"),
        ('{"id": 1, "paragraphs": ["a", null]}', "missing text at place 1 of `paragraphs`"),
        ('{"id": 1, "paragraphs": [" "]}', "missing text at place 0"),
        ('{"id": 1, "paragraphs": ["a", 2]}', "2 in place of a text at place 1"),
        ('{"id": 1, "paragraphs": ["a \\ud83d"]}', "half of a surrogate pair .* at place 0"),
        ('{"id": null, "paragraphs": ["a"]}', "missing text as `id`"),
        ('{"id": "\\ud83d", "paragraphs": ["a"]}', "half of a surrogate pair .* as `id`"),
        ('{"id": 1, "text": "a"}', "it has no `paragraphs`, but id, text"),
        ("[]", "not a JSON object"),
    ],
)
def test_lines_that_are_no_articles(tmp_path, line, fault):
    file = tmp_path / "articles.jsonl"
    file.write_text(f'\ufeff{{"id": 0, "paragraphs": ["a\u2028a", "b"]}}\n\n{line}\n')
    entry = ParagraphCorpus(source="paragraphs", path=str(file))
    with pytest.raises(InputError, match=rf"articles\.jsonl, line 3: not an article .*{fault}"):
        paragraphs.read("own", entry)


def test_paragraphs_of_a_plain_text(tmp_path):
    """A blank line parts them; the lines of one are joined."""
    file = tmp_path / "book.txt"
    text = "\ufeff\n\nIt was\r\na dog.\n \n\nThe\u2028end.\n\nA third.\n"
    file.write_bytes(text.encode())
    entry = ParagraphCorpus(source="paragraphs", path=str(file))
    alone = paragraphs.read("own", entry.model_copy(update={"pairs": False}))
    assert alone["text_a"].tolist() == ["It was a dog.", "The\u2028end.", "A third."]
    assert alone["id"].tolist() == alone["group"].tolist() == ["0", "1", "2"]
    entry = ParagraphCorpus(source="paragraphs", path=str(file))
    pairs = paragraphs.read("own", entry)
    assert pairs[["text_a", "text_b"]].values.tolist() == [["It was a dog.", "The\u2028end."]]
    file.write_text("One paragraph\nof two lines.\n")
    with pytest.raises(InputError, match=r"no two paragraphs .*corpora.own.pairs: false"):
        paragraphs.read("own", entry)


@pytest.mark.parametrize("end", ["gz", "zst"])
def test_packed_paragraphs_are_read_as_plain_ones(tmp_path, end):
    lines = [{"id": n, "paragraphs": [f"苹果 {n}", f"b{n}"]} for n in range(3)]
    content = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / "a.jsonl").write_text(content, encoding="utf-8")
    file = tmp_path / f"a.jsonl.{end}"
    with pa.output_stream(str(file), compression={"gz": "gzip", "zst": "zstd"}[end]) as packed:
        packed.write(content.encode())
    plain, unpacked = (
        paragraphs.read("own", ParagraphCorpus(source="paragraphs", path=str(path)))
        for path in (tmp_path / "a.jsonl", file)
    )
    pd.testing.assert_frame_equal(plain, unpacked)
    file.write_bytes(b"no archive at all")
    with pytest.raises(InputError, match=r"a\.jsonl.*cannot be unpacked"):
        paragraphs.read("own", ParagraphCorpus(source="paragraphs", path=str(file)))


def recorded_corpus(folder: Path, **columns) -> RecordedCorpus:
    tokens = pd.DataFrame(
        {"id": ["a"], "tokens": [["[CLS]", "dog", "[SEP]"]], "segments": [[0, 0, 0]], **columns}
    )
    with write_maps(folder / "maps", tokens, 1, 1, 1) as writer:
        writer.write(0, [0], torch.full((1, 1, 3, 3), 1 / 3))
    return RecordedCorpus(source="recorded", path=str(folder / "maps"), model="other")


def test_recorded_maps_may_be_annotated(tmp_path):
    entry = recorded_corpus(tmp_path, word=[[-1, 0, -1]], words=[[word("dog", 0, upos="NOUN")]])
    (row,) = recorded.read("own", entry).to_dict("records")
    assert (row["group"], row["words"][0]["upos"], row["mentions"]) == ("a", "NOUN", [])


def test_recorded_words_that_do_not_fit_are_refused(tmp_path):
    entry = recorded_corpus(tmp_path, word=[[-1, 3, -1]], words=[[word("dog", 0)]])
    with pytest.raises(InputError, match="belongs to word 3, but there are 1 words"):
        recorded.read("own", entry)


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"words": [[word("dog", 0, head=1)]]}, "the head of word 0 is 1, but the last word is 0"),
        ({"words": [[word("dog", 0, segment=2)]]}, "word 0 has the segment 2"),
        ({"words": [["dog"]]}, "word 0 is 'dog', without segment, text"),
        ({"words": [["dog"]], "word": [[-1, 0, -1]]}, "word 0 is 'dog', without segment, text"),
        ({"mentions": [[{"first": 0, "last": -1}]]}, "mention 0 has None as its `segment`"),
        ({"frames": [[{"frame": "F"}]]}, "frame 0 has None as its `element`"),
        ({"group": [3]}, "its `group` is 3, no text"),
    ],
)
def test_recorded_annotation_that_cannot_be_is_refused(tmp_path, columns, complaint):
    entry = recorded_corpus(tmp_path, **columns)
    with pytest.raises(InputError, match=rf"corpus own \({tmp_path}/maps\), text 'a': {complaint}"):
        stage_read("own", entry)


def test_sentences_are_not_found_by_words_that_are_plain_texts(tmp_path):
    recorded_corpus(tmp_path, words=[["dog"]], word=[[-1, 0, -1]])
    recording = RecordedAttention(path=str(tmp_path / "maps"), model="other")
    with pytest.raises(InputError, match="example 'a': its words are unknown"):
        sound_folder("own", recording)


def test_recorded_words_need_their_text_alone(tmp_path):
    """What is lacking is empty, as of every word of a corpus."""
    words = [[{"text": "dog", "head": None, "start": 4}]]
    entry = recorded_corpus(tmp_path, word=[[-1, 0, -1]], words=words)
    (row,) = stage_read("own", entry).to_dict("records")
    assert row["words"] == [word("dog", 4)]


def test_withheld_words_of_a_treebank_are_refused(tmp_path):
    """As publishers do who may not pass on a text: its annotation is all there."""
    rows = [line.split("\t") for line in TREEBANK.splitlines()]
    hidden = [[cells[0], "_", "_", *cells[3:]] if len(cells) > 1 else cells for cells in rows]
    (tmp_path / "some.conllu").write_text("\n".join(map("\t".join, hidden)) + "\n\n")
    entry = TreebankCorpus(source="conllu", path=str(tmp_path / "some.conllu"))
    with pytest.raises(InputError, match=r"some\.conllu\): 8 of 8 words .* the words are withheld"):
        stage_read("own", entry)


def test_a_source_of_the_other_kind_is_refused(tmp_path):
    entry = TreebankCorpus(source="conllu", path=str(tmp_path))
    with pytest.raises(InputError, match=r"corpora\.own\.path` is .*, which is not a CoNLL-U file"):
        stage_read("own", entry)
    (tmp_path / "file").write_text("x")
    recording = RecordedCorpus(source="recorded", path=str(tmp_path / "file"), model="other")
    with pytest.raises(InputError, match=r"corpora\.own\.path` is .*, which is not a folder"):
        stage_read("own", recording)


def test_a_corpus_is_read_as_it_was_written(tmp_path):
    corpus = oracle_corpus(5)
    write_corpus(corpus, tmp_path / "one.parquet")
    write_corpus(corpus, tmp_path / "two.parquet")
    assert (tmp_path / "one.parquet").read_bytes() == (tmp_path / "two.parquet").read_bytes()
    found = read_corpus(tmp_path / "one.parquet")
    for column in ("id", "group", "text_a", "words", "mentions", "frames"):
        assert found[column].tolist() == corpus[column].tolist(), column
    (tmp_path / "bad.parquet").write_text("x")
    with pytest.raises(InputError, match="not a readable parquet"):
        read_corpus(tmp_path / "bad.parquet")


def test_the_stage_draws_texts_and_keeps_recorded_maps(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    entry = recorded_corpus(tmp_path)
    (tmp_path / "secret").write_text("key")
    (tmp_path / "maps/notes").symlink_to(tmp_path / "secret")
    (tmp_path / "some.conllu").write_text(TREEBANK + "\n", encoding="utf-8")
    corpora = {
        "elsewhere": entry.model_dump(),
        "trees": {"source": "conllu", "path": "some.conllu", "texts": 1},
    }
    with Path("params.yaml").open("w") as stream:
        bounds = {"warned": 0.03, "refused": 0.3}
        YAML().dump({"corpora": corpora, "unknown_tokens": bounds}, stream)
    run_stage("elsewhere")
    maps = tmp_path / "work/corpora/elsewhere/maps"
    names = ["index.parquet", "maps-00000.f16", "store.json", "tokens.parquet"]
    assert sorted(file.name for file in maps.iterdir()) == names
    run_stage("trees")
    assert len(read_corpus("work/corpora/trees/corpus.parquet")) == 1
    assert not (tmp_path / "work/corpora/trees/maps").exists()
    sizes = pd.read_parquet("work/measures/corpus/elsewhere/sizes.parquet").drop(columns="data")
    assert sizes.to_dict("records") == [{"texts": 1, "words": 0, "tokens": 1, "unknown": 0}]
    # As DVC runs it.
    monkeypatch.setenv("DVC_STAGE", "corpus@trees")
    run_stage()
    monkeypatch.delenv("DVC_STAGE")
    with pytest.raises(InputError, match="no corpus is named"):
        run_stage()
    with pytest.raises(InputError, match=r"corpora\.none"):
        run_stage("none")


@pytest.mark.skipif(find_spec("nltk") is None, reason="requirements-text.txt")
@pytest.mark.parametrize(("spoil", "said"), [("link", "no hard links"), ("mode", "chmod -R go-w")])
def test_a_release_that_nltk_would_refuse_is_refused_with_the_mend(tmp_path, spoil, said):
    release = tmp_path / "fndata-1.5"
    release.mkdir()
    for file in INDEXES:
        (release / file).write_text("<x/>")
    if spoil == "link":
        os.link(release / INDEXES[0], tmp_path / "beside.xml")
    else:
        (release / INDEXES[0]).chmod(0o666)
    entry = FramenetCorpus(source="framenet", path=str(release))
    with pytest.raises(InputError, match=said):
        framenet.read("frames", entry)
