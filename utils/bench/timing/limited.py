"""Limits of time, and runs of tools that record their progress. Needs no package."""

import math
import signal
import subprocess
import time

# Exit codes of a tool that was interrupted, and of programs that end by their own limit,
# some of which have the first one, too. The same command continues.
INTERRUPTED, UNFINISHED = 130, 75


class Clock:
    """A limit in seconds from now on; 0 is no limit."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds if seconds else math.inf

    def is_over(self):
        return time.monotonic() >= self.end

    def get_rest(self):
        """Seconds, at least one; 0 without a limit."""
        if self.end == math.inf:
            return 0
        return max(1, int(self.end - time.monotonic()))


def run_limited(command, clock, read=None):
    """Runs a tool, which gets SIGINT at the clock's limit: tcgemm-tune then records the
    current candidate and ends. `read` gets its lines. Returns its status."""
    process = subprocess.Popen(command, text=True,
                               stdout=subprocess.PIPE if read else None)
    rest = clock.get_rest()
    if rest:
        signal.signal(signal.SIGALRM, lambda *_: process.send_signal(signal.SIGINT))
        signal.alarm(rest)
    for line in process.stdout or ():
        read(line)
    status = process.wait()
    signal.alarm(0)
    return status
