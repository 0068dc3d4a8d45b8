"""The generated kernels of counters.py, and common functions of its parts."""

import hashlib
import json
import os
import shlex
import subprocess
import sys
import tarfile
import tempfile

# Configurations of small tiles with different accesses of memory.
SMALL = "cta=[64,64,32],warps=[2,2,1],stages=3,schedule=mma_sync"

# Name, sizes, options of tcgemm-run's generator, and scalars.
PRODUCTS = [
    ("default", (512, 512, 1024), "", {}),
    ("nn", (256, 256, 256), "--layout nn --config=%s" % SMALL, {}),
    ("tt", (256, 256, 256), "--layout tt --type f16 --out-type f32 "
     "--config=%s,epilogue=direct" % SMALL, {}),
    ("padded", (256, 256, 256), "--layout nt --config=%s,shared=pad" % SMALL,
     {}),
    ("cut_rows", (250, 250, 504), "--config=%s" % SMALL, {}),
    ("sectors", (250, 250, 504), "--config=cta=[64,64,64],warps=[2,2,1],"
     "stages=3,schedule=mma_sync,shared=sectors", {}),
    ("bias_relu", (256, 256, 256), "--epilogue bias_relu "
     "--config=%s,epilogue=staged" % SMALL, {}),
    ("residual", (256, 256, 256), "--epilogue residual_silu --beta 0.5 "
     "--config=%s,epilogue=staged" % SMALL, {}),
    ("by4", (130, 134, 202), "--config=%s,unaligned=copy_4" % SMALL, {}),
    ("packing", (131, 137, 211), "--config=%s" % SMALL, {}),
    ("split_k", (128, 128, 1024), "--config=%s,split_k=4" % SMALL, {}),
    ("warps_k", (128, 128, 512), "--config=cta=[64,64,64],warps=[2,2,2],"
     "stages=3,schedule=mma_sync", {}),
]

def fail(text):
    sys.exit("counters.py: " + text)


def run(command, **keywords):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, **keywords)
    if done.returncode:
        fail("%s\n%s%s" % (shlex.join(command), done.stdout[-2000:],
                           done.stderr[-2000:]))
    return done.stdout


def pack(options):
    """Packs named as their products, and so are the kernels in them."""
    with tempfile.TemporaryDirectory() as folder, \
            tarfile.open(options.packs, "w:xz") as archive:
        for name, (m, n, k), flags, _ in PRODUCTS:
            sizes = ["--m=%d" % m, "--n=%d" % n, "--k=%d" % k]
            flags = shlex.split(flags)
            source = os.path.join(folder, name + ".mlir")
            with open(source, "w") as file:
                text = run([options.tcgemm_run, "--emit-mlir"] + sizes + flags)
                file.write(text.replace("@main(", "@%s(" % name))
            place = os.path.join(folder, name)
            config = [f for f in flags if f.startswith("--config=")]
            run([options.tcgemm_run, source, "--plan", "--save-pack=" + place,
                 "--chip=sm_90", "--pipeline-options=format=ptx"] + sizes +
                config)
            for file in sorted(os.listdir(place)):
                archive.add(os.path.join(place, file), name + "/" + file,
                            filter=strip)


def strip(member):
    """A reproducible archive, independent of user and time."""
    member.mtime = member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mode = 0o644
    return member


def unpack(options, folder):
    with tarfile.open(options.packs) as archive:
        # Old versions of Python have no filter; the archive is trusted.
        filters = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        archive.extractall(folder, **filters)


def write_cases(folder, products):
    path = os.path.join(folder, "cases.jsonl")
    with open(path, "w") as file:
        for name, (m, n, k), _, scalars in products:
            case = {"id": name, "pack": name, "sizes": {"M": m, "N": n, "K": k},
                    "scalars": scalars}
            file.write(json.dumps(case) + "\n")
    return path


def hash_file(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]
