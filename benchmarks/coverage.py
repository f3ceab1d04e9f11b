"""How often intervals cover the truth, and show an effect, at the sizes that studies have.

Data are drawn anew from a population whose truth is known, and each time the interval is made as
the stages make it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import pandas as pd
from tqdm import tqdm

from benchmarks.populations import Gates, cases, correlation_lost, scores, true_effects
from stages.core.intervals.groups import group_means, group_ratio
from stages.core.intervals.held_out import held_out
from stages.core.intervals.intervals import percentile_interval
from stages.core.outcomes.choices import halve, held_out_choice
from stages.core.outcomes.effects import curve_points
from stages.core.outcomes.outcomes import Outcomes
from stages.core.outcomes.paired import one_more_each_way, paired_effects, resample
from stages.core.verdicts.estimates import Estimate, over_seeds

RESAMPLES, SPLITS = 1000, 1000  # as params.yaml has them
SOME_LEAST_RUNS = 40

# What a run says: the truth, the low and the high limit.
Found = tuple[float, float, float]


@dataclass(frozen=True)
class Setting:
    """A kind of interval, asked of data of one kind and size.

    `share` of the runs is made: those of large data take long.
    """

    method: str
    words: str
    n: int
    run: Callable[..., Found]
    share: float = 1.0


def measure(settings: Sequence[Setting], runs: int) -> pd.DataFrame:
    """Ask every setting `runs` times.

    Returns:
        method, setting, n, runs, truth, coverage, width (mean), power (share of intervals without
        0; where the truth is 0, of wrong alarms).
    """
    rows = []
    for number, setting in enumerate(tqdm(settings, unit="setting")):
        count = max(SOME_LEAST_RUNS, round(setting.share * runs))
        generator = np.random.default_rng(number)
        found = np.array([setting.run(generator=generator) for _ in range(count)])
        # What halves choose is another gate in other data: the truth is its mean.
        truth, (low, high) = found[:, 0].mean(), found[:, 1:].T
        rows.append(
            {
                "method": setting.method,
                "setting": setting.words,
                "n": setting.n,
                "runs": count,
                "truth": truth,
                "coverage": np.mean((low <= truth) & (truth <= high)),
                "width": np.mean(high - low),
                "power": np.mean((low > 0) | (high < 0)),
            }
        )
    return pd.DataFrame(rows)


def one_gate(gates: Gates, metric: str, count: int, generator: np.random.Generator) -> Found:
    """One head off."""
    return _of_gate(gates.draw(count, generator, metric), float(true_effects(gates, metric)[0]))


def one_score(count: int, generator: np.random.Generator) -> Found:
    """One head off, where the task is a score."""
    return _of_gate(scores(count, generator), correlation_lost())


def rare(won: float, lost: float, count: int, generator: np.random.Generator) -> Found:
    """One head off that changes few examples."""
    change = generator.choice(3, p=[won, lost, 1 - won - lost], size=count)
    right = [np.where(change == side, 0.0, 1.0) for side in (0, 1)]
    table = pd.DataFrame(index=range(1))
    outcomes = Outcomes(table, "accuracy", np.ones(count), right[0], right[1][None])
    return _of_gate(outcomes, won - lost)


def _of_gate(outcomes: Outcomes, truth: float) -> Found:
    drawn = resample(outcomes, RESAMPLES, 0).effects
    drawn = drawn + one_more_each_way(outcomes, *drawn.shape, (0,))
    row = paired_effects(outcomes, drawn).iloc[0]
    return truth, row["low"], row["high"]


def mean_over_gates(gates: Gates, count: int, generator: np.random.Generator) -> Found:
    """The mean effect of all heads."""
    drawn = resample(gates.draw(count, generator, "accuracy"), RESAMPLES, 0).effects.mean(axis=0)
    return float(gates.effects.mean()), *map(float, percentile_interval(drawn))


def best_gate(gates: Gates, metric: str, count: int, generator: np.random.Generator) -> Found:
    """The best head or layer, chosen on one half and scored on the other."""
    outcomes = gates.draw(count, generator, metric)
    halves = halve(outcomes, SPLITS, 0)
    every = np.arange(len(gates.effects))
    choice = held_out_choice(halves, every, 1, resample(outcomes, RESAMPLES, 0))
    drawn = choice.drawn + one_more_each_way(outcomes, 1, RESAMPLES, (0,))[0]
    truth = true_effects(gates, metric)
    chosen = [side.argmax(axis=1) for side in (halves.on_first, halves.on_second)]
    return float(truth[chosen].mean()), *map(float, percentile_interval(drawn))


def random_share(
    draws: int, effect: float, between: float, count: int, generator: np.random.Generator
) -> Found:
    """The mean over draws of a share of heads, whose true effects differ from draw to draw."""
    effects = np.clip(generator.normal(effect, between, draws), -0.7, 0.15)
    outcomes = Gates(effects, noise=0.5).draw(count, generator, "accuracy")
    places = {"mode": "zero", "band": "all", "share": 0.2}
    drawn = Outcomes(
        outcomes.gates.assign(**places),
        "accuracy",
        outcomes.labels,
        outcomes.baseline,
        outcomes.gated,
    )
    (point,) = curve_points(drawn, resample(drawn, RESAMPLES, 0), 0)
    return effect, *map(float, percentile_interval(point.changes))


def three_seeds(effect: float, between: float, count: int, generator: np.random.Generator) -> Found:
    """The mean over three fine-tunings of a layer off, whose true effects differ."""
    effects = generator.normal(effect, between, 3)
    outcomes = Gates(effects, noise=0.5).draw(count, generator, "accuracy")
    drawn = resample(outcomes, RESAMPLES, 0).effects
    drawn = drawn + one_more_each_way(outcomes, 1, RESAMPLES, (0,))
    values = outcomes.after - outcomes.before
    found = over_seeds(
        [Estimate.of_drawn(value, line, count) for value, line in zip(values, drawn, strict=True)]
    )
    return effect, found.low, found.high


def mean_of_groups(
    share: float, alike: float, size: int, count: int, generator: np.random.Generator
) -> Found:
    """The share of right cases, texts drawn whole."""
    right, groups = cases([size] * count, np.array([share]), alike, generator)
    _, low, high = group_means(right.T, groups, RESAMPLES, 0)
    return share, float(low[0]), float(high[0])


def ratio_of_groups(count: int, generator: np.random.Generator) -> Found:
    """A ratio of two sums over texts, skewed, and of texts of unlike lengths."""
    lengths = generator.geometric(0.2, count).astype(float)
    parts = lengths * generator.lognormal(-2, 0.7, count)
    found = group_ratio(parts, lengths, np.arange(count), RESAMPLES, 0)
    return float(np.exp(-2 + 0.7**2 / 2)), found.low, found.high


def best_candidate(
    shares: np.ndarray, rival: float, size: int, count: int, generator: np.random.Generator
) -> Found:
    """What the best head gains over a baseline, chosen on one half of the texts."""
    both = np.append(shares, rival)
    right, groups = cases([size] * count, both, 0.2, generator)
    choice = held_out(right[:, :-1], right[:, -1:], groups, RESAMPLES, 0)
    return _expected_gain(tuple(shares), rival, size, count), choice.gain.low, choice.gain.high


@cache
def _expected_gain(shares: tuple[float, ...], rival: float, size: int, count: int) -> float:
    """What the head that one half of the texts chooses truly gains, mean over many halves."""
    generator, true = np.random.default_rng(1), np.array(shares)
    halves = (cases([size] * (count // 2), true, 0.2, generator)[0] for _ in range(400))
    return float(np.mean([true[half.mean(0).argmax()] for half in halves]) - rival)


def one_of(count: int, effect: float) -> np.ndarray:
    """No effect of any but one."""
    effects = np.zeros(count)
    effects[count // 2] = effect
    return effects


def _settings(
    method: str, words: str, sizes: Sequence[int], run: Callable[..., Found], share: float = 1.0
) -> list[Setting]:
    """One for each number of examples; the largest are asked less often."""
    return [
        Setting(method, words, n, partial(run, count=n), share * min(1, 256 / n)) for n in sizes
    ]


ONE_HEAD = "one head off: paired bootstrap, one more example each way"
BEST = "best of many, held out: what examples contribute"
OF_TEXTS = "groups of texts: BCa bootstrap"
SHARES = "random shares: examples and draws resampled"
SEEDS = "three seeds: t interval of seeds and bootstrap"
RAMP = Gates(np.linspace(-0.06, 0.02, 72), noise=0.08)
MRPC = Gates(np.array([-0.03]), noise=0.3, positive=0.68)
LAYERS = Gates(np.array([-0.01, -0.1, -0.13, -0.13, -0.07, -0.3]), noise=0.5)
PAIRED = [
    setting
    for won, lost in ((0.01, 0.01), (0.0, 0.01), (0.005, 0.025), (0.01, 0.05))
    for setting in _settings(
        ONE_HEAD, f"{won:.1%} won, {lost:.1%} lost", (128, 256, 800), partial(rare, won, lost)
    )
]
OTHER_METRICS = [
    *_settings("one head off: paired bootstrap", "F1", (408,), partial(one_gate, MRPC, "f1")),
    *_settings("one head off: paired bootstrap", "Spearman", (256,), one_score),
]
MEANS = _settings(
    "mean of 72 heads: paired bootstrap", "ramp", (256, 800), partial(mean_over_gates, RAMP)
)
CHOICES = [
    setting
    for words, gates, metric, sizes in (
        ("72 heads, none helps", Gates(np.zeros(72), 0.08), "accuracy", (256, 800)),
        ("72 heads, one gains 4 points", Gates(one_of(72, 0.04), 0.08), "accuracy", (256, 800)),
        ("144 heads, one gains 4 points", Gates(one_of(144, 0.04), 0.08), "accuracy", (408,)),
        ("72 heads, ramp", RAMP, "accuracy", (256, 800)),
        ("6 layers, all lose", LAYERS, "accuracy", (256, 800)),
        ("72 heads, F1, ramp", RAMP, "f1", (408,)),
    )
    for setting in _settings(BEST, words, sizes, partial(best_gate, gates, metric), 0.5)
]
RANDOM = [
    setting
    for draws, sizes in ((10, (80,)), (20, (200, 800)))
    for setting in _settings(
        SHARES, f"{draws} draws", sizes, partial(random_share, draws, -0.12, 0.05)
    )
]
OVER_SEEDS = [
    setting
    for between in (0.0, 0.01, 0.03)
    for setting in _settings(
        SEEDS,
        f"{100 * between:.0f} points between seeds",
        (800,),
        partial(three_seeds, -0.05, between),
        2,
    )
]
# Documents of LitBank, of English-EWT and of Wikipedia in configurations/text.
DOCUMENTS = (99, 318, 749)
GROUPS = [
    *_settings(OF_TEXTS, "half are right", DOCUMENTS, partial(mean_of_groups, 0.5, 0.3, 5), 3),
    *_settings(OF_TEXTS, "3% are right", DOCUMENTS, partial(mean_of_groups, 0.03, 0.3, 5), 3),
    *_settings(OF_TEXTS, "ratio, skewed", DOCUMENTS[1:], ratio_of_groups, 3),
]
CANDIDATES = [
    setting
    for words, shares, rival in (
        ("72 heads alike", np.full(72, 0.4), 0.4),
        ("one of 72 heads 10 points better", 0.4 + one_of(72, 0.1), 0.4),
        ("72 heads, ramp", np.linspace(0.1, 0.5, 72), 0.4),
    )
    for setting in _settings(
        "best of many, held out: choice resampled",
        words,
        (100, 500),
        partial(best_candidate, shares, rival, 3),
        0.5,
    )
]
EVERY = [*PAIRED, *OTHER_METRICS, *MEANS, *CHOICES, *RANDOM, *OVER_SEEDS, *GROUPS, *CANDIDATES]
