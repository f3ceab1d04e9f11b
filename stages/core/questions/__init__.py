"""Multiple-choice questions about passages: what one is, how it is kept, read and scored."""
