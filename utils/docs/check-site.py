#!/usr/bin/env python3
"""Finds dead links within a site of HTML pages.

usage: check-site.py FOLDER

Prints each link or image whose file, or whose anchor, does not exist, and exits with 1 if
there is one. Links to other sites are counted only.
"""

import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            elif name in ("href", "src") and value is not None:
                self.links.append(value)


def find_dead(folder):
    """Yields pages and links; and counts links to this site and to others."""
    pages = {path.resolve(): Page(path.read_text(errors="replace"))
             for path in sorted(folder.rglob("*.html"))}
    dead, inner, outer = [], 0, 0
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                outer += 1
                continue
            inner += 1
            target = path
            if parts.path:
                target = (path.parent / urllib.parse.unquote(parts.path)).resolve()
            anchor = urllib.parse.unquote(parts.fragment)
            exists = target.is_file() and (
                not anchor or target not in pages or anchor in pages[target].anchors)
            if not exists:
                dead.append((path, link))
    return pages, dead, inner, outer


def report(folder):
    pages, dead, inner, outer = find_dead(folder)
    for path, link in dead:
        print("%s: %s leads nowhere" % (path.relative_to(folder.resolve()), link))
    print("%d pages, %d links within the site, %d to others, %d dead" % (
        len(pages), inner, outer, len(dead)))
    return 1 if dead or not pages else 0


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(report(pathlib.Path(sys.argv[1])))


if __name__ == "__main__":
    main()
