"""Memory of large tensors on a CPU."""

import ctypes
import sys

# From malloc.h of the GNU C library.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
LARGEST = (2**30, 2**25)  # bytes; older releases refuse the first


def keep_freed_memory() -> None:
    """Have the C library keep what is freed for the next tensor, instead of giving it back.

    By default it gives memory of some megabytes back to the system, which hands it out again page
    by page, filled with zeros: for the layers of an encoder that may take as long as half of their
    matrix products. Together with large pages (`THP_MEM_ALLOC_ENABLE`, stages/__init__.py) hardly
    any page is handed out twice. Without the GNU C library it does nothing.
    """
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return
    # One arena: those that further threads get by themselves end at 64 MB.
    mallopt(M_ARENA_MAX, 1)
    for size in LARGEST:
        if mallopt(M_MMAP_THRESHOLD, size):
            mallopt(M_TRIM_THRESHOLD, size)
            return
