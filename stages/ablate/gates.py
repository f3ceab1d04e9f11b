"""The outcome of every gate on every example (Kovaleva et al. 2019, 4.6; query-title study, 2.1).

Apart from `stage.py`: an edited statistic, or another number of resamples, runs no gate anew.
"""

from pathlib import Path

from stages.ablate.settings import Ablate
from stages.core.closure import code_run_by
from stages.core.encoder.batches import encode
from stages.core.encoder.checkpoint import load_tuned
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.finished import files_in, finishing, is_finished, result, run_folder
from stages.core.grid.grid import Grid, mean_outputs
from stages.core.grid.run import run_gates
from stages.core.heads.seam import Gated
from stages.core.outcomes.outcomes import write_outcomes
from stages.core.runtime.runtime import read_runtime, start
from stages.core.scratch import open_scratch
from stages.core.stage.arms import Arm
from stages.core.stage.places import SCRATCH, examples_file, model_folder
from stages.core.tasks.examples import draw_examples, read_examples
from stages.core.tasks.task import load_task

RUNS = SCRATCH / "ablate"
OUTCOMES = "outcomes"  # among the results of a run


def outcomes_of(task: str, arm: Arm, seed: int, settings: Ablate) -> Path:
    """The folder of the outcomes of one model: a folder for each set of gates.

    Outcomes that are finished stay. A killed run goes on with the first batch that it lacks.
    """
    max_length = load_task(task).max_length
    run = run_folder(
        RUNS / task / f"{arm}-{seed}",
        [settings.of_gates(arm), max_length],
        [
            *files_in(model_folder(task, arm, seed)),
            *(examples_file(task, split) for split in ("train", "validation")),
            *code_run_by(__name__),
        ],
        read_runtime(),
    )
    if is_finished(run):
        print(f"{task} {arm} {seed}: kept, as nothing changed that it depends on")
    else:
        run_every_gate(task, arm, seed, settings, max_length, run)
    return result(run, OUTCOMES)


def run_every_gate(
    task: str, arm: Arm, seed: int, settings: Ablate, max_length: int, run: Path
) -> None:
    """Write the outcomes of one model to the folder `run`, which holds the finished batches."""
    runtime = read_runtime()
    device = start(runtime, settings.seed)
    model, batch = model_folder(task, arm, seed), settings.batch_of(arm)
    tokenizer = load_tokenizer(model)
    gated = Gated(load_tuned(model).to(device))
    validation, train = (
        read_examples(examples_file(task, split)) for split in ("validation", "train")
    )
    sets = settings.gate_sets(task, arm, gated.layers, gated.heads)
    means = None
    if any(gate.mode == "mean" for gate_set in sets for gate in gate_set.gates):
        reference = draw_examples(train, settings.reference, settings.seed)
        encoded = encode(tokenizer, reference, max_length)
        means = mean_outputs(gated, encoded.batches(batch, device))
    open_scratch(run)
    with finishing(run) as folder:
        for name, gates, count in sets:
            examples = draw_examples(validation, count, settings.seed)
            logits = run_gates(
                Grid(gated, gates, means, settings.precision),
                encode(tokenizer, examples, max_length),
                batch,
                runtime,
                run / name,
                model,
            )
            outcomes = folder / OUTCOMES / name
            write_outcomes(outcomes, gates, examples, *logits, settings.precision)
