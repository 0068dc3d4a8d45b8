#!/usr/bin/env python3
"""Runs a command several times at once; fails if one of them does.

usage: together.py COUNT COMMAND..."""

import subprocess
import sys

processes = [subprocess.Popen(sys.argv[2:]) for _ in range(int(sys.argv[1]))]
sys.exit(max(process.wait() for process in processes))
