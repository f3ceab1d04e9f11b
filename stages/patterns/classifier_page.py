"""How well the five patterns can be told apart (Kovaleva et al. 2019, section 4.1)."""

import json
from contextlib import suppress
from pathlib import Path

import pandas as pd
from sklearn.metrics import classification_report, cohen_kappa_score

from stages.core.pages.charts import matrix
from stages.core.pages.page import Figure, Page, Section, Table
from stages.core.pages.said import listed
from stages.core.verdicts.answers import NotMeasured, some_rows
from stages.core.verdicts.measures import Measures
from stages.patterns.labelled_maps import CLASSES
from stages.patterns.said import said_of_confusion
from stages.patterns.scores import confusions, f1, recalls, said_of_recalls
from stages.patterns.tables import CHANCE, FOLDS, MODELS, OUTSIDE

# Columns of the predictions, and what they are.
NAMES = {name: name.replace("_", " ") for name in MODELS}
PUBLISHED_F1 = 0.86  # Kovaleva et al. 2019, section 4.1
AGREEMENT = Path("data/patterns/agreement.json")


def sections(measures: Measures) -> list[Section]:
    folds = measures.frame(FOLDS)
    try:
        outside = [outside_section(some_rows(measures.frame(OUTSIDE)))]
    except NotMeasured:
        outside = []
    labels = _labels(json.loads(AGREEMENT.read_text(encoding="utf-8")))
    return [_folds(folds, bool(outside)), *outside, labels]


def in_short(measures: Measures) -> list[str]:
    """How well the networks tell the patterns, beside the baseline and the annotators."""
    agreement = json.loads(AGREEMENT.read_text(encoding="utf-8"))
    said = [said_of_f1(measures.frame(FOLDS), "labelled maps of folds that they did not learn")]
    with suppress(NotMeasured):
        outside = some_rows(measures.frame(OUTSIDE))
        corpus = outside["corpus"].iloc[0]
        own = outside[(outside["corpus"] == corpus) & (outside["rule"] == outside["rule"].iloc[0])]
        said.append(said_of_f1(own, f"maps of {corpus}, an encoder that they did not learn from"))
    look = agreement["first_look"]
    said.append(
        f"Two annotators, vision-language models, gave {look['agreement']:.0%} of "
        f"{look['maps']:,} maps the same label (Cohen's kappa {look['kappa']:.2f}); Kovaleva et "
        f"al. print an F1 of {PUBLISHED_F1:.2f}, on their own labels."
    )
    return said


def said_of_f1(scored: pd.DataFrame, maps: str) -> str:
    """Weighted F1 of every model on some maps.

    Args:
        scored: as FOLDS, or as OUTSIDE of one rule.
        maps: what they are.
    """
    values = {
        name: float(f1(confusions(scored, model).sum(1), "weighted").mean())
        for model, name in NAMES.items()
    }
    parts = [f"{value:.2f} ({name})" for name, value in values.items()]
    return f"Weighted F1 on {maps}: {listed(parts)}."


