"""Waits until the process whose number is in a file has ended."""
import sys
import time

with open(sys.argv[1]) as file:
    process = int(file.read())
for _ in range(1000):
    try:
        with open(f"/proc/{process}/stat") as file:
            # Nobody may have asked for the status of an ended process.
            if file.read().rsplit(")", 1)[1].split()[0] in "ZX":
                sys.exit(0)
    except FileNotFoundError:
        sys.exit(0)
    time.sleep(0.01)
sys.exit(f"process {process} still runs")
