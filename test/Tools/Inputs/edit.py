"""Rewrites a file by a regular expression: edit.py FILE PATTERN REPLACEMENT."""

import re
import sys

path, pattern, replacement = sys.argv[1:]
with open(path) as file:
    text = file.read()
text, count = re.subn(pattern, replacement, text)
if not count:
    sys.exit("edit.py: nothing in %s matches %s" % (path, pattern))
with open(path, "w") as file:
    file.write(text)