def _folds(folds: pd.DataFrame, has_outside: bool) -> Section:
    counts = confusion(folds)
    chance = recalls(confusions(folds[folds["drawn_by"] == CHANCE], "network"))
    decided = (
        "The claims K2-joint are decided on the maps of the next section."
        if has_outside
        else "The claims K2-joint are decided on maps that chose nothing, which this configuration "
        "does not have."
    )
    return Section(
        "K2: the networks on maps that they did not see",
        "Each labelled map is predicted by models trained on the other folds; no sentence and no "
        f"head stands in two folds. Scores of the map alone are means over "
        f"{folds['start'].nunique()} random starts, the others are of one. The settings of the "
        "network were chosen with these folds in view, so that its scores here carry no verdict. "
        f"{decided}",
        (
            Figure(
                "classifier-confusion",
                "Labels and predictions",
                "Of the network. Rows are labels, columns predictions; each cell counts maps.",
                matrix(counts, "predicted", "label", "maps"),
                finding=said_of_confusion(counts, "label", "predicted", "the network"),
            ),
            Table(
                "classifier-scores",
                "Scores of the networks and of the baseline",
                "The network, which sorts all maps, mixes a deep path, eight convolution layers "
                "over the map and views of it whose last layer sees plain features as well, with "
                "a linear path over these features and their products two by two (its share is "
                "classifier.wide in params.yaml). Map alone has eight convolution layers that "
                "see the map and nothing else, as in the source: the claims K2-weighted and "
                "K2-macro are about it. The baseline is a logistic regression on the features.",
                pd.concat([_scores(folds, name) for name in NAMES]),
            ),
            Table("classifier-confusion", "Confusion matrix", "Of the network, in maps.", counts),
            Table(
                "classifier-encoders",
                "Scores for the maps of each encoder",
                "The networks learn from the maps of both; no head of either stands on both sides.",
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
            Table(
                "classifier-recall",
                "Recall of each class on maps drawn by chance",
                f"Of the network. {said_of_recalls(chance)} The 95% interval is Wilson's, with "
                "maps of one head counted as alike as they are.",
                chance,
            ),
        ),
    )


def outside_section(scored: pd.DataFrame) -> Section:
    """Scores on maps of recordings that were labelled, under each rule."""
    corpora = ", ".join(scored["corpus"].unique())
    parts = [
        part
        for (corpus, rule), rows in scored.groupby(["corpus", "rule"], sort=False)
        for part in _outside(corpus, rule, rows)
    ]
    return Section(
        "K2: the network on an encoder that it did not learn from",
        f"Maps of attention recorded elsewhere ({corpora}), drawn by chance over texts, layers and "
        "heads and labelled by two vision-language models, each by itself. The network that sorts "
        "the maps, trained on all labelled maps of other encoders, predicts them; no setting was "
        "chosen on them under the rule any, while the limits of the rule special "
        "(patterns.special in params.yaml) were. Its scores are means over "
        f"{scored['start'].nunique()} random starts.",
        tuple(parts),
    )


def _outside(corpus: str, rule: str, rows: pd.DataFrame) -> list[Table]:
    first = rows[rows["start"] == 0]
    known = rows[rows["label"] != ""]
    maps = int((first["label"] != "").sum())
    found = recalls(confusions(known, "network"))
    same = (first["first"] == first["second"]).mean()
    kappa = cohen_kappa_score(first["first"], first["second"], labels=CLASSES)
    scores = [
        {
            "model": name,
            "maps": maps,
            "agreement": (known["label"] == known[model]).mean(),
            **{f"{average}_f1": f1(counts, average).mean() for average in ("weighted", "macro")},
        }
        for model, name in NAMES.items()
        for counts in [confusions(known, model).sum(1)]
    ]
    left_out = len(first) - maps
    without = ""
    if left_out:
        without = f" {left_out} on which they differ, as a rule hard ones, are left out."
    return [
        Table(
            f"outside-scores-{corpus}-{rule}",
            f"Scores on {corpus} (rule {rule})",
            f"{maps} of {len(first)} maps.{without} The annotators agree on {same:.1%} of "
            f"all, Cohen's kappa {kappa:.2f}. Agreement is the share of maps to which a model "
            "gives their label; macro F1 is over the classes that occur.",
            pd.DataFrame(scores),
        ),
        Table(
            f"outside-recall-{corpus}-{rule}",
            f"Recall of each class on {corpus} (rule {rule})",
            f"Of the network. {said_of_recalls(found)} The 95% interval is Wilson's, with maps of "
            "one head counted as alike as they are.",
            found,
        ),
    ]


def confusion(folds: pd.DataFrame) -> pd.DataFrame:
    """One row a label and prediction of the network: the number of maps, mean over starts."""
    counts = confusions(folds, "network").sum(1).mean(0)
    return pd.DataFrame(
        {"label": label, "predicted": predicted, "maps": counts[row, column]}
        for row, label in enumerate(CLASSES)
        for column, predicted in enumerate(CLASSES)
    )


def _scores(folds: pd.DataFrame, model: str) -> pd.DataFrame:
    reports = []
    for _, rows in folds.groupby("start"):
        report = classification_report(
            rows["label"], rows[model], labels=CLASSES, output_dict=True, zero_division=0.0
        )
        report.pop("accuracy", None)
        reports.append(pd.DataFrame(report).T.rename_axis("pattern"))
    table = sum(reports) / len(reports)
    table = table.rename(columns={"f1-score": "f1", "support": "maps"}).astype({"maps": int})
    table = table.reset_index()
    table.insert(0, "model", NAMES[model])
    return table


def _by(folds: pd.DataFrame, column: str) -> pd.DataFrame:
    return pd.DataFrame(
        {
            column: value,
            "maps": len(rows) // folds["start"].nunique(),
            "model": name,
            **{f"{average}_f1": f1(counts, average).mean() for average in ("weighted", "macro")},
        }
        for value, rows in folds.groupby(column, sort=False)
        for model, name in NAMES.items()
        for counts in [confusions(rows, model).sum(1)]
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
        "first_against_final": "The first annotator's label is the final one on {agreement:.1%} of "
        "{maps} maps, kappa {kappa:.2f}: so much one look is worth, as far as the last is right.",
    }
    parts = [text.format(**agreement[look]) for look, text in looks.items() if look in agreement]
    return Section(
        "The labels",
        f"Annotators are vision-language models, no people. {' '.join(parts)} Models of one kind "
        "may agree more than people would. No classifier can be expected to agree with the labels "
        "much better than the labels with each other.",
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
    columns = "final" if look.endswith("final") else "second"
    counts = pd.DataFrame(
        {"first": first, columns: second, "maps": maps}
        for first, row in zip(classes, agreement["first_by_second"], strict=True)
        for second, maps in zip(classes, row, strict=True)
    )
    title = f"First and {columns} label, {look}"
    return (
        Figure(
            name,
            title,
            f"Rows are the first labels, columns the {columns}; each cell counts maps.",
            matrix(counts, columns, "first", "maps"),
            finding=said_of_confusion(counts, "first", columns, f"the {columns} label"),
        ),
        Table(name, title, "Maps.", counts),
    )


PAGE = Page(
    order=3,
    group="Where heads look",
    title="Telling patterns apart",
    summary="The classifier of attention patterns on honest folds.",
    studies=("K2",),
    sections=sections,
    in_short=in_short,
)
