"""Runs a command and expects an exit code: `not` of lit knows no numbers.

  exit-code.py [--interrupt] CODE COMMAND...

With --interrupt, SIGINT is sent after a second.
"""

import signal
import subprocess
import sys

arguments = sys.argv[1:]
interrupt = arguments[0] == "--interrupt"
if interrupt:
    arguments = arguments[1:]
process = subprocess.Popen(arguments[1:])
if interrupt:
    try:
        process.wait(1)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
code = process.wait()
if code != int(arguments[0]):
    sys.exit("exit code %d, expected %s" % (code, arguments[0]))
