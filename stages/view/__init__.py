"""Attention of one's own text in one offline page (Vig 2019: head, model and neuron view).

No stage of the pipeline: nothing in `dvc.yaml` runs it, and it leaves no result that others read.
"""
