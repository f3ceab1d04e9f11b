"""What a reader of multiple-choice questions goes by (Si et al. 2019)."""
