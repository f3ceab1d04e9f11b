"""Names in charts that are no words, said in words."""

import altair
import pandas as pd
import vl_convert

from stages.core.pages.labels import labelled
from stages.core.pages.page import Figure


def chart() -> altair.Chart:
    rows = pd.DataFrame(
        {
            "encoder": ["untuned", "random_weights"],
            "my_task": ["a_task", "a_task"],
            "macro_f1": [0.5, 0.25],
            "p_holm": [0.01, 1.0],
        }
    )
    return (
        altair.Chart(rows)
        .mark_bar()
        .encode(
            x=altair.X("macro_f1:Q"),
            y=altair.Y("encoder:N", sort=["random_weights", "untuned"]),
            color=altair.Color("my_task:N", title="task"),
            tooltip=["encoder", "macro_f1", "p_holm"],
        )
    )


def test_values_orders_and_titles_are_in_words_and_others_names_as_they_were():
    made = labelled(chart().to_dict())
    (rows,) = made["datasets"].values()
    assert rows[1] == {
        "encoder": "random weights",
        "my_task": "a_task",
        "macro F1": 0.25,
        "p after Holm": 1.0,
    }
    encoding = made["encoding"]
    assert encoding["y"]["sort"] == ["random weights", "untuned"]
    assert encoding["x"] == {"field": "macro F1", "type": "quantitative", "title": "macro F1"}
    assert encoding["color"]["title"] == "task"
    assert "title" not in encoding["y"]
    assert [one.get("title") for one in encoding["tooltip"]] == [None, "macro F1", "p after Holm"]


def test_an_image_shows_the_words_and_the_data_beside_it_keep_the_names():
    figure = Figure("one", "title", "caption", chart())
    svg = vl_convert.vegalite_to_svg(figure.vega_lite)
    assert ">random weights<" in svg
    assert ">macro F1<" in svg
    assert "random_weights" not in svg
    assert "random_weights" in str(figure.drawn["datasets"])
