"""Configuration of Sphinx for the documentation site: utils/docs/build-site.py."""

from pygments.lexers.special import TextLexer

project = "tcgemm"
author = "the tcgemm authors"
copyright = "the tcgemm authors; Apache License v2.0 with LLVM Exceptions"
extensions = ["myst_parser", "breathe"]
root_doc = "index"
html_theme = "sphinx_rtd_theme"
html_title = "tcgemm"
html_show_sourcelink = False
# The anchors of headings are GitHub's, where the pages are read, too.
myst_heading_anchors = 6
myst_enable_extensions = ["colon_fence"]
breathe_projects = {"tcgemm": "doxygen/xml"}
breathe_default_project = "tcgemm"
breathe_domain_by_extension = {"h": "cpp"}
exclude_patterns = ["doxygen"]
highlight_language = "none"
suppress_warnings = [
    # Pages start with a title of their own; parts of the reference have deeper ones.
    "myst.header",
    # Code with an ellipsis.
    "misc.highlighting_failure",
]


def setup(app):
    # Pygments does not know MLIR.
    app.add_lexer("mlir", TextLexer)
