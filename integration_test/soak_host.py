"""A host for soak.py: faults that the host causes, and what a run leaves behind."""

import mmap
import os
import pathlib
import signal
import struct
import subprocess
import time

MARK = "TCGEMM_SOAK"


class Host:
    """Runs programs with a clock that jumps and a disk that may be full.

    All programs have an environment variable with the folder, by which processes that
    are left over are found. Their temporary files go to a folder of its own."""

    def __init__(self, folder, library):
        self.folder = folder
        self.temporary = folder / "tmp"
        self.temporary.mkdir(parents=True, exist_ok=True)
        path = folder / "host"
        path.write_bytes(struct.pack("qq", 0, -1))
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 16)
        self.environment = dict(os.environ, TMPDIR=str(self.temporary),
                                LD_PRELOAD=str(library), FAULTY_HOST=str(path))
        self.environment[MARK] = str(folder)

    def set_clock(self, seconds):
        self.memory[0:8] = struct.pack("q", seconds)

    def set_space(self, size):
        """So many bytes fit on the disk; None: all."""
        self.memory[8:16] = struct.pack("q", -1 if size is None else size)

    def start(self, command):
        """Output is a pipe or nothing: a regular file would be part of a full disk."""
        return subprocess.Popen(command, env=self.environment,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def run(self, command):
        return subprocess.run(command, env=self.environment, text=True, check=False,
                              capture_output=True)

    def find_processes(self):
        wanted = ("%s=%s" % (MARK, self.folder)).encode()
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if wanted in (path / "environ").read_bytes().split(b"\0"):
                    found.append(int(path.name))
            except OSError:
                continue
        return found

    def find_leaks(self, folder):
        """Processes and temporary files that are there after the end of all runs."""
        end = time.monotonic() + 5
        while self.find_processes() and time.monotonic() < end:
            time.sleep(0.02)
        leaks = ["process %d" % pid for pid in self.find_processes()]
        leaks += [str(path) for path in self.temporary.iterdir()]
        for pattern in ("*.tmp", "clock-*", "*-wal", "*-shm", "*-journal"):
            leaks += [str(path) for path in folder.rglob(pattern)]
        return leaks


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def list_children(pid):
    try:
        text = pathlib.Path("/proc/%d/task/%d/children" % (pid, pid)).read_text()
    except OSError:
        return []
    return [int(word) for word in text.split()]


def measure_process(pid):
    """Resident KiB, descriptors and children of a process; None after its end."""
    try:
        status = pathlib.Path("/proc/%d/status" % pid).read_text()
        descriptors = len(os.listdir("/proc/%d/fd" % pid))
    except OSError:
        return None
    for line in status.splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]), descriptors, len(list_children(pid))
    return None


def fit_slope(points):
    """The slope of the line with the least squares through (x, y)."""
    count = len(points)
    mean_x = sum(x for x, _ in points) / count
    mean_y = sum(y for _, y in points) / count
    squares = sum((x - mean_x) ** 2 for x, _ in points)
    if squares == 0:
        return 0
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / squares
