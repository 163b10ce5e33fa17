"""The dataflow of a function, in one of the formats that pictures are kept in."""

from __future__ import annotations

from typing import Literal, assert_never

from adjointgen.analysis.differentiation.activity import Activity
from adjointgen.ir.nodes import Function
from adjointgen.views.dot import dot
from adjointgen.views.drawing import draw
from adjointgen.views.mermaid import mermaid
from adjointgen.views.svg import svg

Format = Literal["dot", "mermaid", "svg"]


def graph(function: Function, format: Format = "dot", activity: Activity | None = None) -> str:
    """The graph of a function; with an activity, what derivatives pass through is coloured.

    Raises SourceError (AG008) for an SVG where Graphviz is not installed.
    """
    drawing = draw(function, activity)
    match format:
        case "dot":
            return dot(drawing)
        case "mermaid":
            return mermaid(drawing)
        case "svg":
            return svg(dot(drawing))
        case _:
            assert_never(format)
