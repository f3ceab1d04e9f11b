"""Making an encoder: vocabulary, pairs, training; and the folder in which it is kept."""

import json
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import torch
from transformers import BertForMaskedLM, BertTokenizer

from stages.core.closure import code_run_by
from stages.core.finished import run_folder
from stages.core.kept_encoders import FACTS_FILE, hashes
from stages.core.runtime.runtime import Runtime, start
from stages.core.scratch import open_scratch
from stages.core.stage.files import InputError, atomic, remove
from stages.core.stage.places import SCRATCH
from stages.pretrain.heads import HeadCourse, course_table
from stages.pretrain.held_out import HeldOut, Score, shares, unigram
from stages.pretrain.kept import BY_TEXT, CURVE_FILE, HEADS_FILE, PLACES
from stages.pretrain.pairs import Masking, Pairs, make_pairs
from stages.pretrain.settings import Pretrain, in_bf16
from stages.pretrain.text import fingerprint_of, read_texts, split
from stages.pretrain.training import EVALUATED, MaskedSteps, Watch, fresh_model, pretrain
from stages.pretrain.vocabulary import learn_vocabulary, tokenizer_of

RUNS = SCRATCH / "pretrain"
VOCABULARY = "vocab.txt"
PLACES_OF_HEADS = 4  # decimal places of shares of attention


class Prepared(NamedTuple):
    """A text as the encoder learns it.

    Attributes:
        facts: counts of its texts, pairs and tokens.
    """

    vocabulary: dict[str, int]
    learnt: Pairs
    held_out: Pairs
    facts: dict[str, Any]


def prepare(texts: list[list[str]], settings: Pretrain) -> Prepared:
    """Learn a vocabulary of the texts that are learnt, and make pairs of all."""
    learnt, held_out = split(texts, settings.held_out, settings.seed)
    vocabulary = learn_vocabulary(
        learnt, settings.vocabulary, settings.least_count, settings.lowercase
    )
    tokenizer = tokenizer_of(vocabulary, settings.lowercase, settings.max_length)
    pairs = [
        make_pairs(split_texts, tokenizer, settings.max_length)
        for split_texts in (learnt, held_out)
    ]
    if not all(map(len, pairs)):
        raise InputError("`pretrain.text` has too little text for one pair; name a larger file")
    facts = {
        "texts": len(learnt),
        "paragraphs": sum(map(len, learnt)),
        "characters": sum(len(paragraph) for text in learnt for paragraph in text),
        "tokens": len(pairs[0].tokens),
        "pairs": len(pairs[0]),
        "entries": len(vocabulary),
        "unknown": round(float((pairs[0].tokens == tokenizer.unk_token_id).mean()), PLACES),
        "held_out_texts": len(held_out),
        "held_out_pairs": len(pairs[1]),
    }
    return Prepared(vocabulary, pairs[0], pairs[1], facts)


def make(name: str, settings: Pretrain, runtime: Runtime, target: Path) -> None:
    """Make the encoder `name` into the folder `target`, which it replaces at the end.

    Killed and called again, it goes on from its last saved state, to the same bits.
    """
    texts = read_texts(Path(settings.text))
    text = fingerprint_of(texts)
    identity = [settings.learnt, text, runtime.threads]
    scratch = run_folder(RUNS / name, identity, code_run_by(__name__), runtime)
    open_scratch(scratch)
    began = time.monotonic()
    prepared = prepare(texts, settings)
    print(f"{name}: {time.monotonic() - began:.0f} s for vocabulary and pairs", flush=True)
    del texts
    print(f"{name}: {prepared.facts}", flush=True)
    device = start(runtime, settings.seed)
    tokenizer = tokenizer_of(prepared.vocabulary, settings.lowercase, settings.max_length)
    model = fresh_model(settings, tokenizer, device)
    masking = Masking(tokenizer, settings.masked, settings.seed)
    # Evaluation asks for other tokens than any step of the training.
    unseen = Masking(tokenizer, settings.masked, settings.seed + 1)
    held_out = HeldOut(prepared.held_out, unseen, settings.batch_tokens, settings.seed)
    heads = HeadCourse(prepared.held_out, tokenizer, settings.seed)
    steps = MaskedSteps(prepared.learnt, masking, settings)
    watch = Watch(held_out, heads, settings, device)
    curve = pretrain(model, steps, watch, settings, runtime, device, scratch)
    frequencies = shares(prepared.learnt.tokens, len(tokenizer))
    with atomic(target) as folder:
        folder.mkdir()
        save(folder, model, tokenizer)
        halved = BertForMaskedLM.from_pretrained(folder, dtype=torch.float32).to(device)
        by_text = held_out.by_text(halved, device, frequencies)
        by_text.round(PLACES).to_csv(folder / BY_TEXT, index=False)
        facts = {
            "name": name,
            "settings": settings.learnt,
            "text": {"file": Path(settings.text).name, "sha256": text, **prepared.facts},
            "steps": int(curve[-1]["step"]),
            "held_out": {
                "encoder": held_out.score(halved, device).rounded(),
                "unigram": Score.of(*unigram(frequencies, held_out.answers)).rounded(),
            },
            "precision": "bf16" if in_bf16(settings.precision, device) else "fp32",
            "parameters": halved.num_parameters(),
            "made_with": {name: version(name) for name in ("torch", "transformers", "tokenizers")},
        }
        write_facts(folder, facts, curve)
    remove(RUNS / name)


def save(folder: Path, model: BertForMaskedLM, tokenizer: BertTokenizer) -> None:
    """Write the encoder with its head for masked words, halved in precision, and its tokenizer."""
    halved = {name: tensor.detach().cpu().half() for name, tensor in model.state_dict().items()}
    copy = BertForMaskedLM(model.config).half()
    copy.load_state_dict(halved)
    # Whoever loads it computes in full precision unless they ask for less.
    copy.config.dtype = torch.float32
    copy.save_pretrained(folder)
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    config["dtype"] = "float32"
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    tokenizer.save_pretrained(folder)
    entries = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    lines = "".join(f"{piece}\n" for piece, _ in entries)
    (folder / VOCABULARY).write_text(lines, encoding="utf-8")


def write_facts(folder: Path, facts: dict[str, Any], curve: Sequence[dict[str, Any]]) -> None:
    """Write the curve, what heads looked at, and the facts with the SHA-256 of every file."""
    table = pd.DataFrame(curve).rename(columns={EVALUATED: "loss", "held_out_accuracy": "accuracy"})
    table = table[["step", "loss", "accuracy"]].round(PLACES)
    table.to_csv(folder / CURVE_FILE, index=False)
    course_table(curve).round(PLACES_OF_HEADS).to_csv(folder / HEADS_FILE, index=False)
    content = json.dumps({**facts, "sha256": hashes(folder)}, indent=2, ensure_ascii=False)
    (folder / FACTS_FILE).write_text(content + "\n", encoding="utf-8")
