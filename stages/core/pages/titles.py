"""What readers call things that several pages show."""

# Vig's patterns of attention (`VIG_PATTERNS`).
PATTERN_TITLES = {
    "next": "next token",
    "previous": "previous token",
    "related": "same or related word",
    "related_other": "same or related word of the other text",
    "pieces": "other pieces of the word",
    "delimiter": "[CLS] and [SEP]",
    "sentence": "all words of the sentence",
}
