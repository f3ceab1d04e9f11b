"""Few texts of a corpus with the maps of its encoder, which no stage keeps: made again for these.

As `stages.examples.stage`, without patterns, as no map of a corpus has a class of its own kept, and
with syntactic relations where the corpus has them: of each the clearest and the median text of the
head that follows it most.
"""

from pydantic import NonNegativeInt, PositiveInt

from stages.core.encoder.configuration import read_config
from stages.core.encoder.tokenizer import load_tokenizer
from stages.core.recordings.recording import Texts, open_texts
from stages.core.runtime.runtime import read_runtime, start
from stages.core.stage.arms import RANDOM_WEIGHTS, RECORDED
from stages.core.stage.places import ENCODERS
from stages.core.stage.settings import Parameters, section
from stages.core.viewer.readable import Tokens, read_text, recorded_tokens
from stages.core.viewer.tables import CORPUS_CHOSEN, CORPUS_MAPS, CORPUS_TEXTS
from stages.examples.choosing import candidates, choose_roles, drawn_by_seed
from stages.examples.kept import (
    choice_table,
    map_table,
    numbered,
    role_strengths,
    text_table,
    texts_of,
)
from stages.examples.text_examples.relations import choose_relations, relation_strengths


class TextExamples(Parameters, section="text_examples"):
    """The section `text_examples` of `params.yaml`."""

    corpora: list[str]
    texts: NonNegativeInt
    tokens: PositiveInt
    candidates: PositiveInt | None
    relations: list[str]
    seed: NonNegativeInt


def shown_encoder(texts: Texts) -> str:
    """Whose attention is shown: that of the encoder, or of whoever recorded it; not the control."""
    own = [name for name in texts.encoders if name != RANDOM_WEIGHTS]
    return (own or texts.encoders)[0]


def run_stage(corpus: str) -> None:
    """Keep few texts of CORPUS with their maps."""
    parameters = section(TextExamples, "text_examples")
    device = start(read_runtime(), parameters.seed)
    texts = open_texts(corpus)
    name = shown_encoder(texts)
    recording = texts.recording(name, device)
    limits = (parameters.tokens, parameters.candidates, parameters.seed)
    rows = candidates(recording.lengths, *limits)
    drawn = drawn_by_seed(len(rows), parameters.texts, parameters.seed)
    strengths = relation_strengths(recording, texts.corpus, rows, parameters.relations)
    choices = [
        *choose_roles(role_strengths(recording, texts.corpus, rows), recording.heads),
        *choose_relations(strengths, recording.heads),
    ]
    numbers = numbered(drawn, choices)

    if name == RECORDED:

        def tokens_of(row: int) -> Tokens:
            return recorded_tokens(recording.tokens.iloc[row])
    else:
        tokenizer = load_tokenizer(ENCODERS / name)
        config = read_config(ENCODERS / name)

        def tokens_of(row: int) -> Tokens:
            text = texts.corpus.iloc[row]
            words = text["words"] or None
            return read_text(tokenizer, config, texts_of(text), words, texts.max_length).tokens

    kept = text_table(numbers, drawn, texts.corpus, rows, tokens_of)
    CORPUS_TEXTS.write(kept, data=corpus)
    maps = map_table(name, recording, numbers, drawn, choices, rows, {})
    CORPUS_MAPS.write(maps, data=corpus)
    CORPUS_CHOSEN.write(choice_table(choices, numbers), data=corpus)
