"""The pattern classifier on labelled maps outside of those that it learnt from (K2, K3).

They are of attention that others recorded, drawn by chance: of an encoder none of whose heads the
classifier learnt from, and on which none of its settings was chosen; only the limits of the rule
`special` were. Their labels correct the shares of patterns that `text_patterns` found.
"""

import numpy as np
import pandas as pd
import torch
from jaxtyping import Float, Int

from stages.core.recordings.recording import open_texts
from stages.core.recordings.store import MapStore
from stages.core.stage.arms import RECORDED
from stages.core.stage.files import InputError
from stages.core.stage.places import CLASSIFIER
from stages.core.stage.settings import section
from stages.patterns.classifier.stage import LABELLED, fit_baseline, network_codes
from stages.patterns.corrected import corrected_table
from stages.patterns.features import feature_table
from stages.patterns.labelled_maps import CLASSES, read_labelled
from stages.patterns.map_alone import MAP_ALONE, MapAlone
from stages.patterns.map_file import Map
from stages.patterns.network import load_networks
from stages.patterns.outside import read_labels, read_outside
from stages.patterns.scores import confusions
from stages.patterns.special import SpecialRule, attention_parts, special_tokens, under_special
from stages.patterns.tables import ANY, OUTSIDE, OUTSIDE_CORRECTED, SPECIAL, TEXT_SHARES
from stages.patterns.text_patterns.stage import TextPatterns


def parts_of_maps(
    maps: list[Map], tokens: pd.Series, rule: SpecialRule
) -> tuple[Float[np.ndarray, " map"], Float[np.ndarray, " map"]]:
    """Of each map the shares of attention on special tokens, and beyond these and neighbours."""
    found = []
    for weights, spelled in zip(maps, tokens, strict=True):
        special = torch.from_numpy(special_tokens(spelled.split(), rule.punctuation))
        to_special, beyond = attention_parts(
            torch.from_numpy(weights)[None], special, rule.neighbours
        )
        found.append((float(to_special), float(beyond)))
    to_special, beyond = np.array(found).T
    return to_special, beyond


def scored_table(
    maps: list[Map],
    table: pd.DataFrame,
    labels: pd.DataFrame,
    starts: list[dict[str, Int[np.ndarray, " map"]]],
    rule: SpecialRule,
) -> pd.DataFrame:
    """One row a random start, rule and map: what annotators and models say of it.

    Args:
        table: of `read_outside`.
        labels: of `read_labels`.
        starts: of each random start, and of each model, the classes under the rule `any`.
    """
    names, parts = np.array(CLASSES), parts_of_maps(maps, table["tokens"], rule)
    tables = []
    for start, codes in enumerate(starts):
        for name, of_rule in labels.groupby("rule", sort=False):
            said = table[["map", "example", "layer", "head"]].merge(of_rule, validate="one_to_one")
            predicted = {
                model: names[own if name == ANY else under_special(own, *parts, rule)]
                for model, own in codes.items()
            }
            tables.append(said.assign(start=start, **predicted))
    return pd.concat(tables, ignore_index=True)


def predictions(maps: list[Map]) -> list[dict[str, Int[np.ndarray, " map"]]]:
    """The class of each map by the models that learnt from all labelled maps.

    Returns:
        One entry a random start of the network; of the others there is one start or none.
    """
    data = read_labelled(LABELLED)
    baseline = fit_baseline(feature_table(data.maps), data.labels)
    once = {
        "map_alone": MapAlone.load(MAP_ALONE).predict(maps).argmax(1),
        "baseline": baseline.predict(feature_table(maps)),
    }
    return [network_codes(network, maps) | once for network in load_networks(CLASSIFIER)]


def corrected(scored: pd.DataFrame, corpus: str, seed: int) -> pd.DataFrame:
    """The corpus's shares of patterns, corrected under each rule by the labelled maps."""
    shares = TEXT_SHARES.where(arm=RECORDED).of(pd.read_parquet(TEXT_SHARES.path(corpus)))
    tables = []
    for rule in (ANY, SPECIAL):
        counts = confusions(scored[scored["rule"] == rule], "network")
        of_rule = corrected_table(shares[shares["rule"] == rule], counts, seed)
        tables.append(of_rule.assign(rule=rule))
    return pd.concat(tables, ignore_index=True)


def run_stage(corpus: str) -> None:
    """Score the pattern classifier on the labelled maps of CORPUS, which others recorded.

    Raises:
        InputError: its attention runs here, so that no map of it is kept.
    """
    torch.set_num_threads(1)
    parameters = section(TextPatterns, "text_patterns")
    rule = section(SpecialRule, "patterns.special")
    folder = LABELLED / corpus
    maps_of_corpus = open_texts(corpus).folder / "maps"
    if not maps_of_corpus.is_dir():
        raise InputError(
            f"params.yaml: `text_patterns.labelled` has {corpus}, whose attention nobody recorded; "
            "take it out"
        )
    table, maps = read_outside(folder, MapStore(maps_of_corpus))
    labels = read_labels(folder, table["map"].tolist())
    scored = scored_table(maps, table, labels, predictions(maps), rule)
    OUTSIDE.write(scored, data=corpus)
    OUTSIDE_CORRECTED.write(corrected(scored, corpus, parameters.seed), data=corpus, arm=RECORDED)
