"""Verbs and subjects, nouns and pronouns (Kovaleva et al. 2019, section 4.5)."""

from stages.core.pages.declared import Page, Section
from stages.core.pages.kinds import Dots, Grid, HeadGrid, Scatter
from stages.pairs.tables import BEST, CANDIDATES, HEADS

# Every word of a pair with every other, and the largest weight of a text: as in the claims.
CLAIMED = {"pairing": "crossed", "aggregate": "maximum"}

PAGE = Page(
    title="Pairs of words",
    summary="Whether the heads that link verbs and subjects are those that attend to neighbours.",
    group="What heads know of language",
    order=26,
    studies=("K7",),
    content=(
        Section(
            "K7: whether the heads that link words are diagonal ones",
            "The candidates are the heads that give most to pairs of words; the setting "
            "pairs.candidates is their share. A head is diagonal if more than the share "
            "pairs.diagonal of its attention between tokens of text goes to neighbours; [CLS] and "
            "[SEP] are left out. One half of the texts selects the candidates, the other decides "
            "which heads are diagonal. The intervals allow for the texts and for the small number "
            "of candidates. The counts are of all texts.",
            (
                Dots(
                    "pairs-candidates",
                    "Share of the candidates that are diagonal, held out",
                    CANDIDATES.where(**CLAIMED),
                    "share",
                    label=("kind",),
                    rival="chance",
                    rival_title="share of all heads",
                    gain="excess",
                ),
                Grid("pairs-candidates", "Candidates and diagonal heads", CANDIDATES),
            ),
        ),
        Section(
            "What pairs get beyond their distance",
            "The weight is the largest between the tokens of a pair, in either direction, mean "
            "over texts. It is compared with the same pairs moved elsewhere in the text. Heads "
            "near the diagonal of the figure give as much to any tokens as far apart: position "
            "explains them. Of several pairs in a text the largest weight counts ('maximum'), or "
            "their sum ('sum').",
            (
                Scatter(
                    "pairs-moved",
                    "Weight on pairs against weight on tokens as far apart",
                    HEADS.where(**CLAIMED),
                    "weight",
                    x="moved",
                    x_title="weight on moved pairs",
                    panel=("data", "arm", "kind"),
                ),
                HeadGrid(
                    "pairs-heads",
                    "Weight on pairs",
                    HEADS.where(**CLAIMED),
                    "weight",
                    panel=("kind",),
                    diverging=False,
                ),
                HeadGrid(
                    "pairs-gain",
                    "Weight on pairs beyond moved pairs",
                    HEADS.where(**CLAIMED),
                    "gain",
                    panel=("kind",),
                ),
                Grid(
                    "pairs-best",
                    "The head that gives most to pairs",
                    BEST,
                    caption="The head is selected on one half of the texts and scored on the "
                    "other: its weight on moved pairs over its weight on pairs, 1 if distance "
                    "explains all. Heads without any pattern come near 1 too, so that no claim "
                    "rests on it. Layer, head and both weights are those of the head that gives "
                    "most on all texts.",
                ),
                Grid(
                    "pairs-heads",
                    "Every head",
                    HEADS,
                    caption="Pairs are every one with every other (crossed) or, as in the "
                    "original, the first with the first and so on (zipped).",
                ),
            ),
        ),
    ),
)
