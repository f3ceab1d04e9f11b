"""Whether `params.yaml` can be kept to: everything that is wrong with it, before anything runs."""
