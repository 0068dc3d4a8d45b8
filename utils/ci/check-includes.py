#!/usr/bin/env python3
"""Checks the includes of lib/ and include/tcgemm/ against the layers below.

Usage: check-includes.py [ROOT]

A library may include the libraries that LIBRARIES lists for it. A library in
FOLDERS has folders: its files include each other as "Folder/File.h", and a
folder may include the folders that FOLDERS lists for it. The script prints each
forbidden include and each cycle between folders or libraries, and then exits
with 1.

To add a library or folder, add a line to the table. To allow an include, add
the included name to the line of the library or folder that includes it.
"""

import os
import re
import sys

# Library: the libraries whose headers it may include.
LIBRARIES = {
    "Support": [],
    "Target": [],
    "Problem": ["Target"],
    "Config": ["Problem", "Target"],
    "Dialect": ["Config", "Target"],
    "Transforms": ["Config", "Dialect", "Problem", "Support", "Target"],
    "Schedules": ["Config", "Dialect", "Support", "Target", "Transforms"],
    "Conversion": ["Config", "Dialect", "Support", "Target"],
    "Pipelines": ["Config", "Conversion", "Dialect", "Problem", "Target",
                  "Transforms"],
    "Model": ["Config", "Target"],
    # Store includes only GenerateMatmul.h of Pipelines, which makes text.
    "Store": ["Config", "Model", "Pipelines", "Problem", "Target"],
    "TransformOps": ["Config", "Dialect", "Store", "Transforms"],
    "InitAll": ["Conversion", "Dialect", "Pipelines", "Store", "Target",
                "TransformOps", "Transforms"],
    "Plugin": ["InitAll"],
    # Tuner includes only ProductTerms.h of Library, for libraries that it writes.
    "Tuner": ["Config", "Dialect", "InitAll", "Library", "Model", "Pipelines",
              "Problem", "Runtime", "Store", "Target", "Transforms"],
    # Library loads the compiler at run time. Only Compiler/ includes Pipelines.
    "Library": ["Config", "GpuRuntime", "Pipelines", "Problem", "Runtime",
                "Store", "Target"],
    # CublasShim loads libtcgemm.so at run time, and needs its header only. Of
    # Library it includes only Logging/LogFile.h.
    "CublasShim": ["GpuRuntime", "Library"],
    "Emulator": ["Target"],
    "GpuRuntime": [],
    "Runtime": ["Emulator", "GpuRuntime", "Target"],
    "EmulatedDriver": ["Emulator", "GpuRuntime", "Runtime", "Target"],
}

# Library: its folders, and the folders that each of them may include.
FOLDERS = {
    "Emulator": {
        "Ptx": [],
        "Machine": ["Ptx"],
        "Instructions": ["Machine", "Ptx"],
        "Checkers": ["Instructions", "Machine", "Ptx"],
        "Profile": ["Machine", "Ptx"],
    },
    "Tuner": {
        "Space": [],
        "Search": ["Space"],
        "Cluster": [],
        "Measure": ["Cluster"],
        "Exchange": ["Space"],
        "Report": [],
        "Doctor": ["Measure"],
        "Calibrate": ["Measure"],
    },
    "Config": {
        "Common": [],
        "Expand": ["Common"],
        "Gemv": ["Common"],
        "MmaSync": ["Common"],
        "Simt": ["Common"],
        "Wgmma": ["Common"],
        "Wmma": ["Common"],
    },
    "Model": {
        "Bound": [],
        "Kernel": [],
        "Machine": [],
        "Simulator": [],
        "Solver": [],
    },
    "Store": {
        "Logic": [],
    },
    "Dialect": {
        "IR": ["Verifier"],
        "Verifier": [],
    },
    "Schedules": {
        "Common": [],
        "Expand": ["Common"],
        "Gemv": ["Common"],
        "MmaSync": ["Common"],
        "Simt": ["Common"],
        "Wgmma": ["Common"],
        "Wmma": ["Common"],
    },
    "Transforms": {
        "Complex": [],
        "Math": [],
        "Raise": [],
    },
}

