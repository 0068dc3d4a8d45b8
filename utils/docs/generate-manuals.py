#!/usr/bin/env python3
"""Writes manual pages and completions of shells from the options of the tools.

usage: generate-manuals.py OUTPUT TOOL...

Each tool prints its options with --options-json. OUTPUT gets the folders as they are
installed below share: man/man1, bash-completion/completions, zsh/vendor-completions
and fish/vendor_completions.d.
"""

import gzip
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import manuals.bash
import manuals.fish
import manuals.mdoc
import manuals.zsh

# Folder below share, and a function of all tools that yields names and texts.
WRITERS = {
    "man/man1": manuals.mdoc.write,
    "bash-completion/completions": manuals.bash.write,
    "zsh/vendor-completions": manuals.zsh.write,
    "fish/vendor_completions.d": manuals.fish.write,
}


def read_tool(path):
    text = subprocess.run([path, "--options-json"], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    return {"name": pathlib.Path(path).name, **json.loads(text)}


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    output = pathlib.Path(sys.argv[1])
    tools = [read_tool(path) for path in sys.argv[2:]]
    for folder, write in WRITERS.items():
        directory = output / folder
        directory.mkdir(parents=True, exist_ok=True)
        for old in directory.iterdir():
            old.unlink()
        for name, text in write(tools):
            content = text.encode()
            if folder.startswith("man/"):
                # As Debian installs them; without a time, so that builds are equal.
                name, content = name + ".gz", gzip.compress(content, mtime=0)
            (directory / name).write_bytes(content)


if __name__ == "__main__":
    main()
