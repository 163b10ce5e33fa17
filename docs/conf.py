"""How Sphinx makes the site: `make docs` writes build/site/index.html."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from adjointgen import __version__

project = "adjointgen"
author = "The adjointgen developers"
copyright = author
release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
default_role = "code"
# `output` blocks show what the block above prints; `text` blocks are IR, messages and shells.
suppress_warnings = ["misc.highlighting_failure"]
html_theme = "furo"
html_title = "adjointgen"
html_copy_source = False
autodoc_typehints = "none"
autodoc_preserve_defaults = True
