"""How fast the grid and the attention dump are, against what else there is: `python -m benchmarks`.

Every comparison is of pairs that take turns in one run, with a check that both sides computed the
same. No stage and no test depends on a time.
"""

import os

# As the user's shell has it, before the stages settle their own: a `dvc repro` that is measured
# begins with this one.
ENVIRONMENT = dict(os.environ)
