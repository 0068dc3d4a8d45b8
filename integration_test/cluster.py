#!/usr/bin/env python3
"""Tunes on a cluster of several nodes on this host and kills nodes in the middle.

The cluster is Debian's Slurm with munge (--launcher=slurm) or Open MPI's mpirun
(--launcher=mpi). The devices are emulators. Nodes are killed with SIGKILL as soon as
a part of the records is there. What is left is submitted again. Then the merged
database must have the records of a single run, and no record may be there twice. Slurm
needs root. The size of issue 24: --nodes=8 --candidates=2000 --kills=2.
"""

import argparse
import os
import pathlib
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

SPACE = """
name: cluster
fixed:
  - {name: schedule, value: mma_sync}
parameters:
  - {name: cta, values: [64x64x32, 32x64x32, 32x32x32, 64x64x64]}
  - {name: stages, values: [2, 3]}
  - {name: epilogue, values: [direct, staged]}
"""
CONFIGS = 16
LEASE = 3  # Seconds.


def wait_for(condition, what, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit("no %s after %d s" % (what, seconds))
        time.sleep(0.05)


def find_ports(count):
    """Free ports, which are free a little later too."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def find_processes(variable, value):
    """The processes with a variable: identifier, parent and words of the command."""
    wanted = b"%s=%s" % (variable.encode(), value.encode())
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes().split(b"\0")
            variables = (path / "environ").read_bytes().split(b"\0")
            parent = int((path / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            continue
        if wanted in variables:
            yield int(path.name), parent, words


def find_tasks(folder, variable, value):
    """The processes of tcgemm-tune in this run with a variable, parents only."""
    found = [(pid, parent) for pid, parent, words in find_processes(variable, value)
             if b"--work=%s" % bytes(folder / "work") in words
             and b"tcgemm-tune" in words[0]]
    pids = {pid for pid, _ in found}
    return [(pid, parent) for pid, parent in found if parent not in pids]


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Slurm:
    """slurmctld, munged and one slurmd for each node, with files of their own."""

    def __init__(self, folder, nodes):
        self.folder, self.processes = folder, {}
        # munge refuses long paths and folders that others may write to.
        self.state = pathlib.Path(tempfile.mkdtemp(prefix="slurm-", dir="/tmp"))
        self.state.chmod(0o755)
        self.nodes = ["n%d" % n for n in range(nodes)]
        self.environment = dict(os.environ, SLURM_CONF=str(self.state / "slurm.conf"))
        key = self.state / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self.start("munged", "munged", "--foreground", "--force",
                   "--key-file=%s" % key, "--socket=%s/munge.socket" % self.state,
                   "--pid-file=%s/munged.pid" % self.state,
                   "--log-file=%s/munged.log" % self.state,
                   "--seed-file=%s/munged.seed" % self.state)
        wait_for((self.state / "munge.socket").exists, "socket of munged")
        self.write_configuration(find_ports(nodes + 1))
        self.start("slurmctld", "slurmctld", "-D")
        for node in self.nodes:
            self.start(node, "slurmd", "-D", "-N", node)
        wait_for(self.is_idle, "idle nodes")

    def write_configuration(self, ports):
        (self.state / "state").mkdir()
        host = socket.gethostname()
        lines = ["ClusterName=tcgemm", "SlurmctldHost=%s(127.0.0.1)" % host,
                 "SlurmctldPort=%d" % ports[0], "SlurmUser=root", "SlurmdUser=root",
                 "AuthType=auth/munge", "CredType=cred/munge",
                 "AuthInfo=socket=%s/munge.socket" % self.state,
                 "StateSaveLocation=%s/state" % self.state,
                 "SlurmdSpoolDir=%s/spool-%%n" % self.state,
                 "SlurmctldPidFile=%s/slurmctld.pid" % self.state,
                 "SlurmdPidFile=%s/slurmd-%%n.pid" % self.state,
                 "ProctrackType=proctrack/pgid", "TaskPlugin=task/none",
                 "SelectType=select/linear", "ReturnToService=2", "MpiDefault=none",
                 "SlurmdTimeout=10", "KillWait=1", "UnkillableStepTimeout=5"]
        lines += ["NodeName=%s NodeHostName=%s NodeAddr=127.0.0.1 Port=%d CPUs=1"
                  % (node, host, port) for node, port in zip(self.nodes, ports[1:])]
        lines.append("PartitionName=p Nodes=ALL Default=YES State=UP")
        (self.state / "slurm.conf").write_text("\n".join(lines) + "\n")

    def start(self, name, *command):
        with open(self.state / (name + ".out"), "w", encoding="utf-8") as log:
            self.processes[name] = subprocess.Popen(
                command, env=self.environment, stdout=log, stderr=log)

    def is_idle(self):
        answer = subprocess.run(["sinfo", "-h", "-N", "-o", "%N %t"], check=False,
                                env=self.environment, capture_output=True, text=True)
        return answer.stdout.count(" idle") == len(self.nodes)

    def submit(self, command):
        count = str(len(self.nodes))
        return subprocess.Popen(
            ["srun", "-N", count, "-n", count, "--no-kill", "--wait=0",
             "--kill-on-bad-exit=0", "--nodelist=" + ",".join(self.nodes)]
            + command + ["--launcher=slurm"], env=self.environment)

    def kill_task(self):
        """Kills the last node: its daemon, the daemon of its step and its task."""
        node = self.nodes.pop()
        self.processes[node].kill()
        for pid, parent in find_tasks(self.folder, "SLURMD_NODENAME", node):
            if "slurmstepd" in pathlib.Path("/proc/%d/cmdline" % parent).read_text():
                kill(parent)
            kill(pid)

    def stop(self):
        for name in reversed(self.processes):
            self.processes[name].terminate()
        for process in self.processes.values():
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
        # The daemons of steps outlive a slurmd that was killed.
        for pid, _, words in find_processes("SLURM_CONF", self.environment["SLURM_CONF"]):
            if words[0].startswith(b"slurmstepd"):
                kill(pid)
        shutil.rmtree(self.state, ignore_errors=True)


class OpenMPI:
    """mpirun, which ends all tasks if one dies."""

    def __init__(self, folder, nodes):
        self.folder, self.size = folder, nodes

    def submit(self, command):
        return subprocess.Popen(
            ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
             "-n", str(self.size)] + command + ["--launcher=mpi"])

    def kill_task(self):
        for pid, _ in find_tasks(self.folder, "OMPI_COMM_WORLD_RANK",
                                 str(self.size - 1)):
            kill(pid)
        self.size -= 1

    def stop(self):
        pass


def read_lines(folder):
    """The complete lines of all tasks."""
    return [line for file in (folder / "work" / "records").glob("*.jsonl")
            for line in file.read_text().splitlines(True) if line.endswith("\n")]


def read_database(path):
    connection = sqlite3.connect(path)
    rows = connection.execute(
        "SELECT p.kernel, p.m, p.n, p.k, c.text, r.outcome, r.median FROM records r "
        "JOIN configs c ON c.id = r.config JOIN problems p ON p.id = r.problem")
    return sorted(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tcgemm-tune", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--launcher", choices=["slurm", "mpi"], required=True)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--candidates", type=int, default=160)
    parser.add_argument("--kills", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = options.folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "space.yaml").write_text(SPACE)
    problems = options.candidates // CONFIGS
    search = [options.tcgemm_tune] + ["%dx40x64" % (17 + n) for n in range(problems)]
    search += ["--device=emulator", "--chip=sm_80", "--jobs=1", "--space=%s" %
               (folder / "space.yaml")]
    subprocess.run(search + ["--strategy=exhaustive", "--db=%s" % (folder / "one.db")],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    work = search + ["--work=%s" % (folder / "work"), "--shard-size=8",
                     "--lease=%d" % LEASE]
    chooser = random.Random(options.seed)
    total = problems * CONFIGS
    start = time.monotonic()
    cluster = {"slurm": Slurm, "mpi": OpenMPI}[options.launcher](folder, options.nodes)
    submissions = 1
    try:
        job = cluster.submit(work)
        for number in range(options.kills):
            wanted = int(total * (number + chooser.uniform(0.3, 0.9))
                         / (options.kills + 1))
            wait_for(lambda: len(read_lines(folder)) >= wanted
                     or job.poll() is not None, "%d records" % wanted, 300)
            if job.poll() is not None:  # mpirun ends all tasks after a kill.
                submissions += 1
                job = cluster.submit(work)
                wait_for(lambda: len(read_lines(folder)) >= wanted
                         or job.poll() is not None, "%d records" % wanted, 300)
            before = len(read_lines(folder))
            cluster.kill_task()
            print("killed a task after %d of %d records" % (before, total))
        # Slurm's other tasks go on, but srun may wait for the dead node.
        wait_for(lambda: job.poll() is not None or len(read_lines(folder)) >= total,
                 "end of the job", 300)
        if options.launcher == "slurm":
            job.terminate()
        job.wait()
        submissions += 1
        if cluster.submit(work).wait() != 0:
            sys.exit("the last submission failed")
    finally:
        cluster.stop()
    print("%.1f s, %d submissions" % (time.monotonic() - start, submissions))
    subprocess.run([options.tcgemm_tune, "db", "merge", folder / "all.db",
                    folder / "work"], check=True)
    lines = read_lines(folder)
    merged, single = read_database(folder / "all.db"), read_database(folder / "one.db")
    if merged != single:
        sys.exit("the databases differ: %d and %d records, %d only in one"
                 % (len(merged), len(single), len(set(merged) ^ set(single))))
    if len(single) != total or len(lines) != total:
        sys.exit("%d candidates, but %d records of a single run and %d lines of tasks"
                 % (total, len(single), len(lines)))
    print("%d records equal those of a single run, none was measured twice" % total)


if __name__ == "__main__":
    main()
