"""DOT text as a picture, by the program `dot` of Graphviz.

No layout is written here: clusters inside layers are the hard part of drawing a program (Sander,
"Layout of compound directed graphs", 1996), and Graphviz does them well. The libraries in pure
Python that lay out layered graphs know no clusters.
"""

from __future__ import annotations

import shutil
import subprocess

from adjointgen.errors import SourceError


def svg(dot: str) -> str:
    """The graph laid out and drawn.

    Raises SourceError (AG008) where there is no `dot`, or it fails.
    """
    program = shutil.which("dot")
    if program is None:
        raise SourceError(
            "an SVG needs the program dot, which is not found",
            code="AG008",
            help=(
                "install Graphviz (graphviz.org/download, or the package graphviz of the system), "
                "or take the graph as DOT or Mermaid text"
            ),
        )
    done = subprocess.run(
        [program, "-Tsvg"], input=dot, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise SourceError(
            f"dot could not draw the graph: {done.stderr.strip()}",
            code="AG008",
            help="take the graph as DOT or Mermaid text",
        )
    return done.stdout
