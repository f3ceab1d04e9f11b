"""A dot with its interval for each row, and vertical rules for what can be had without reading."""

import altair
import pandas as pd

from stages.core.pages.charts import CATEGORIES, PLACES

BASELINE = "baseline"


def dots_with_rules(
    rows: pd.DataFrame, rules: pd.DataFrame, label: str, group: str, title: str
) -> altair.FacetChart:
    """Dots and intervals by `label`, coloured by `group`, with dashed rules; a panel a set.

    Args:
        rows: columns questions, `label`, `group`, value, low, high.
        rules: columns questions, baseline, value: a rule each.
        title: of the axis, with the unit.
    """
    labels, groups = (list(dict.fromkeys(rows[name])) for name in (label, group))
    rules = rules[rules["questions"].isin(rows["questions"])]
    data = pd.concat([rows, rules], ignore_index=True).round(PLACES)
    y = altair.Y(f"{label}:N", sort=labels, title=None)
    of_rows = altair.Chart().transform_filter(f"isValid(datum.{label})")
    dot = of_rows.encode(
        y=y,
        yOffset=altair.YOffset(f"{group}:N", sort=groups),
        color=altair.Color(
            f"{group}:N", sort=groups, title=group, scale=altair.Scale(domain=groups)
        ),
        tooltip=["questions", label, group, "value", "low", "high"],
    )
    rule = (
        altair.Chart()
        .transform_filter(f"isValid(datum.{BASELINE})")
        .mark_rule(color=CATEGORIES[-1], strokeWidth=1.5)
        .encode(
            x="value:Q",
            strokeDash=altair.StrokeDash(f"{BASELINE}:N", title="without reading"),
            tooltip=["questions", BASELINE, "value"],
        )
    )
    x = altair.X("low:Q", title=title, scale=altair.Scale(zero=False))
    chart = altair.layer(
        rule,
        dot.mark_rule(strokeWidth=2).encode(x=x, x2="high:Q"),
        dot.mark_circle(size=55, opacity=1).encode(x="value:Q"),
    ).properties(width=380, height=altair.Step(14))
    return chart.facet(
        altair.Facet("questions:N", title=None, sort=list(dict.fromkeys(rows["questions"]))),
        columns=1,
        data=data,
    ).resolve_axis(x="independent", y="independent")
