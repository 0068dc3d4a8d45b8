#!/usr/bin/env python3
"""Checks Debian packages: their files and their dependencies, or lintian's errors.

usage: check-packages.py PACKAGES INSTALLED | check-packages.py PACKAGES --lintian

PACKAGES is the folder that `ninja packages` writes, INSTALLED that of `cmake
--install --prefix`. The installed files must be those of the packages: each in one
package and no other. Only the documents that Debian prescribes, share/doc/NAME and
share/lintian, may differ. Exits with 1 and a line for each finding. lintian takes a minute.
"""

import pathlib
import re
import subprocess
import sys

# Packages with files that they must have, and packages that they must depend on.
EXPECTED = {
    "tcgemm-tools": (["bin/tcgemm-opt", "bin/tcgemm-run", "bin/tcgemm-tune",
                      "bin/tcgemm-check-module",
                      "share/man/man1/tcgemm-run.1.gz",
                      "share/man/man1/tcgemm-tune-best.1.gz",
                      "share/bash-completion/completions/tcgemm-run",
                      "share/zsh/vendor-completions/_tcgemm-run",
                      "share/fish/vendor_completions.d/tcgemm-run.fish"], ["libc6"]),
    "tcgemm-mlir-plugin": (["lib/TcgemmPlugin.so"], ["libmlir-22", "libllvm22"]),
    "libtcgemm0": (["lib/libtcgemm.so.0", "lib/libtcgemm-compiler.so",
                    "lib/libtcgemm_cublas.so",
                    "lib/libtcgemm_gpu_runtime.so"], ["libc6"]),
    "libtcgemm-dev": (["lib/libtcgemm.so", "include/tcgemm.h",
                       "include/tcgemm/Version.h", "lib/pkgconfig/tcgemm.pc",
                       "lib/cmake/tcgemm/tcgemmConfig.cmake"], ["libtcgemm0"]),
    "python3-tcgemm": (["lib/python3/dist-packages/tcgemm/__init__.py",
                        "lib/python3/dist-packages/tcgemm/py.typed"],
                       ["python3", "libtcgemm0"]),
    "tcgemm-emulated-driver": (["lib/tcgemm/emulated-driver/libcuda.so.1",
                                "lib/tcgemm/emulated-driver/libcuda.so"], ["libc6"]),
    "tcgemm-doc": (["share/doc/tcgemm/README.md", "share/doc/tcgemm/LICENSE",
                    "share/doc/tcgemm/CHANGELOG.md",
                    "share/doc/tcgemm/docs/getting-started/install.md",
                    "share/doc/tcgemm/examples/matmul_bias_gelu.mlir"], []),
}
# A loader would take these for NVIDIA's.
FORBIDDEN = re.compile(r"^(lib/libcuda\.so.*|.*/__pycache__/.*|.*\.pyc)$")


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def field(package, name):
    return output("dpkg-deb", "-f", str(package), name).strip()


def list_files(package):
    """The paths of files and links below /usr."""
    files = set()
    for line in output("dpkg-deb", "-c", str(package)).splitlines():
        path = line.split(None, 5)[5].partition(" -> ")[0]
        if not line.startswith("d"):
            files.add(path.removeprefix("./").removeprefix("usr/"))
    return files


def check_package(name, package, files):
    """Yields the findings of one package."""
    required, dependencies = EXPECTED[name]
    required = required + ["share/doc/%s/%s" % (name, document) for document in
                           ("copyright", "changelog.gz", "changelog.Debian.gz")]
    yield from ("%s lacks %s" % (name, path) for path in required if path not in files)
    yield from ("%s has %s" % (name, path) for path in sorted(files)
                if FORBIDDEN.match(path))
    depends = {re.split(r"[ (]", entry.strip())[0]
               for entry in field(package, "Depends").split(",")}
    yield from ("%s does not depend on %s" % (name, other) for other in dependencies
                if other not in depends)


def check_installed(files_of, installed):
    """Yields the differences between the packages and the installed files."""
    owners = {}
    for name, files in files_of.items():
        for path in files:
            owners.setdefault(path, []).append(name)
    for path, names in sorted(owners.items()):
        if len(names) > 1:
            yield "%s is in %s" % (path, " and ".join(names))
    own = re.compile(r"share/(doc/(%s)|lintian)/" % "|".join(EXPECTED))
    there = {str(path.relative_to(installed)) for path in installed.rglob("*")
             if not path.is_dir() or path.is_symlink()}
    yield from ("%s is installed and in no package" % path for path in
                sorted(there - set(owners)) if not own.match(path))
    yield from ("%s is packaged and not installed" % path for path in
                sorted(set(owners) - there) if not own.match(path))


def check_structure(packages, installed):
    """All findings about contents and dependencies."""
    findings = ["there is no package %s" % name for name in EXPECTED
                if name not in packages]
    findings += ["package %s is not expected" % name for name in packages
                 if name not in EXPECTED]
    known = {name: path for name, path in packages.items() if name in EXPECTED}
    files_of = {name: list_files(path) for name, path in known.items()}
    for name, path in known.items():
        findings += check_package(name, path, files_of[name])
    return findings + list(check_installed(files_of, installed))


def run_lintian(packages):
    """The errors that lintian reports."""
    text = output("lintian", "--fail-on", "none", "--tag-display-limit", "0",
                  *map(str, packages.values()))
    return [line for line in text.splitlines() if line.startswith("E:")]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, what = pathlib.Path(sys.argv[1]), sys.argv[2]
    packages = {field(path, "Package"): path for path in sorted(folder.glob("*.deb"))}
    if what == "--lintian":
        findings = run_lintian(packages)
    else:
        findings = check_structure(packages, pathlib.Path(what))
    if not packages:
        findings.append("there is no package in %s" % folder)
    print("\n".join(findings) or "%d packages: all is well" % len(packages))
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
