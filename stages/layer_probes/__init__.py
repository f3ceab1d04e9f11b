"""What each layer knows of a word's place in the sentence (Lin, Tan, Frank 2019, section 3)."""
