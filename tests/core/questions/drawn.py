"""Questions that Hypothesis draws, few words of which are different."""

from hypothesis import settings
from hypothesis import strategies as st

from stages.core.questions.question import Question

# The same cases at every run, and nothing kept beside the tests.
repeatable = settings(derandomize=True, database=None, deadline=None, max_examples=60)

WORDS = ("the", "a", "dog", "cat", "sees", "Who", "garden.", "river,", "never", "not?", "'", "_")
words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9)
texts = words.map(" ".join)


@st.composite
def questions(draw):
    """A question of two to five options, the right one unlike the others."""
    options = draw(st.lists(texts, min_size=2, max_size=5, unique=True))
    sentences = draw(st.lists(texts, min_size=1, max_size=4))
    return Question(
        f"q-{draw(st.integers(0, 999))}",
        ". ".join(sentences) + ".",
        draw(texts),
        tuple(options),
        draw(st.integers(0, len(options) - 1)),
    )


seeds = st.integers(0, 2**31)
degrees = st.sampled_from([0.3, 0.5, 0.65, 0.8, 1.0])
