#!/usr/bin/env python3
"""Tunes on a simulated device for a long time, with faults at random.

The device `simulated` compiles and executes nothing, so that a candidate takes less
than a millisecond; its time of 50 ms is simulated. There are two phases:

  endurance  One process has most of the candidates. Compilers and the device hang,
             crash, fault and answer wrong; children are killed; the clock jumps. The
             memory of the process must not grow, and it may lose no descriptor and no
             child.
  kills      Searches and tasks of work lists are killed (SIGKILL) at random moments.
             The disk is full, and the clocks of the host and of the file server jump.
             After each kill the database must be sound and have all previous records.
             At the end of each round the records must be those of a run without
             faults, none may be there twice, and no process or file may be left.

The same command continues a run that was stopped. It prints length and seed."""

import argparse
import fcntl
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from soak_host import (Host, fit_slope, kill, list_children, measure_process)

SPACE = """
name: soak
fixed:
  - {name: schedule, value: mma_sync}
parameters:
  - {name: cta, values: [64x64x32, 32x64x32, 64x32x32, 64x64x64, 128x64x32, 64x128x32,
                         128x128x32, 32x32x32]}
  - {name: stages, values: [2, 3, 4, 5]}
  - {name: epilogue, values: [direct, staged]}
  - {name: split_k, values: [1, 2, 3, 4]}
"""
CONFIGS = 256
ROUND_PROBLEMS = 6  # Problems in a round of the phase with kills.
SETS = 4  # Different sets of problems of rounds.
SIMULATED_SECONDS = 0.05  # The time of a candidate.
LEASE = 2  # Seconds.
# The most that the memory of a process may grow after the first quarter of its
# candidates: in bytes for each candidate, which is a twentieth of what a record needs,
# or in KiB in all, for short runs.
MOST_GROWTH = 50
MOST_KIB = 8192
OUTCOMES = ["success", "compile", "compile_timeout", "memory", "runtime", "timeout",
            "correctness", "crash"]


