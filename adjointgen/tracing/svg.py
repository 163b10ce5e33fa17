"""The graph as a picture, with a layered layout of its own: no Graphviz is needed.

K. Sugiyama, S. Tagawa and M. Toda, Methods for visual understanding of hierarchical system
structures, IEEE Trans. Syst. Man Cybern. 11, 1981: each record lies one layer below the lowest that
it reads; an edge over several layers has a bend in each; layers are put in order by the mean place
of the neighbours, downwards and upwards in turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import Final

from adjointgen.tracing.drawing import ACTIVE, FAINT, FILL, INK, Node, edges, nodes
from adjointgen.tracing.tape import Record

LETTER: Final = 7.0
LINE: Final = 14.0
GAP: Final = 24.0
BETWEEN: Final = 46.0
ROUNDS: Final = 6

Point = tuple[int, int]
"""A record, with -1, or a bend: the number of an edge, with its layer."""


def svg(records: Sequence[Record]) -> str:
    """The text of the picture."""
    shown = nodes(records)
    links = edges(records)
    layers, chains = _layered(records, links)
    _ordered(layers, chains)
    places, width, height = _placed(layers, shown)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="monospace" font-size="11">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
        f'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="{FAINT}"/></marker></defs>',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>',
    ]
    for (_, _, active), chain in zip(links, chains, strict=True):
        lines.append(_edge(chain, places, shown, active))
    lines += [_box(one, places[one.index, -1]) for one in shown]
    return "\n".join([*lines, "</svg>", ""])


def _layered(
    records: Sequence[Record], links: list[tuple[int, int, bool]]
) -> tuple[list[list[Point]], list[list[Point]]]:
    """The layers, and each edge as a chain of points, one in each layer that it crosses."""
    depth: list[int] = []
    for one in records:
        depth.append(1 + max((depth[parent] for parent in one.parents), default=-1))
    layers: list[list[Point]] = [[] for _ in range(max(depth, default=-1) + 1)]
    for one in records:
        layers[depth[one.index]].append((one.index, -1))
    chains = []
    for number, (parent, child, _) in enumerate(links):
        bends = [(number, k) for k in range(depth[parent] + 1, depth[child])]
        for bend in bends:
            layers[bend[1]].append(bend)
        chains.append([(parent, -1), *bends, (child, -1)])
    return layers, chains


def _ordered(layers: list[list[Point]], chains: list[list[Point]]) -> None:
    """Put each layer in the order of the mean places of the neighbours."""
    above: dict[Point, list[Point]] = {}
    below: dict[Point, list[Point]] = {}
    for chain in chains:
        for upper, lower in pairwise(chain):
            above.setdefault(lower, []).append(upper)
            below.setdefault(upper, []).append(lower)
    for turn in range(ROUNDS):
        near = below if turn % 2 else above
        for layer in reversed(layers) if turn % 2 else layers:
            place = {one: k for layer_ in layers for k, one in enumerate(layer_)}
            means = {
                one: (
                    sum(place[n] for n in near[one]) / len(near[one]) if one in near else place[one]
                )
                for one in layer
            }
            layer.sort(key=means.__getitem__)


def _size(node: Node) -> tuple[float, float]:
    return LETTER * max(map(len, node.lines)) + 16.0, LINE * len(node.lines) + 10.0


def _placed(
    layers: list[list[Point]], shown: list[Node]
) -> tuple[dict[Point, tuple[float, float]], float, float]:
    """The middle of each point, and the size of the picture."""

    def size(point: Point) -> tuple[float, float]:
        return _size(shown[point[0]]) if point[1] < 0 else (4.0, 4.0)

    widths = [sum(size(one)[0] + GAP for one in layer) for layer in layers]
    width, y = max(widths, default=0.0) + GAP, GAP
    places: dict[Point, tuple[float, float]] = {}
    for layer, wide in zip(layers, widths, strict=True):
        x, tall = (width - wide + GAP) / 2, max(size(one)[1] for one in layer)
        for one in layer:
            places[one] = (x + size(one)[0] / 2, y + tall / 2)
            x += size(one)[0] + GAP
        y += tall + BETWEEN
    return places, width, max(y - BETWEEN + GAP, 2 * GAP)


def _edge(
    chain: list[Point], places: dict[Point, tuple[float, float]], shown: list[Node], active: bool
) -> str:
    """A smooth line through the points of an edge."""
    points = [places[one] for one in chain]
    (x, y), (end, low) = points[0], points[-1]
    points[0] = (x, y + _size(shown[chain[0][0]])[1] / 2)
    points[-1] = (end, low - _size(shown[chain[-1][0]])[1] / 2)
    text = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for (x, y), (to, down) in pairwise(points):
        half = (y + down) / 2
        text += f"C{x:.1f} {half:.1f} {to:.1f} {half:.1f} {to:.1f} {down:.1f}"
    color = ACTIVE if active else FAINT
    return f'<path d="{text}" fill="none" stroke="{color}" marker-end="url(#tip)"/>'


def _box(node: Node, place: tuple[float, float]) -> str:
    (x, y), (wide, tall) = place, _size(node)
    color, fill = (ACTIVE, FILL) if node.active else (FAINT, "white")
    round_ = tall / 2 if node.leaf else 3
    top = y - tall / 2
    rows = "".join(
        f'<tspan x="{x:.1f}" y="{top + LINE * (k + 1):.1f}">{escape(line)}</tspan>'
        for k, line in enumerate(node.lines)
    )
    return (
        f'<g><title>{escape(node.place)}</title><rect x="{x - wide / 2:.1f}" y="{top:.1f}" '
        f'width="{wide:.1f}" height="{tall:.1f}" rx="{round_:.1f}" fill="{fill}" '
        f'stroke="{color}"/><text text-anchor="middle" fill="{INK}">{rows}</text></g>'
    )
