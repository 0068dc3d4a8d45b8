#!/usr/bin/env python3
"""Builds the documentation site with Sphinx, MyST, Doxygen and Breathe, and checks it.

usage: build-site.py OUTPUT TOOL...

The site is OUTPUT/html. It has the documents, a page for each tool from the options that
it prints, and the API of the headers. Exits with 1 if Sphinx warns, or if a link within
the site leads nowhere. Debian's packages: python3-sphinx python3-myst-parser
python3-breathe python3-sphinx-rtd-theme doxygen.
"""

import importlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "utils" / "docs"))
generate = importlib.import_module("generate-manuals")
markdown = importlib.import_module("manuals.markdown")
check = importlib.import_module("check-site")

# Documents outside docs.
TOP = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
LINK = re.compile(r"(\]\()([^)\s#:]+)((?:#[^)\s]*)?\))")
# Folders of the site's navigation, in this order, and their titles.
SECTIONS = [("getting-started", "First steps"), ("guide", "Guide"),
            ("reference", "Reference"), ("rationale", "Rationale"),
            ("experiments", "Experiments")]


# The navigation does not have these pages.
ORPHAN = "---\norphan: true\n---\n\n"


def stage_folder(source, target):
    """A page that lists the files of a folder, which is linked as a whole."""
    lines = [ORPHAN + "# %s" % source.relative_to(ROOT), ""]
    for path in sorted(source.rglob("*")):
        if path.is_file():
            copy = target / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            # A page is read, the other files are downloaded.
            if path.suffix == ".md":
                copy.write_text(ORPHAN + path.read_text())
            else:
                shutil.copyfile(path, copy)
            name = path.relative_to(source)
            lines.append("* [%s](%s)" % (name, name))
    (target / "INDEX.md").write_text("\n".join(lines) + "\n")


def stage_page(path, stage):
    """Copies a page, and the files and folders outside docs that it links."""
    def replace(match):
        target = (path.parent / match.group(2)).resolve()
        if not target.exists() or target.suffix == ".md":
            return match.group(0)
        copy = stage / target.relative_to(ROOT)
        if target.is_dir():
            stage_folder(target, copy)
            return "%s%s/INDEX.md%s" % match.groups()
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(target, copy)
        if copy.suffix == "":
            # Sphinx takes a name without an ending for that of a page.
            shutil.copyfile(target, copy.with_suffix(".txt"))
            return "%s%s.txt%s" % match.groups()
        return match.group(0)

    copy = stage / path.relative_to(ROOT)
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(LINK.sub(replace, path.read_text()))


def write_api(stage):
    """A page of the C API, and a page for each folder of C++ headers."""
    folder = stage / "api"
    folder.mkdir()
    (folder / "c.md").write_text(
        "# The C library: tcgemm.h\n\n```{doxygenfile} tcgemm.h\n:project: tcgemm\n```\n")
    pages = ["c"]
    headers = ROOT / "include" / "tcgemm"
    for directory in sorted(path for path in headers.iterdir() if path.is_dir()):
        lines = ["# C++: tcgemm/%s" % directory.name, ""]
        for header in sorted(directory.rglob("*.h")):
            name = header.relative_to(headers.parent)
            lines += ["## %s" % name, "", "```{doxygenfile} include/%s" % name,
                      ":project: tcgemm", ":sections: briefdescription "
                      "detaileddescription innerclass func enum typedef public-func "
                      "public-attrib public-static-func", "```", ""]
        (folder / (directory.name + ".md")).write_text("\n".join(lines))
        pages.append(directory.name)
    return ["api/" + page for page in pages]


def toctree(caption, pages):
    return "\n".join(["```{toctree}", ":caption: " + caption, ":maxdepth: 1", "", *pages,
                      "```", ""])


def title_of(path):
    return path.read_text().partition("\n")[0].removeprefix("# ")


def write_index(stage, tools, api):
    parts = ["# tcgemm", "",
             "tcgemm is a compiler, built on MLIR, that turns a matrix product and the "
             "elementwise operations around it into a GPU kernel for NVIDIA tensor cores. "
             "[Overview](README.md), [documentation by task](docs/README.md).", "",
             toctree("Overview", ["README", "docs/README", "docs/glossary",
                                  "docs/performance"])]
    for folder, caption in SECTIONS:
        pages = sorted((stage / "docs" / folder).rglob("*.md"), key=title_of)
        parts.append(toctree(caption, [str(page.relative_to(stage).with_suffix(""))
                                       for page in pages]))
    parts += [toctree("Tools", tools), toctree("API", api),
              toctree("Project", [page.removesuffix(".md") for page in TOP[1:]])]
    (stage / "index.md").write_text("\n".join(parts))


def run_doxygen(stage):
    output = stage / "doxygen"
    output.mkdir()
    text = (ROOT / "utils/docs/site/Doxyfile").read_text()
    text += "INPUT = %s\nOUTPUT_DIRECTORY = %s\nSTRIP_FROM_PATH = %s\n" % (
        ROOT / "include", output, ROOT)
    subprocess.run(["doxygen", "-"], input=text, text=True, check=True)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    output = pathlib.Path(sys.argv[1]).resolve()
    stage, html = output / "source", output / "html"
    shutil.rmtree(output, ignore_errors=True)
    stage.mkdir(parents=True)
    for page in [ROOT / name for name in TOP] + sorted((ROOT / "docs").rglob("*.md")):
        stage_page(page, stage)
    shutil.copytree(ROOT / "docs/images", stage / "docs/images", dirs_exist_ok=True)
    shutil.copyfile(ROOT / "utils/docs/site/conf.py", stage / "conf.py")
    (stage / "tools").mkdir(exist_ok=True)
    tools = []
    for name, text in markdown.write([generate.read_tool(tool) for tool in sys.argv[2:]]):
        (stage / "tools" / name).write_text(text)
        tools.append("tools/" + name.removesuffix(".md"))
    run_doxygen(stage)
    write_index(stage, tools, write_api(stage))
    subprocess.run(["sphinx-build", "-q", "-W", "--keep-going", "-b", "html",
                    "-d", str(output / "doctrees"), str(stage), str(html)],
                   check=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    sys.exit(check.report(html))


if __name__ == "__main__":
    main()
