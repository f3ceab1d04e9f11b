"""Heads that link predicates and frame elements (Kovaleva et al. 2019, section 4.2)."""

from stages.core.pages.declared import HeadColumn, Page, Section
from stages.core.pages.kinds import Dots, Grid, HeadGrid
from stages.frames.tables import BEST, HEADS

PAGE = Page(
    title="Frames",
    summary="Which heads link a predicate and its frame elements, beyond their distance.",
    group="What heads know of language",
    order=25,
    studies=("K4",),
    content=(
        Section(
            "K4: weight between a predicate and its frame elements",
            "The weight of a head is the largest between two linked tokens of a text, in either "
            "direction, mean over texts. It is compared with the same links moved elsewhere in the "
            "text: the weight between tokens that are as far apart. Frames are FrameNet's, or (in "
            "the texts written here) verbs with their subjects and objects.",
            (
                Dots(
                    "frames-best",
                    "The head that links most, held out",
                    BEST,
                    "score",
                    caption="The head is selected on one half of the texts and scored on the "
                    "other.",
                ),
                HeadGrid("frames-heads", "Every head", HEADS, "gain"),
                Grid(
                    "frames-best",
                    "The head that links most",
                    BEST,
                    columns=(
                        *("data", "arm", "layer", "head", "weight", "moved"),
                        *("score", "score_low", "score_high", "cases", "same"),
                    ),
                    caption="Layer, head and both weights are those of the head that links most on "
                    "all texts.",
                ),
                Grid("frames-heads", "Every head", HEADS, caption="Means with 95% intervals."),
            ),
        ),
    ),
    head_columns=(
        HeadColumn(
            "frame links",
            HEADS,
            "gain",
            join="first",
            show={"weight": "weight on frame links", "moved": "weight on moved frame links"},
            text="The largest weight on the links of a predicate and its frame elements, compared "
            "with the same links moved elsewhere in the text.",
        ),
    ),
)
