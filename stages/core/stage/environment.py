"""The environment of every stage, settled before torch or transformers are imported."""

import gc
import os

# Two torch processes on the same cores are some 70 times slower unless idle threads sleep.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# PyTorch asks for large tensors in pages of 2 MB: see stages/core/runtime/memory.py.
os.environ.setdefault("THP_MEM_ALLOC_ENABLE", "1")
# cuBLAS is repeatable only with a fixed workspace.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
# torch and transformers make millions of objects that stay: looking through them again and again
# for what may be freed is a fifth of the time that a stage takes to start.
gc.set_threshold(100_000, 50, 50)
