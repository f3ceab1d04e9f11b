"""How well the five patterns can be told apart (Kovaleva et al. 2019, section 4.1)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.metrics import classification_report, cohen_kappa_score

from stages.core.pages.declared import Page, Section
from stages.core.pages.kinds import Grid, Kind, Matrix
from stages.core.tables import count
from stages.core.verdicts.answers import NotMeasured, some_rows
from stages.core.verdicts.measures import Measures
from stages.patterns.labelled_maps import CLASSES
from stages.patterns.scores import confusions, f1, recalls
from stages.patterns.tables import CHANCE, FOLDS, MODELS, OUTSIDE

MODEL_NAMES = {name: name.replace("_", " ") for name in MODELS}
AGREEMENT = Path("data/patterns/agreement.json")
LOOKS = {
    "first_look": "First look: two annotators, from rendered images",
    "closer_look": "Closer look: two others, from larger pictures of doubtful and later maps",
    "first_against_final": "First label against the final one",
}
RECALL = (
    "Of the network. The 95% interval is Wilson's, with maps of one head counted as alike as they "
    "are; `known` says whether it reaches at most 10 points to either side."
)

Rows = Callable[[Measures], pd.DataFrame]


def confusion(measures: Measures) -> pd.DataFrame:
    """One row a label and prediction of the network: the number of maps, mean over starts."""
    counts = confusions(measures.rows(FOLDS), "network").sum(1).mean(0)
    return pd.DataFrame(
        {"label": label, "predicted": predicted, "maps": counts[row, column]}
        for row, label in enumerate(CLASSES)
        for column, predicted in enumerate(CLASSES)
    )


def class_scores(measures: Measures) -> pd.DataFrame:
    """One row a model and class: precision, recall, F1 and the number of maps, mean over starts."""
    folds, tables = measures.rows(FOLDS), []
    for model, title in MODEL_NAMES.items():
        reports = []
        for _, rows in folds.groupby("start"):
            report = classification_report(
                rows["label"], rows[model], labels=CLASSES, output_dict=True, zero_division=0.0
            )
            report.pop("accuracy", None)
            reports.append(pd.DataFrame(report).T.rename_axis("pattern"))
        table = sum(reports) / len(reports)
        table = table.rename(columns={"f1-score": "f1", "support": "maps"}).astype({"maps": int})
        tables.append(table.reset_index().assign(model=title))
    return pd.concat(tables, ignore_index=True)


def scores_by(column: str) -> Rows:
    """A function that returns the F1 of every model for each value of a column of the folds."""

    def rows(measures: Measures) -> pd.DataFrame:
        folds = measures.rows(FOLDS)
        return pd.DataFrame(
            {
                column: value,
                "maps": len(some) // folds["start"].nunique(),
                "model": title,
                **mean_f1(some, model),
            }
            for value, some in folds.groupby(column, sort=False)
            for model, title in MODEL_NAMES.items()
        )

    return rows


def mean_f1(scored: pd.DataFrame, model: str) -> dict[str, float]:
    """Weighted and macro F1 of a model, mean over random starts."""
    counts = confusions(scored, model).sum(1)
    return {f"{average}_f1": float(f1(counts, average).mean()) for average in ("weighted", "macro")}


def recall_on_chance(measures: Measures) -> pd.DataFrame:
    """Recall of each class on labelled maps that were drawn by chance."""
    return recalls(confusions(measures.rows(FOLDS.where(drawn_by=CHANCE)), "network"))


def outside_scores(measures: Measures) -> pd.DataFrame:
    """One row a recording, rule and model: agreement with the labels and F1, mean over starts.

    Beside them the agreement of the two annotators, and its kappa.
    """
    table = []
    for (data, rule), rows in measures.rows(OUTSIDE).groupby(["data", "rule"], sort=False):
        first, labelled = rows[rows["start"] == 0], rows[rows["label"] != ""]
        annotators = {
            "annotators_agree": (first["first"] == first["second"]).mean(),
            "kappa": cohen_kappa_score(first["first"], first["second"], labels=CLASSES),
        }
        for model, title in MODEL_NAMES.items():
            table.append(
                {
                    "data": data,
                    "rule": rule,
                    "model": title,
                    "maps": int((first["label"] != "").sum()),
                    "of": len(first),
                    "agreement": (labelled["label"] == labelled[model]).mean(),
                    **mean_f1(labelled, model),
                    **annotators,
                }
            )
    return pd.DataFrame(table)


def outside_recall(measures: Measures) -> pd.DataFrame:
    """Recall of each class of every recording that was labelled, under each rule."""
    return pd.concat(
        [
            recalls(confusions(some_rows(rows[rows["label"] != ""]), "network")).assign(
                data=data, rule=rule
            )
            for (data, rule), rows in measures.rows(OUTSIDE).groupby(["data", "rule"], sort=False)
        ],
        ignore_index=True,
    )


def agreement() -> dict[str, Any]:
    """How far the annotators of the labelled maps agree."""
    return json.loads(AGREEMENT.read_text(encoding="utf-8"))


def annotators(measures: Measures) -> pd.DataFrame:
    """One row a look at the labelled maps: how many, the agreement and its kappa."""
    looks = agreement()
    return pd.DataFrame(
        {"look": title, **{name: looks[look][name] for name in ("maps", "agreement", "kappa")}}
        for look, title in LOOKS.items()
        if look in looks
    )


def labels_of(look: str) -> Rows:
    """A function that returns one row a pair of labels of one look: the number of maps."""

    def rows(measures: Measures) -> pd.DataFrame:
        counts = agreement().get(look)
        if counts is None:
            raise NotMeasured(f"nobody took the {look.replace('_', ' ')}")
        return pd.DataFrame(
            {"first": first, "second": second, "maps": maps}
            for first, row in zip(counts["classes"], counts["first_by_second"], strict=True)
            for second, maps in zip(counts["classes"], row, strict=True)
        )

    return rows


def matrix_of(look: str, title: str) -> Kind:
    """Both annotators' labels against each other."""
    name = f"classifier-labels-{look.replace('_', '-')}"
    return Matrix(name, title, labels_of(look), "maps", of=count("maps"), x="second", y="first")


