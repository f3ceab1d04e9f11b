"""Real DVC: the configuration `bert-base` on a small BERT with an MLM head, and small corpora."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
import torch
from ruamel.yaml import YAML
from transformers import AutoTokenizer, BertForMaskedLM

from stages.core.verdicts.measures import open_measures
from stages.frames.tables import BEST
from stages.surface.masked_words import IGNORED, masked
from tests.checkpoints import POSITIONS, bert, vary_biases
from tests.integration.hub import COMMIT
from tests.integration.small_corpora import ARTICLES, DOCUMENTS, SENTENCES, write_corpora
from tests.integration.test_pipeline import CONFIGURE, SHELL, keep_few
from tests.integration.tiny import run, small

BERT_BASE = Path("configurations/bert-base")
LAYERS = 3
CORPORA = {
    "wikipedia": ("surface", "text_patterns", "clusters", "neurons"),
    "ewt": ("syntax", "pairs", "probes"),
    "litbank": ("coreference",),
    "framenet": ("frames",),
}


def write_checkpoint(folder: Path) -> None:
    """A BERT of random weights with an MLM head that gives every token another bias."""
    config, tokenizer = bert()
    config.update({"num_hidden_layers": LAYERS})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(11)
        model = BertForMaskedLM(config)
        vary_biases(model, 0.1)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def overlaid(settings: dict, changes: dict) -> dict:
    """The settings with changes, key by key."""
    for name, value in changes.items():
        if isinstance(value, dict) and isinstance(settings.get(name), dict):
            overlaid(settings[name], value)
        else:
            settings[name] = value
    return settings


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoint") / "bert"
    write_checkpoint(folder)
    return folder


@pytest.fixture(scope="module")
def built(module_copy: Path, checkpoint: Path, warm: dict[str, str]) -> Path:
    """The configuration's folder with its findings: its settings, smaller, and one of its tasks."""
    yaml = YAML()
    folder = module_copy / BERT_BASE
    settings = yaml.load(folder / "settings.yaml")
    write_corpora(folder, settings)
    changes = small(yaml.load(module_copy / "params.yaml"))
    del changes["corpora"]
    del changes["surface"]["gradient_texts"]
    overlaid(settings, changes)
    settings["checkpoint"] = {"source": "folder", "path": str(checkpoint)}
    settings["run"]["tasks"] = ["mrpc"]
    settings["tasks"] = {"mrpc": {"data": {"revision": COMMIT}, "max_length": POSITIONS}}
    settings["runtime"]["workers"] = 0
    settings["tagger"]["epochs"] = 8
    for entry in settings["corpora"].values():
        entry["max_length"] = POSITIONS
    yaml.dump(settings, folder / "settings.yaml")
    run(module_copy, *SHELL, f"{CONFIGURE.rpartition('/')[0]}/bert-base")
    keep_few(module_copy / "data/patterns")
    shutil.rmtree(folder / "reports", ignore_errors=True)
    # Without the report, which tests/integration/test_pipeline.py draws.
    run(folder, "dvc", "repro", "findings", **warm)
    return folder


@pytest.fixture(scope="module")
def findings(built: Path) -> dict:
    return json.loads((built / "reports/findings.json").read_text())


def table(built: Path, name: str) -> pd.DataFrame:
    return pd.read_parquet(built / f"work/measures/{name}.parquet")


def test_every_claim_has_a_verdict_or_a_reason(built, findings):
    assert findings["configuration"] == "bert-base"
    assert findings["tasks"] == {"mrpc": "f1"}
    claims = YAML(typ="safe").load(built / "data/claims.yaml")["claims"]
    assert {claim["id"] for claim in claims} == {*findings["claims"], *findings["not_shown"]}
    verdicts = {claim["verdict"] for claim in findings["claims"].values()}
    assert verdicts <= {"holds", "fails", "undecided", "not decidable here"}
    assert all(claim["reason"] for claim in findings["not_shown"].values())


def test_only_the_layers_depart_from_the_sources(findings):
    """The encoder learnt masked words, on natural text: as every claim's source has it."""
    for name, claim in findings["claims"].items():
        setting = claim["setting"]
        assert setting["source"]["training"] == setting["here"]["training"] == "masked words", name
        assert setting["departures"] == [f"{LAYERS} layers"], name


