"""Writes records of sm_90a with a configuration of each kind of launch. usage:
kinds.py EXAMPLE > RECORDS"""
import json
import sys

CONFIGS = {
    # Clusters with multicast, tensor maps for A, B and D.
    "256x192x256": "schedule = wgmma, cta = [128, 64, 64], warps = [8, 1, 1], "
                   "stages = 3, cluster = [2, 1, 1], epilogue = tma",
    # A workspace for slices of k, and a second kernel that adds them.
    "130x72x136": "schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], "
                  "stages = 4, split_k = 2, epilogue = direct",
    # One CTA for each processor.
    "192x96x64": "schedule = wgmma, cta = [64, 96, 64], warps = [8, 1, 1], "
                 "stages = 4, persistent = true, pingpong = true, epilogue = tma",
    # Rows that are not aligned are packed first.
    "75x91x67": "schedule = mma_sync, cta = [32, 64, 32], warps = [1, 2, 1]",
    "1x64x136": "schedule = gemv, cta = [1, 8, 256], warps = [1, 4, 1]",
}

with open(sys.argv[1]) as file:
    record = json.loads(file.readline())
record.update(chip="sm_90a", microseconds=3, low=3, high=3, samples=[3, 3, 3])
for sizes, config in CONFIGS.items():
    print(json.dumps(dict(record, sizes=sizes, config=config)))
