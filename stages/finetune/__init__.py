"""The arms of a task: tuned and untuned models (Kovaleva et al. 2019, Table 1)."""