def test_every_study_measured_its_corpus(built, findings, monkeypatch):
    for corpus, studies in CORPORA.items():
        for study in studies:
            files = sorted((built / f"work/measures/{study}/{corpus}").glob("*.parquet"))
            assert files, study
            assert not any(pd.read_parquet(file).empty for file in files), study
    decided = {name.split("-")[0]: one["decided_on"] for name, one in findings["claims"].items()}
    expected = {
        **dict.fromkeys(("C1", "C2", "C3", "C4", "C8", "V1"), "wikipedia"),
        **{"C5": "ewt", "C6": "litbank", "C7": "ewt", "K4": "framenet", "B2": "mrpc"},
    }
    assert decided.items() >= expected.items()
    monkeypatch.chdir(built)
    best = open_measures().rows(BEST)
    assert best["data"].tolist() == ["framenet", "framenet"]


def test_corpora_are_read_as_their_sources_have_them(built):
    read = {
        name: pd.read_parquet(built / f"work/corpora/{name}/corpus.parquet") for name in CORPORA
    }
    assert len(read["wikipedia"]) == 2 * ARTICLES
    assert read["wikipedia"]["text_b"].notna().all()
    assert sorted(read["framenet"]["text_a"]) == sorted(SENTENCES)
    assert set(read["framenet"]["frames"].map(len)) == {2}
    # Kinds of mentions are the tagger's.
    mentions = [one for text in read["litbank"]["mentions"] for one in text]
    kinds = pd.Series([one["kind"] for one in mentions]).value_counts()
    assert kinds.to_dict() == {"nominal": 8 * DOCUMENTS, "pronoun": 4 * DOCUMENTS}


def test_the_tagger_knows_the_words_of_a_glue_task(built):
    kinds = set(table(built, "features/mrpc/heads")["kind"])
    assert {"noun", "verb", "cls", "sep"} <= kinds


def test_gradients_are_those_of_the_masked_words_under_the_checkpoints_head(built, checkpoint):
    """Worked out once more by transformers' own attention, text by text."""
    found = table(built, "surface/wikipedia/masked")
    assert found.groupby("arm")["texts"].unique().map(list).to_dict() == {
        "untuned": [2 * ARTICLES],
        "random_weights": [2 * ARTICLES],
    }
    own = found[(found["arm"] == "untuned") & (found["kind"] == "sep")]
    expected = gradients_of_sep(built, checkpoint)
    assert own.sort_values("layer")["per_weight"].tolist() == pytest.approx(expected, rel=1e-3)


def gradients_of_sep(built: Path, checkpoint: Path) -> list[float]:
    """Of each layer, the mean absolute gradient of a weight to [SEP], over heads and texts."""
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    model = BertForMaskedLM.from_pretrained(checkpoint, attn_implementation="eager").eval()
    corpus = pd.read_parquet(built / "work/corpora/wikipedia/corpus.parquet")
    texts = tokenizer(
        corpus["text_a"].tolist(),
        corpus["text_b"].tolist(),
        truncation=True,
        max_length=POSITIONS,
        return_special_tokens_mask=True,
    )
    special = texts["special_tokens_mask"]
    drawn = masked(texts["input_ids"], special, tokenizer.mask_token_id, 0.15, seed=0)
    means = []
    for ids, labels, segments in zip(*drawn, texts["token_type_ids"], strict=True):
        assert IGNORED in labels
        inputs = torch.tensor([ids])
        outcome = model(
            input_ids=inputs,
            token_type_ids=torch.tensor([segments]),
            labels=torch.tensor([labels]),
            output_attentions=True,
        )
        gradients = torch.autograd.grad(outcome.loss, outcome.attentions)
        to_sep = inputs[0] == tokenizer.sep_token_id
        means.append([layer[..., to_sep].abs().mean().item() for layer in gradients])
    return torch.tensor(means).mean(0).tolist()


def test_claims_about_gradients_are_decided_on_masked_words(built, findings):
    """The ratio of [SEP] to words, over the layers from 5/12 of the depth on: here all but one."""
    found = table(built, "surface/wikipedia/masked")
    upper = found[(found["arm"] == "untuned") & (found["layer"] >= 1)]
    means = upper.groupby("kind")["per_weight"].mean()
    claim = findings["claims"]["C3-sep"]
    assert claim["value"] == pytest.approx(means["sep"] / means["words"], abs=1e-4)
    assert claim["low"] <= claim["value"] <= claim["high"]
    assert (claim["decided_on"], claim["n"]) == ("wikipedia", 2 * ARTICLES)