PAGE = Page(
    title="Telling patterns apart",
    summary="The classifier of attention patterns on honest folds.",
    group="Where heads look",
    order=3,
    studies=("K2",),
    content=(
        Section(
            "K2: the networks on maps that they did not see",
            "Models trained on the other folds predict each labelled map; no sentence and no head "
            "stands in two folds. The settings of the network were chosen with these folds in "
            "view, so its scores here carry no verdict: the claims K2-joint are decided on maps of "
            "recordings that were labelled. The network mixes a deep path, eight convolution "
            "layers over the map and views of it, with a linear path over plain features. `map "
            "alone` has eight convolution layers that see nothing else, as in the source. The "
            "baseline is a logistic regression on the features.",
            (
                Matrix(
                    "classifier-confusion",
                    "Labels (rows) and predictions of the network",
                    confusion,
                    "maps",
                    of=count("maps"),
                    x="predicted",
                    y="label",
                ),
                Grid("classifier-scores", "Scores of every model", class_scores),
                Grid(
                    "classifier-encoders",
                    "Scores for the maps of each encoder",
                    scores_by("checkpoint"),
                    titles={"checkpoint": "encoder"},
                ),
                Grid(
                    "classifier-draws",
                    "Scores by how the maps were drawn",
                    scores_by("drawn_by"),
                    caption="chance: as frequent as the classes are. Other draws balance the "
                    "classes by a guess: rough, from plain features; maps, by an earlier "
                    "classifier's guess of each map; heads, by its guesses for a head.",
                ),
                Grid("classifier-recall", "Recall of each class", recall_on_chance, caption=RECALL),
            ),
        ),
        Section(
            "K2: the network on an encoder that it did not learn from",
            "Maps of attention recorded elsewhere, drawn by chance over texts, layers and heads. "
            "Two vision-language models labelled each of them independently; maps on which they "
            "differ are left out. The network learnt from all labelled maps of other encoders. "
            "No setting was chosen on these maps under the rule any; the limits of the rule "
            "special (patterns.special in params.yaml) were.",
            (
                Grid("outside-scores", "Agreement and F1", outside_scores, titles={"of": "of all"}),
                Grid("outside-recall", "Recall of each class", outside_recall, caption=RECALL),
            ),
        ),
        Section(
            "The labels",
            "Annotators are vision-language models, no people. Models of one kind may agree more "
            "than people would. No classifier can be expected to agree with the labels much "
            "better than the labels with each other. Doubtful maps and maps that were drawn later "
            "got a closer look, which counts instead of the first.",
            (
                Grid("classifier-labels", "Agreement of the annotators", annotators),
                *(matrix_of(look, title) for look, title in LOOKS.items()),
            ),
        ),
    ),
)
