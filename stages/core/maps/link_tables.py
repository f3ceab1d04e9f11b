"""Values of tables of attention between tokens that belong together."""

from stages.core.tables import Value, count

# The values of `weights_by_head`, means over texts.
WEIGHT_VALUES = {
    "weight": Value("weight on links", interval=True),
    "moved": Value("weight on moved links", interval=True),
    "gain": Value("weight on links minus weight on moved links", format="+.2f", interval=True),
    "percentile": Value("percentile of the weight", bounds=(0, 1)),
    "texts": count("texts"),
}
# Those that stand beside a head that was selected (`named_head`).
CHOSEN_VALUES = {
    "weight": Value("weight on links"),
    "moved": Value("weight on moved links"),
}
