"""Give every claim its verdict: `reports/findings.json` and `reports/metrics.json`."""

import gc
import json
from pathlib import Path
from typing import Any, get_args

import stages.findings
from stages.core.corpora.entries import load_corpus_entry
from stages.core.intervals.intervals import LEVEL
from stages.core.questions.task import load_question_task
from stages.core.stage.arms import RECORDED
from stages.core.stage.files import atomic
from stages.core.stage.settings import section
from stages.core.stage.training import Training
from stages.core.stimuli.entries import load_stimuli_entry
from stages.core.tasks.task import load_task
from stages.core.verdicts.answers import Answer, NotMeasured
from stages.core.verdicts.claims import (
    SUMMARIES,
    ClaimsFile,
    Settings,
    answer,
    module_of,
    read_claims,
    source_setting,
)
from stages.core.verdicts.findings import (
    FINDINGS_FILE,
    NOT_MEASURED,
    Finding,
    Findings,
    NotShown,
    judged,
    rounded,
)
from stages.core.verdicts.learnt import left_out
from stages.core.verdicts.measures import Measures, open_measures
from stages.core.verdicts.models import by_model, recorded_models, recorded_of_sets
from stages.core.verdicts.region import Verdict
from stages.core.verdicts.setting import (
    Setting,
    Unknown,
    arm_of,
    merged,
    setting_of_corpus,
    setting_of_questions,
    setting_of_stimuli,
    setting_of_task,
)
from stages.core.verdicts.trained import trainings

METRICS_FILE = Path("reports/metrics.json")


def run_stage() -> None:
    """Decide every claim of data/claims.yaml from work/measures; write findings and metrics."""
    measures = open_measures()
    findings = decided(measures)
    write_json(FINDINGS_FILE, findings.model_dump())
    write_json(METRICS_FILE, metrics(findings, measures))


def decided(measures: Measures) -> Findings:
    """The content of findings.json by what was measured, in the folder of `params.yaml`."""
    stages.findings.load()
    gc.freeze()  # statsmodels collects garbage at every correction: modules are none
    settings = section(Settings, "findings")
    ledger = read_claims()
    claims, not_shown = decide(ledger, measures, settings)
    return Findings(
        configuration=settings.configuration,
        level=LEVEL,
        checkpoint=section(dict[str, Any], "checkpoint"),
        models=list(by_model(measures)),
        papers={paper.cited: paper.urls for paper in ledger.papers.values() if paper.urls},
        tasks=measures.primary,
        seeds=measures.seeds,
        questions=measures.questions,
        recorded=recorded_models(measures.corpora) | recorded_of_sets(measures.sets),
        not_learnt=left_out(measures),
        claims=claims,
        not_shown=not_shown,
    )


def decide(
    content: ClaimsFile, measures: Measures, settings: Settings
) -> tuple[dict[str, Finding], dict[str, NotShown]]:
    """Every claim with its verdict, or with the reason why it has none."""
    claims, not_shown = {}, {}
    models = by_model(measures)
    trained = trainings(measures, models)
    for claim in content.claims:
        paper, reason = content.papers[claim.paper], claim.absent
        if not reason:
            try:
                measures.read.clear()
                found = answer(claim, paper, measures, settings)
                origin = {"module": module_of(claim), "read": sorted(measures.read)}
                model = model_of(found, models)
                here = setting_here(found, models.get(model, measures), trained[model])
                source = source_setting(claim, content)
                claims[claim.id] = judged(
                    claim, paper.cited, found, source, here, model, paper.layers_from, **origin
                )
                continue
            except NotMeasured as error:
                reason = f"{NOT_MEASURED}{error}."
        shared = claim.model_dump(include={"study", "section", "statement", "kind"})
        not_shown[claim.id] = NotShown(
            **shared, paper=paper.cited, published=claim.published, reason=reason
        )
    return claims, not_shown


def model_of(found: Answer, models: dict[str, Measures]) -> str:
    """The model that a claim is decided on; empty where it is decided on data of none."""
    names = set(_decisive(found))
    fitting = [
        name
        for name, one in models.items()
        if names & {*one.tasks, *one.corpora, *one.sets, *one.questions}
    ]
    return fitting[0] if fitting else ""


def _decisive(found: Answer) -> list[str]:
    """The tasks or corpora that decide a claim."""
    return found.decided_on.split(", ") if found.decided_on else list(found.tasks)


def setting_here(found: Answer, measures: Measures, training: Training | Unknown | None) -> Setting:
    """What the data that decide a claim are (tasks, corpora, sets), and the encoder.

    Args:
        measures: of the model that the claim is decided on.
        training: what that was trained on.
    """
    names = _decisive(found)
    corpora = list(section(dict[str, Any], "corpora"))
    data = [
        setting_of_corpus(load_corpus_entry(name))
        if name in corpora
        else setting_of_task(name, load_task(name))
        for name in names
        if name in corpora or name in measures.tasks
    ]
    data += [
        setting_of_stimuli(load_stimuli_entry(name)) for name in names if name in measures.sets
    ]
    data += [
        setting_of_questions(load_question_task(name))
        for name in names
        if name in measures.questions
    ]
    own = Setting(training=training, layers=measures.layers, arm=arm_of(found.arm))
    if found.arm == RECORDED:
        own = Setting(layers=measures.layers)
    return merged(data).with_changes(own) if data else own


def metrics(findings: Findings, measures: Measures) -> dict[str, Any]:
    """What `dvc metrics` shows: verdicts, values of claims, and the summary of every stage."""
    table: dict[str, Any] = {
        "verdicts": {name: findings.count(name) for name in get_args(Verdict)},
        "claims": {name: finding.value for name, finding in findings.claims.items()},
    }
    for name, summary in SUMMARIES.items():
        try:
            table[name] = all_rounded(summary(measures))
        except NotMeasured:
            continue
    return table


def all_rounded(figures: Any) -> Any:
    """Round every number of nested figures."""
    if isinstance(figures, dict):
        return {key: all_rounded(value) for key, value in figures.items()}
    return rounded(figures) if isinstance(figures, float) else figures


def write_json(path: Path, content: Any) -> None:
    """Write JSON in the order given, one value a line."""
    with atomic(path) as partial:
        partial.write_text(json.dumps(content, indent=2, allow_nan=False) + "\n", encoding="utf-8")
