"""The vocabulary: characters that occur often enough, and pieces of words of several characters.

Where BERT splits every character off, as those of Chinese, the characters are the tokens. Words of
other scripts come in pieces (WordPiece), learnt from the same text. So one rule serves Chinese,
English and texts of both.
"""

from collections import Counter
from collections.abc import Sequence

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.trainers import WordPieceTrainer
from transformers import BertTokenizer

from stages.core.stage.files import InputError
from stages.core.stage.settings import PARAMETER_FILE
from stages.pretrain.text import Text

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]  # in the order of BERT's own vocabularies
CONTINUED = "##"


def learn_vocabulary(
    texts: Sequence[Text], entries: int, least_count: int, lowercase: bool
) -> dict[str, int]:
    """Learn the entries of a vocabulary and their numbers.

    Args:
        entries: how many it has at most.
        least_count: a character that occurs less often is unknown.

    Raises:
        InputError: the characters alone are more than `entries`.
    """
    tokenizer = Tokenizer(WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    characters = Counter[str]()
    for text in texts:
        for paragraph in text:
            characters.update(tokenizer.normalizer.normalize_str(paragraph))
    alphabet = {
        character
        for character, count in characters.items()
        if count >= least_count and not character.isspace()
    }
    trainer = WordPieceTrainer(
        vocab_size=entries,
        min_frequency=least_count,
        special_tokens=SPECIAL,
        initial_alphabet=sorted(alphabet),
        limit_alphabet=len(alphabet),
        continuing_subword_prefix=CONTINUED,
        show_progress=False,
    )
    tokenizer.train_from_iterator((paragraph for text in texts for paragraph in text), trainer)
    pieces = set(tokenizer.get_vocab()) - set(SPECIAL) - alphabet
    if len(SPECIAL) + len(alphabet) + len(pieces) > entries:
        raise InputError(
            f"{PARAMETER_FILE}: `pretrain.vocabulary` is {entries}, but "
            f"{len(SPECIAL) + len(alphabet) + len(pieces)} entries are needed for single "
            "characters alone; make it larger, or `pretrain.least_count`"
        )
    # In an order of their own: the trainer's differs where pieces are as frequent as each other.
    single = sorted(alphabet, key=lambda character: (-characters[character], character))
    longer = sorted(pieces, key=lambda piece: (len(piece.removeprefix(CONTINUED)), piece))
    return {piece: number for number, piece in enumerate([*SPECIAL, *single, *longer])}


def tokenizer_of(vocabulary: dict[str, int], lowercase: bool, max_length: int) -> BertTokenizer:
    """BERT's own tokenizer with this vocabulary."""
    return BertTokenizer(
        vocab=vocabulary,
        do_lower_case=lowercase,
        tokenize_chinese_chars=True,
        model_max_length=max_length,
    )
