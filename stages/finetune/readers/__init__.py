"""Readers of multiple-choice questions, some trained on what nobody can answer (Si et al. 2019)."""
