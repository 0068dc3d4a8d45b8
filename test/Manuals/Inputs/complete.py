#!/usr/bin/env python3
"""Completes a command line in a shell as a user does, and prints what the shell shows.

usage: complete.py SHELL SHARE TEXT

SHELL is bash, zsh or fish. SHARE has the completions in the folders of an installation.
bash and zsh run in a terminal, where TEXT and the tabulator are typed; fish prints the
candidates by its command `complete -C`.
"""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

READY = "ready>"
# What is typed first. The parts of READY are divided, so that its echo is none.
SETUP = {
    "bash": ["bind 'set bell-style none'", "bind 'set show-all-if-ambiguous on'",
             "bind 'set page-completions off'", "bind 'set completion-query-items 0'",
             "for file in {share}/bash-completion/completions/*; do . $file; done",
             "PS1='rea''dy>'"],
    "zsh": ["unsetopt beep zle_bracketed_paste 2> /dev/null", "LISTMAX=9999",
            "fpath=({share}/zsh/vendor-completions $fpath)",
            "autoload -U compinit; compinit -u -D", "PS1='rea''dy>'"],
}
COMMANDS = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x1b\][^\x07]*\x07|[\x07\r]|.\x08")


class Terminal:
    def __init__(self, command, folder):
        self.child, self.handle = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            environment = {"PATH": os.environ["PATH"], "TERM": "xterm", "HOME": folder,
                           "COLUMNS": "200", "LINES": "60"}
            os.execvpe(command[0], command, environment)

    def type(self, text):
        os.write(self.handle, text.encode())

    def read(self, until=None, quiet=1.5, limit=60):
        """What is printed until a text, or until nothing is printed for a while."""
        text, end = "", time.monotonic() + limit
        while time.monotonic() < end:
            ready, _, _ = select.select([self.handle], [], [], quiet)
            if ready:
                text += os.read(self.handle, 65536).decode(errors="replace")
            if until and until in text:
                return text
            if not ready and not until:
                return text
        sys.exit("the shell does not answer:\n" + text)

    def close(self):
        os.kill(self.child, 9)
        os.waitpid(self.child, 0)


def complete_in_terminal(shell, share, text):
    folder = tempfile.mkdtemp()
    terminal = Terminal(COMMANDS[shell], folder)
    try:
        terminal.read()
        for line in SETUP[shell]:
            terminal.type(line.replace("{share}", share) + "\n")
        terminal.read(until=READY)
        terminal.read(quiet=0.5)
        terminal.type(text + "\t")
        shown = terminal.read(quiet=3)
    finally:
        terminal.close()
        shutil.rmtree(folder)
    return CONTROL.sub("", shown)


def complete_in_fish(share, text):
    name = text.split()[0]
    script = ". %s/fish/vendor_completions.d/%s.fish; complete -C '%s'" % (share, name, text)
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(["fish", "--no-config", "-c", script], cwd=folder,
                              env={**os.environ, "HOME": folder}, check=True, text=True,
                              stdout=subprocess.PIPE).stdout


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    shell, share, text = sys.argv[1:]
    shown = (complete_in_fish(share, text) if shell == "fish"
             else complete_in_terminal(shell, share, text))
    print(shown.rstrip("\n"))


if __name__ == "__main__":
    main()