# Headers that only include their replacements.
FORWARDING = ["include/tcgemm/Target/KernelConfig.h",
              "include/tcgemm/Target/Legality.h",
              "include/tcgemm/Transforms/ConfigProvider.h",
              "include/tcgemm/Tuner/AnalyticModel.h",
              "include/tcgemm/Tuner/Problems.h",
              "include/tcgemm/Tuner/Record.h",
              "include/tcgemm/Tuner/RecordProvider.h",
              "include/tcgemm/Tuner/Shipped.h",
              "include/tcgemm/Tuner/Store.h"]

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def find_files(root):
    """Yields (path, library, folder); the folder is None for public headers."""
    for top, depth in (("lib", 1), ("include/tcgemm", 2)):
        for directory, _, names in os.walk(os.path.join(root, top)):
            parts = os.path.relpath(directory, root).split(os.sep)
            if len(parts) <= depth:
                continue
            folder = parts[2] if depth == 1 and len(parts) > 2 else None
            for name in sorted(names):
                if name.endswith((".h", ".cpp", ".inc", ".def")):
                    yield os.path.join(directory, name), parts[depth], folder


def get_library(target, path, root):
    """The library that an include names by its path, or None."""
    if target.startswith("tcgemm/"):
        parts = target.split("/")
        name = parts[1].removesuffix(".h")
        return name if len(parts) > 2 or name in LIBRARIES else None
    if target.startswith("../"):
        resolved = os.path.normpath(os.path.join(os.path.dirname(path), target))
        parts = os.path.relpath(resolved, os.path.join(root, "lib")).split(os.sep)
        return parts[0] if len(parts) > 1 else None
    return None


def check_file(path, library, folder, root, uses, errors):
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    if os.path.relpath(path, root) in FORWARDING:
        return
    folders = FOLDERS.get(library, {})
    for match in INCLUDE.finditer(text):
        target = match.group(1)
        line = text.count("\n", 0, match.start()) + 1
        where = "%s:%d" % (os.path.relpath(path, root), line)
        other = get_library(target, path, root)
        if other and other != library:
            uses.setdefault(library, set()).add(other)
            if library not in LIBRARIES:
                errors.append("%s: library %s is not in the table" % (where, library))
            elif other not in LIBRARIES[library]:
                errors.append("%s: %s may not include %s (%s)"
                              % (where, library, other, target))
            continue
        if not folders or folder is None or other or target.startswith(("llvm/", "mlir/")):
            continue
        first = target.split("/")[0]
        if first not in folders or "/" not in target:
            errors.append('%s: write "Folder/%s"' % (where, os.path.basename(target)))
        elif folder not in folders:
            errors.append("%s: folder %s of %s is not in the table"
                          % (where, folder, library))
        elif first != folder:
            uses.setdefault((library, folder), set()).add((library, first))
            if first not in folders[folder]:
                errors.append("%s: %s/%s may not include %s"
                              % (where, library, folder, target))


def find_cycles(uses):
    """The strongly connected groups of more than one name, sorted."""
    def reach(start):
        seen, stack = set(), [start]
        while stack:
            for other in uses.get(stack.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    stack.append(other)
        return seen

    reached = {name: reach(name) for name in uses}
    groups = []
    for name in uses:
        group = sorted(other for other in reached[name]
                       if name in reached.get(other, ()))
        if group and group not in groups:
            groups.append(group)
    return groups


def main():
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else
                           os.path.join(os.path.dirname(__file__), "..", ".."))
    uses, errors = {}, []
    for path, library, folder in find_files(root):
        check_file(path, library, folder, root, uses, errors)
    for group in find_cycles(uses):
        names = ["/".join(n) if isinstance(n, tuple) else n for n in group]
        errors.append("cycle: " + ", ".join(names))
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
