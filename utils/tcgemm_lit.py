"""The common part of the lit suites: tools, substitutions and features.

Features a test can require:
  ptxas    ptxas is found (PATH, CUDA_HOME, /usr/local/cuda)
  cuda     the CUDA driver loads and sees at least one device
  sm_80..  that device has at least this compute capability
  root     the user is root, to whom permissions do not apply
  plugin   the plugin for a stock mlir-opt was built
  browser  a Chromium that runs without a screen, for pages
  numpy    a Python has NumPy: this one, or Debian's
  cuda-headers  cuda.h is found (CUDA_HOME, /usr/local/cuda)
  cublas-headers  cublasLt.h is beside it
  cublaslt  NVIDIA's libcublasLt.so is found (CUDA_HOME, /usr/local/cuda)
  emulated-driver  the CUDA driver on the emulator was built
  tsan     the C library's sources were built with ThreadSanitizer
  slurm    Debian's Slurm with munge: slurmctld, slurmd, munged, srun
  mpirun   a program mpirun
  bash, zsh, fish, mandoc  that program
  static   the tools are single static-LLVM binaries, without sanitizers
"""

import ctypes
import os
import shutil
import subprocess
import sys

import lit.formats


def find_ptxas():
    """Looks where the compiler looks, in the same order."""
    found = os.environ.get("TCGEMM_PTXAS") or shutil.which("ptxas")
    for home in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"),
                 "/usr/local/cuda"):
        if not found and home:
            found = shutil.which("ptxas", path=os.path.join(home, "bin"))
    return found


def find_in_toolkit(*paths):
    """The first of the paths that exists in a CUDA toolkit, or None."""
    homes = (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"),
             "/usr/local/cuda")
    found = (os.path.join(home, path) for home in homes if home for path in paths)
    return next(filter(os.path.exists, found), None)


def find_cuda_headers():
    """The folder of cuda.h, or None."""
    header = find_in_toolkit("include/cuda.h")
    return header and os.path.dirname(header)


def find_browser():
    """The program in TCGEMM_BROWSER, Debian's Chromium or Google's."""
    names = (os.environ.get("TCGEMM_BROWSER"), "chromium", "chromium-browser",
             "google-chrome")
    return next(filter(None, (shutil.which(n) for n in names if n)), None)


def find_numpy():
    """A Python that has NumPy, or None. Debian's package is for its own Python."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run(
                [python, "-c", "import numpy"], stderr=subprocess.DEVNULL,
                check=False).returncode == 0:
            return python
    return None


def find_device():
    """The compute capability of device 0 as 10 * major + minor, or None."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
        value = ctypes.c_int()
        if cuda.cuInit(0) or cuda.cuDeviceGetCount(ctypes.byref(value)):
            return None
        if value.value == 0:
            return None
        capability = 0
        for scale, attribute in ((10, 75), (1, 76)):
            if cuda.cuDeviceGetAttribute(ctypes.byref(value), attribute, 0):
                return None
            capability += scale * value.value
        return capability
    except (OSError, AttributeError):
        return None


def configure(config, lit_config):
    config.test_format = lit.formats.ShTest(execute_external=False)
    config.suffixes = [".mlir", ".test"]
    config.excludes = ["Inputs", "CMakeLists.txt"]

    bin_dir = os.path.join(config.tcgemm_binary_dir, "bin")
    path = [bin_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
    config.environment["PATH"] = os.pathsep.join(path)
    for name in ("HOME", "CUDA_HOME", "CUDA_PATH", "TCGEMM_PTXAS",
                 "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "ASAN_OPTIONS",
                 "UBSAN_OPTIONS", "ASAN_SYMBOLIZER_PATH"):
        if name in os.environ:
            config.environment[name] = os.environ[name]

    mutates_all = os.environ.get("TCGEMM_MUTATIONS") == "all"
    # The amount of work on the emulator, which needs no GPU but is slow.
    config.substitutions += [
        ("%emulator_cases", os.environ.get("TCGEMM_EMULATOR_CASES", "600")),
        ("%tuner_kills", os.environ.get("TCGEMM_TUNER_KILLS", "8")),
        ("%mutations", "--kernels 48 --mutations 200" if mutates_all
         else "--kernels 16 --mutations 60"),
        ("%wgmma_mutations", "--variants 1 --kernels 200 --mutations 200"
         if mutates_all else "--variants 1 --kernels 20 --mutations 60"),
        ("%type_mutations", "--variants 1 --kernels 100 --mutations 200"
         if mutates_all else "--variants 1 --kernels 25 --mutations 60"),
        ("%python", sys.executable),
        ("%llvm_bin", config.llvm_tools_dir),
        ("%tcgemm_bin", bin_dir),
        ("%tcgemm_src", config.tcgemm_source_dir),
        ("%tcgemm_obj", config.tcgemm_binary_dir),
        # Drivers whose answers the tests set: unittests/Drivers.
        ("%fake_driver", os.path.join(config.tcgemm_binary_dir, "unittests",
                                      "fake-driver")),
        # Candidates and kills of a soak of the tuner.
        ("%soak", os.environ.get("TCGEMM_SOAK", "--candidates=6000 --kills=12")),
        ("%tcgemm_plugin", config.tcgemm_plugin),
    ]

    if os.geteuid() == 0:
        config.available_features.add("root")
    if find_ptxas():
        config.available_features.add("ptxas")
    driver = os.path.join(config.tcgemm_binary_dir, "unittests", "lib",
                          "libTcgemmEmulatedDriver.so")
    if os.path.exists(driver):
        config.available_features.add("emulated-driver")
        config.substitutions += [
            ("%emulated_driver", driver),
            # A folder with the driver as libcuda.so.1, for LD_LIBRARY_PATH.
            ("%emulated_cuda", os.path.join(config.tcgemm_binary_dir, "lib",
                                            "emulated-driver"))]
    if os.path.exists(os.path.join(config.tcgemm_binary_dir, "unittests", "bin",
                                   "TcgemmLibraryThreads")):
        config.available_features.add("tsan")
    cublaslt = find_in_toolkit("lib64/libcublasLt.so", "lib/libcublasLt.so")
    if cublaslt:
        config.available_features.add("cublaslt")
        config.substitutions.append(("%cublaslt", cublaslt))
    headers = find_cuda_headers()
    if headers:
        config.available_features.add("cuda-headers")
        config.substitutions.append(("%cuda_include", headers))
        if os.path.exists(os.path.join(headers, "cublasLt.h")):
            config.available_features.add("cublas-headers")
    browser = find_browser()
    if browser:
        config.available_features.add("browser")
        config.substitutions.append(("%browser", browser))
    numpy_python = find_numpy()
    if numpy_python:
        config.available_features.add("numpy")
        config.substitutions.append(("%numpy_python", numpy_python))
    if all(shutil.which(name) for name in ("slurmctld", "slurmd", "munged", "srun")):
        config.available_features.add("slurm")
    # Shells whose completions are tried, and a checker of manual pages.
    config.available_features.update(
        name for name in ("bash", "zsh", "fish", "mandoc") if shutil.which(name))
    if shutil.which("mpirun"):
        config.available_features.add("mpirun")
    if config.tcgemm_plugin:
        config.available_features.add("plugin")
    if config.tcgemm_static_tools == "ON" and not config.tcgemm_sanitize:
        config.available_features.add("static")
    capability = find_device()
    if capability is not None:
        config.available_features.add("cuda")
        config.available_features.update(
            "sm_%d" % chip for chip in range(80, capability + 1))
