"""How well the five patterns can be told apart (Kovaleva et al. 2019, section 4.1)."""

import json
from pathlib import Path

import pandas as pd
from sklearn.metrics import classification_report, f1_score

from stages.core.pages.charts import matrix
from stages.core.pages.page import Figure, Page, Section, Table
from stages.core.verdicts.measures import Measures
from stages.patterns.labelled_maps import CLASSES
from stages.patterns.tables import FOLDS

# Columns of the folds' predictions, and what they are.
MODELS = {"network": "network", "deep_path": "deep path", "baseline": "baseline"}
AGREEMENT = Path("data/patterns/agreement.json")


def sections(measures: Measures) -> list[Section]:
    folds = measures.frame(FOLDS)
    counts = confusion(folds)
    return [
        Section(
            "K2: the network on maps that it did not see",
            "Each labelled map is predicted by the network trained on the other folds; no sentence "
            "and no head stands in two folds.",
            (
                Figure(
                    "classifier-confusion",
                    "Labels and predictions",
                    "Rows are labels, columns predictions; each cell counts maps.",
                    matrix(counts, "predicted", "label", "maps"),
                ),
                Table(
                    "classifier-scores",
                    "Scores of the network and of the baseline",
                    "The network mixes a deep path, eight convolution layers whose last layer sees "
                    "plain features of the map as well, with a linear path over these features and "
                    "their products two by two (its share is `classifier.wide` in params.yaml). "
                    "The claims K2-joint are about this mixture, which classifies all maps, the "
                    "others about the deep path alone. The baseline is a "
                    "logistic regression on the features. These were chosen with the folds in "
                    "view, so the scores are somewhat too high for heads of other encoders.",
                    pd.concat([_scores(folds, name) for name in MODELS]),
                ),
                Table("classifier-confusion", "Confusion matrix", "Maps.", counts),
                Table(
                    "classifier-encoders",
                    "Scores for the maps of each encoder",
                    "The networks learn from the maps of both; no head of either stands on both "
                    "sides.",
                    _by(folds, "encoder"),
                ),
                Table(
                    "classifier-draws",
                    "Scores by how the maps were drawn",
                    "chance: as frequent as the classes are. The other draws are balanced over the "
                    "classes by a guess: rough, from plain features; maps, by an earlier "
                    "classifier's guess of each map, so that what it confuses is over-drawn; "
                    "heads, by its guesses for a head, whose maps are then left to chance.",
                    _by(folds, "drawn_by"),
                ),
            ),
        ),
        _labels(json.loads(AGREEMENT.read_text(encoding="utf-8"))),
    ]


def confusion(folds: pd.DataFrame) -> pd.DataFrame:
    """One row a label and prediction: the number of maps."""
    table = pd.crosstab(folds["label"], folds["network"])
    table = table.reindex(index=CLASSES, columns=CLASSES, fill_value=0)
    return (
        table.rename_axis(index="label", columns="predicted").stack().rename("maps").reset_index()
    )


def _scores(folds: pd.DataFrame, model: str) -> pd.DataFrame:
    report = classification_report(
        folds["label"], folds[model], labels=CLASSES, output_dict=True, zero_division=0.0
    )
    report.pop("accuracy", None)
    table = pd.DataFrame(report).T.rename_axis("pattern").reset_index()
    table = table.rename(columns={"f1-score": "f1", "support": "maps"}).astype({"maps": int})
    table.insert(0, "model", MODELS[model])
    return table


def _by(folds: pd.DataFrame, column: str) -> pd.DataFrame:
    return pd.DataFrame(
        {
            column: value,
            "maps": len(maps),
            "model": name,
            **{
                f"{average}_f1": f1_score(
                    maps["label"], maps[model], labels=CLASSES, average=average, zero_division=0.0
                )
                for average in ("weighted", "macro")
            },
        }
        for value, maps in folds.groupby(column, sort=False)
        for model, name in MODELS.items()
    )


def _labels(agreement: dict) -> Section:
    """How far the two who labelled the maps agree, and the two who looked closer."""
    looks = {
        "first_look": "{maps} maps were labelled twice, independently, from rendered images: both "
        "agree on {agreement:.1%}, Cohen's kappa {kappa:.2f}.",
        "closer_look": "{maps} maps, those that were doubtful after the first look and those drawn "
        "later, were labelled by two others from larger pictures, which counts instead: they agree "
        "on {agreement:.1%}, kappa {kappa:.2f}; where they differ, most of three or a last look "
        "decided.",
    }
    parts = [text.format(**agreement[look]) for look, text in looks.items() if look in agreement]
    return Section(
        "The labels",
        " ".join(parts) + " No classifier can be expected to agree with the labels much better "
        "than the labels with each other.",
        tuple(
            part
            for look in looks
            if look in agreement
            for part in _confusion(agreement[look], look.replace("_", " "))
        ),
    )


def _confusion(agreement: dict, look: str) -> tuple[Figure, Table]:
    """Both annotators' labels against each other."""
    name = f"classifier-labels-{look.replace(' ', '-')}"
    classes = agreement["classes"]
    counts = pd.DataFrame(
        {"first": first, "second": second, "maps": maps}
        for first, row in zip(classes, agreement["first_by_second"], strict=True)
        for second, maps in zip(classes, row, strict=True)
    )
    title = f"First and second label, {look}"
    return (
        Figure(
            name,
            title,
            "Rows are the first labels, columns the second; each cell counts maps.",
            matrix(counts, "second", "first", "maps"),
        ),
        Table(name, title, "Maps.", counts),
    )


PAGE = Page(
    order=3,
    title="Telling patterns apart",
    summary="The classifier of attention patterns on honest folds.",
    studies=("K2",),
    sections=sections,
)
