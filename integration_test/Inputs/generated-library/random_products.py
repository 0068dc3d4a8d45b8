"""Runs random products of a generated library. usage: random_products.py PROGRAM
SEED COUNT. The environment names the driver and the chip."""
import random
import subprocess
import sys

program, seed, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
draw = random.Random(seed)


def draw_run():
    m = draw.choice([1, 2, draw.randint(1, 150)])
    n = draw.randint(1, 150)
    k = draw.choice([0, draw.randint(1, 160), 8 * draw.randint(1, 20)])
    options = "".join(draw.sample("s1", draw.randint(0, 2)))
    options += draw.choice(["", "a", "b"])
    return "run:%dx%dx%d" % (m, n, k) + ("," + options if options else "")


runs = [draw_run() for _ in range(count)]
result = subprocess.run([program] + runs, stdout=subprocess.PIPE, text=True)
lines = result.stdout.splitlines()
for line in lines:
    if ": 0 of " not in line:
        print(line)
print("%d of %d are right" % (sum(": 0 of " in line for line in lines), count))
sys.exit(result.returncode)