class Soak:
    def __init__(self, options):
        self.options = options
        self.folder = options.folder.resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        # Held until the end of this process.
        self.lock = open(self.folder / "lock", "w", encoding="utf-8")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit("another soak uses the folder %s" % self.folder)
        self.host = Host(self.folder, options.host_library.resolve())
        (self.folder / "space.yaml").write_text(SPACE)
        self.state_path = self.folder / "state.json"
        self.state = {"seed": options.seed, "candidates": options.candidates,
                      "kills": options.kills, "endured": False, "killed": 0,
                      "rounds": 0, "counts": {}, "seconds": 0}
        if self.state_path.exists():
            known = json.loads(self.state_path.read_text())
            for key in ("seed", "candidates", "kills"):
                if known[key] != self.state[key]:
                    sys.exit("%s has a run with --%s=%s; use another folder"
                             % (self.folder, key, known[key]))
            self.state = known
        self.saved = time.monotonic()
        self.references = {}

    def save(self):
        now = time.monotonic()
        self.state["seconds"] += now - self.saved
        self.saved = now
        temporary = self.state_path.with_suffix(".new")
        temporary.write_text(json.dumps(self.state))
        os.replace(temporary, self.state_path)

    def count(self, name, number=1):
        self.state["counts"][name] = self.state["counts"].get(name, 0) + number

    def fail(self, text):
        self.save()
        sys.exit("%s (seed %d, folder %s)" % (text, self.options.seed, self.folder))

    def make_command(self, first, problems, hangs, compiler_hangs):
        """A search of problems with M from `first` on. Shares of faults are those of
        candidates, and of configurations for those of compilers."""
        shares = {"seed": self.options.seed, "refused": 0.01, "compiler-hang": compiler_hangs,
                  "compiler-crash": 0.004, "hang": hangs, "crash": max(1e-4, hangs),
                  "fault": max(1e-4, hangs), "wrong": 1e-3, "memory": 1e-3}
        text = ",".join("%s=%.9g" % item for item in shares.items())
        return [self.options.tcgemm_tune,
                "--m=%d:%d:1" % (first, first + problems - 1), "--n=256", "--k=1024",
                "--device=simulated", "--chip=sm_80", "--simulation=" + text,
                "--space=%s" % (self.folder / "space.yaml"), "--jobs=2",
                "--launch-timeout=1", "--compile-timeout=1"]

    def verify(self, database):
        answer = self.host.run([self.options.tcgemm_tune, "db", "verify", database])
        if answer.returncode != 0 or answer.stdout != "ok\n":
            self.fail("%s is damaged: %s%s" % (database, answer.stdout, answer.stderr))

    # ------------------------------------------------------------------------------
    # Endurance

    def endure(self):
        """One process with faults of its children."""
        problems = max(2, self.options.candidates // CONFIGS)
        database = self.folder / "endurance.db"
        hangs = max(2e-5, 6 / self.options.candidates)
        command = self.make_command(64, problems, hangs, 0.015)
        command += ["--strategy=exhaustive", "--db=%s" % database]
        chooser = random.Random(self.options.seed)
        process = self.host.start(command)
        samples, ended, tail = [], 0, b""
        os.set_blocking(process.stderr.fileno(), False)
        next_event = time.monotonic()
        while process.poll() is None:
            time.sleep(0.02)
            lines = process.stderr.read() or b""
            tail = (tail + lines)[-1000:]
            ended += lines.count(b" configurations\n")
            measured = measure_process(process.pid)
            if measured and ended > 0:
                samples.append((ended * CONFIGS,) + measured)
            if time.monotonic() >= next_event:
                self.disturb(process.pid, chooser)
                next_event = time.monotonic() + chooser.uniform(0, 2)
        self.host.set_clock(0)
        if process.returncode != 0:
            tail += process.stderr.read() or b""
            self.fail("the search ended with %d: %s"
                      % (process.returncode, tail.decode()))
        self.verify(database)
        self.check_endurance(samples, problems, database)
        leaks = self.host.find_leaks(self.folder)
        if leaks:
            self.fail("left over: %s" % ", ".join(leaks))
        self.state["endured"] = True
        self.save()

    def disturb(self, pid, chooser):
        if chooser.random() < 0.5:
            self.count("clock_jumps")
            self.host.set_clock(chooser.randrange(-10**6, 10**6))
            return
        children = list_children(pid)
        if children:
            self.count("killed_children")
            kill(chooser.choice(children))

    def check_endurance(self, samples, problems, database):
        answer = self.host.run([self.options.tcgemm_tune, "db", "stats", database])
        stats = dict(line.split() for line in answer.stdout.splitlines())
        total = sum(int(stats["records_" + name]) for name in OUTCOMES)
        if total != problems * CONFIGS:
            self.fail("%d candidates have %d records" % (problems * CONFIGS, total))
        missing = [name for name in OUTCOMES if int(stats["records_" + name]) == 0]
        if missing:
            self.fail("no candidate ended with " + ", ".join(missing))
        # The first problems fill the caches.
        settled = [s for s in samples if s[0] > problems * CONFIGS / 4]
        slope = fit_slope([(s[0], s[1] * 1024) for s in settled])
        report = {"candidates": total, "samples": len(settled),
                  "resident_kib": [settled[0][1], settled[-1][1]],
                  "bytes_per_candidate": round(slope, 3),
                  "most_descriptors": max(s[2] for s in settled),
                  "most_children": max(s[3] for s in settled),
                  "simulated_hours": round(total * SIMULATED_SECONDS / 3600, 2),
                  "records": {name: int(stats["records_" + name])
                              for name in OUTCOMES}}
        self.state["endurance"] = report
        print("endurance: %s" % json.dumps(report), flush=True)
        if slope > MOST_GROWTH and settled[-1][1] - settled[0][1] > MOST_KIB:
            self.fail("the memory grows by %.1f bytes a candidate" % slope)
        # Its own files, sockets of three children, and one for a new child.
        early = max(s[2] for s in samples[:max(1, len(samples) // 4)])
        if report["most_descriptors"] > early + 2:
            self.fail("descriptors: first %d, later %d"
                      % (early, report["most_descriptors"]))
        if report["most_children"] > 3:
            self.fail("%d children of 3" % report["most_children"])

    # ------------------------------------------------------------------------------
    # Kills

    def get_reference(self, number):
        """The command of a set of problems, and its records without faults of the
        host."""
        if number not in self.references:
            command = self.make_command(64 + 16 * number, ROUND_PROBLEMS, 3e-4,
                                        0.001)
            folder = self.folder / "reference"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            answer = self.host.run(command + ["--strategy=exhaustive",
                                              "--db=%s" % (folder / "r.db")])
            if answer.returncode != 0:
                self.fail("a run without faults ended with %d: %s"
                          % (answer.returncode, answer.stderr))
            self.references[number] = command, read_records(folder / "r.db")
            shutil.rmtree(folder)
        return self.references[number]

    def run_kills(self):
        while self.state["killed"] < self.options.kills:
            number = self.state["rounds"]
            chooser = random.Random("%d %d" % (self.options.seed, number))
            folder = self.folder / "round"
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            command, expected = self.get_reference(number % SETS)
            kind = SearchRound if number % 2 == 0 else WorkRound
            kind(self, folder, command, expected, chooser).run()
            leaks = self.host.find_leaks(folder)
            if leaks:
                self.fail("round %d: left over: %s" % (number, ", ".join(leaks)))
            self.state["rounds"] += 1
            self.count("candidates", len(expected))
            self.save()
            shutil.rmtree(folder)


def read_records(database):
    """Outcome and time by problem and configuration."""
    if not database.exists():
        return {}
    connection = sqlite3.connect(database)
    try:
        rows = connection.execute(
            "SELECT p.kernel, p.m, c.text, r.outcome, r.median FROM records r "
            "JOIN configs c ON c.id = r.config JOIN problems p ON p.id = r.problem")
        return {row[:3]: row[3:] for row in rows}
    except sqlite3.OperationalError as error:
        # Killed before its tables were created, which is one transaction.
        if "no such table" in str(error):
            return {}
        raise
    finally:
        connection.close()


class SearchRound:
    """A search with a database, which is killed and started again."""

    def __init__(self, soak, folder, command, expected, chooser):
        self.soak, self.folder, self.chooser = soak, folder, chooser
        self.database = folder / "search.db"
        self.command = command + ["--strategy=exhaustive", "--db=%s" % self.database]
        self.expected = expected

    def run(self):
        known = {}
        host = self.soak.host
        for _ in range(self.chooser.randrange(5, 10)):
            host.set_clock(self.chooser.choice([0, self.chooser.randrange(-10**6, 10**6)]))
            if self.chooser.random() < 0.3:
                self.soak.count("full_disks")
                host.set_space(self.chooser.randrange(0, 300000))
            process = host.start(self.command)
            try:
                error = process.communicate(timeout=self.chooser.uniform(0, 0.5))[1].decode()
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                self.soak.state["killed"] += 1
                error = ""
            host.set_space(None)
            if process.returncode not in (0, 4, -signal.SIGKILL) and not (
                    process.returncode == 2 and "is the disk full" in error):
                self.soak.fail("a search ended with %d: %s"
                               % (process.returncode, error))
            known = self.check(known)
        host.set_clock(0)
        # The next search removes files that a killed one has left an hour ago.
        for path in self.folder.rglob("*.tmp"):
            self.soak.count("unfinished_files")
            os.utime(path, (0, time.time() - 7200))
        answer = host.run(self.command)
        if answer.returncode != 0:
            self.soak.fail("a search ended with %d: %s"
                           % (answer.returncode, answer.stderr))
        if self.check(known) != self.expected:
            self.soak.fail("the records differ from those without faults")

    def check(self, known):
        """The database is sound and has what it had."""
        records = read_records(self.database)
        if records:
            self.soak.verify(self.database)
        lost = [key for key in known if records.get(key) != known[key]]
        if lost:
            self.soak.fail("%d records lost or changed: %s" % (len(lost), lost[0]))
        return records


class WorkRound:
    """Three tasks of a work list, which are killed and started again."""

    def __init__(self, soak, folder, command, expected, chooser):
        self.soak, self.folder, self.chooser = soak, folder, chooser
        self.work = folder / "work"
        self.command = command + ["--work=%s" % self.work, "--shard-size=16",
                                  "--lease=%d" % LEASE]
        self.expected = expected
        self.may_repeat = 0

    def run(self):
        host = self.soak.host
        tasks = [host.start(self.command) for _ in range(3)]
        for _ in range(self.chooser.randrange(5, 10)):
            time.sleep(self.chooser.uniform(0, 0.4))
            host.set_clock(self.chooser.randrange(-10**6, 10**6))
            event = self.chooser.random()
            if event < 0.2:
                self.soak.count("full_disks")
                host.set_space(self.chooser.randrange(0, 50000))
            elif event < 0.4:
                self.jump_server_clock()
            index = self.chooser.randrange(len(tasks))
            if tasks[index].poll() is None:
                tasks[index].kill()
                self.soak.state["killed"] += 1
            self.end(tasks[index])
            host.set_space(None)
            tasks[index] = host.start(self.command)
        for task in tasks:
            self.end(task)
        host.set_clock(0)
        # The next task removes files that are older than the lease.
        for folder in (self.work / "probes", self.work / "code"):
            for path in folder.rglob("*"):
                if path.suffix == ".tmp" or path.name.startswith("clock-"):
                    self.soak.count("unfinished_files")
                    os.utime(path, (0, time.time() - 2 * LEASE))
        answer = host.run(self.command)
        if answer.returncode != 0:
            self.soak.fail("a task ended with %d: %s"
                           % (answer.returncode, answer.stderr))
        self.check()

    def end(self, task):
        error = task.communicate()[1].decode()
        if task.returncode not in (0, 4, -signal.SIGKILL) and not (
                task.returncode == 2 and "No space left" in error):
            self.soak.fail("a task ended with %d: %s" % (task.returncode, error))

    def jump_server_clock(self):
        """Claims look as if the file server's clock had jumped."""
        self.soak.count("server_clock_jumps")
        then = time.time() + self.chooser.choice([-1, 1]) * self.chooser.uniform(5, 10**6)
        for claim in (self.work / "claims").glob("*"):
            self.may_repeat += 1
            os.utime(claim, (then, then))

    def check(self):
        """All records are there, and none twice, except by tasks that have lost their
        claims to others."""
        seen, repeated = set(), 0
        for file in (self.work / "records").glob("*.jsonl"):
            for line in file.read_text().splitlines(True):
                if not line.endswith("\n"):
                    continue
                record = json.loads(line)
                key = record["kernel"], record["sizes"], record["config"]
                if record.get("stage") != "final":
                    repeated += key in seen
                    seen.add(key)
        self.soak.count("repeated_after_server_clock_jumps", repeated)
        if repeated > 16 * self.may_repeat:
            self.soak.fail("%d candidates were measured twice" % repeated)
        database = self.folder / "all.db"
        answer = self.soak.host.run([self.soak.options.tcgemm_tune, "db", "merge",
                                     database, self.work])
        if answer.returncode != 0:
            self.soak.fail("db merge: " + answer.stderr)
        self.soak.verify(database)
        records = read_records(database)
        if records != self.expected:
            self.soak.fail("the merged records differ from those without faults: %s"
                           % list(set(records.items()) ^ set(self.expected.items()))[:4])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tcgemm-tune", required=True)
    parser.add_argument("--host-library", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--candidates", type=int, default=1000000)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("soak: %d candidates, %d kills, seed %d"
          % (options.candidates, options.kills, options.seed), flush=True)
    soak = Soak(options)
    if not soak.state["endured"]:
        soak.endure()
    soak.run_kills()
    soak.save()
    print("kills: %d in %d rounds, %s" % (soak.state["killed"], soak.state["rounds"],
                                          json.dumps(soak.state["counts"])))
    print("soak: sound after %d candidates and %d kills, seed %d, %.0f s"
          % (options.candidates + soak.state["counts"].get("candidates", 0),
             soak.state["killed"], options.seed, soak.state["seconds"]))


if __name__ == "__main__":
    main()
