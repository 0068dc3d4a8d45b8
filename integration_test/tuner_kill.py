#!/usr/bin/env python3
"""Kills tcgemm-tune (SIGKILL) at random moments of a search on the emulator.

After each kill the database must pass its own check and have all previous records. A
last run without a kill must complete the search."""

import argparse
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

SPACE = """
name: kill
fixed:
  - {name: schedule, value: mma_sync}
parameters:
  - {name: cta, values: [64x64x32, 32x64x32, 64x32x32, 64x64x64]}
  - {name: stages, values: [2, 3, 4, 5]}
  - {name: epilogue, values: [direct, staged]}
"""


def get_records(database):
    if not database.exists():
        return {}
    # Not read-only, because the log of a killed writer may need recovery.
    connection = sqlite3.connect(database)
    try:
        return dict(connection.execute(
            "SELECT c.text, r.outcome || ' ' || r.median FROM records r "
            "JOIN configs c ON c.id = r.config"))
    except sqlite3.OperationalError as error:
        # Killed before its tables were created, which is one transaction.
        if "no such table" in str(error):
            return {}
        raise
    finally:
        connection.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tcgemm-tune", required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    space = options.folder / "kill.yaml"
    space.write_text(SPACE)
    database = options.folder / "kill.db"
    command = [options.tcgemm_tune, "48x56x96", "--device=emulator",
               "--chip=sm_80", "--space", str(space), "--db", str(database)]
    chooser = random.Random(options.seed)
    known = {}
    for number in range(options.kills):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        # Most searches end within a second; some are started again.
        time.sleep(chooser.uniform(0, 0.6))
        process.send_signal(signal.SIGKILL)
        process.wait()
        if database.exists() and get_records(database) != {}:
            check = subprocess.run(
                [options.tcgemm_tune, "db", "verify", str(database)],
                capture_output=True, text=True)
            if check.returncode != 0 or check.stdout != "ok\n":
                sys.exit("kill %d: %s%s" % (number, check.stdout, check.stderr))
        records = get_records(database)
        lost = [config for config in known if records.get(config) != known[config]]
        if lost:
            sys.exit("kill %d: lost or changed: %s" % (number, lost))
        known = records
        if len(records) == 32 and number + 1 < options.kills:
            for path in options.folder.glob("kill.db*"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            known = {}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    records = get_records(database)
    missing = [config for config in known if config not in records]
    if len(records) != 32 or missing:
        sys.exit("at the end there are %d records, missing %s"
                 % (len(records), missing))
    print("all records kept, the database sound, the search complete")


if __name__ == "__main__":
    main()
