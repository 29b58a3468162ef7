"""How the documentation is built: `sphinx-build -W --keep-going -b html docs OUT`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent / "src")]

import holdback  # noqa: E402, F401  # the reference is generated from it, so fail here if it does not import

project = "holdback"
author = "The holdback authors"
copyright = "the holdback authors"

extensions = [
    "myst_nb",  # the notebooks, and all other pages as myst_parser does
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "api_reference",
    "architecture",
    "generated_tables",
    "signatures",
    "state_pictures",
]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
exclude_patterns = ["_build"]
nitpicky = False

# The notebooks are shown with the outputs that they have; `docs/_ext/notebooks.py` holds those.
nb_execution_mode = "off"

myst_enable_extensions = ["deflist", "attrs_inline"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_type_aliases = {
    name: name for name in ("Calculator", "Command", "Event", "Facts", "FactValue", "Json", "Reply")
}
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
python_maximum_signature_line_length = 88
add_module_names = False

html_theme = "furo"
html_title = "holdback"
html_static_path = ["_static"]
html_css_files = ["holdback.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#2f5d50", "color-brand-content": "#2f5d50"},
    "dark_css_variables": {"color-brand-primary": "#8fc7b5", "color-brand-content": "#8fc7b5"},
}
pygments_style = "tango"
pygments_dark_style = "github-dark"

BACKTICKS = re.compile(r"(?<!`)`([^`\n]+)`(?!`)(\w?)")


def read_backticks(*arguments):
    """Double the single backticks of docstrings: reStructuredText marks code with two."""
    *_, lines = arguments
    lines[:] = [
        BACKTICKS.sub(lambda match: f"``{match[1]}``" + (match[2] and f"\\ {match[2]}"), line)
        for line in lines
    ]


def setup(app):
    app.connect("autodoc-process-docstring", read_backticks, priority=400)
