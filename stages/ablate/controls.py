"""The tables of an encoder that was tuned from random weights, beside those of the tuned one."""

from stages.core.outcomes import tables as of_outcomes

ONE_WITH_THIS_ARM = "the encoder tuned from random weights has not learnt the task"
# Both have the same columns.
CONTROLS = {
    of_outcomes.GATES: of_outcomes.CONTROL_GATES,
    of_outcomes.MEANS: of_outcomes.CONTROL_MEANS,
    of_outcomes.HELD_OUT: of_outcomes.CONTROL_HELD_OUT,
    of_outcomes.CURVES: of_outcomes.CONTROL_CURVES,
    of_outcomes.GAPS: of_outcomes.CONTROL_GAPS,
}
