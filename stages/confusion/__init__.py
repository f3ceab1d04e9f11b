"""How much distractors confuse attention: agreement and reflexives (Lin et al. 2019, section 4)."""
