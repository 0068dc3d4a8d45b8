#!/bin/sh
# Sets tcgemm up on a fresh Debian 12 and builds, shows or checks it. Installs
# only what is missing; everything else is CMake presets (CMakePresets.json).
set -eu
cd "$(dirname "$0")"

use_preset() {
  PRESET=$1
  BUILD=build/$PRESET
}
use_preset "${TCGEMM_PRESET:-release}"
PACKAGES="libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-22 lld-22
  clang-format-22 libzstd-dev libcurl4-openssl-dev libedit-dev zlib1g-dev
  libxml2-dev libz3-dev libsqlite3-dev libgtest-dev ccache cmake ninja-build
  python3 python3-numpy git ca-certificates"
OPTIONAL_PACKAGES=
case $PRESET in
asan | ubsan | tsan | fuzz) PACKAGES="$PACKAGES libclang-rt-22-dev" ;;
esac

usage() {
  cat <<END
usage: ./bootstrap.sh COMMAND

  demo    build two of the tools, then take examples/matmul_bias_gelu.mlir from MLIR
          to a cubin (to PTX, without ptxas): shows the stages, the resources, and
          a checked result, on a GPU if there is one, else on the emulator; takes
          the tools of build/release if they are there, else those of the preset
          demo, which compile faster and are slower
  check   build, then run the whole test suite, check the format of the sources,
          run clang-tidy on changed sources and list the skipped tests
  build   install what is missing, configure and build only
  format  run clang-format on the sources
  tidy [--all] [OPTION]...
          build, then run clang-tidy on the sources that differ from the merge base
          with origin/main (or main), or on all; a stopped run continues
          (utils/ci/run-clang-tidy.py --help)

Run it as root, or with sudo at hand: missing Debian packages are installed
with apt. Environment:
  TCGEMM_PRESET      CMake preset to use (release, debug, asan, ubsan, tsan; fuzz
                     to build the fuzzers that utils/ci/fuzz.sh runs); release
  TCGEMM_NO_INSTALL  set to 1 to install nothing and fail if something is missing
  TCGEMM_TIDY_BASE   revision for the merge base of clang-tidy
END
}

say() { printf '\n== %s\n' "$*"; }
fail() { printf 'bootstrap.sh: %s\n' "$*" >&2; exit 1; }

is_installed() {
  dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    fail "not root, and there is no sudo: cannot run '$*'"
  fi
}

install_packages() {
  command -v dpkg-query >/dev/null 2>&1 ||
    fail "this script installs Debian packages; elsewhere, install LLVM and MLIR 22.1, clang, lld, CMake and Ninja yourself and use the CMake presets"
  missing=
  for package in $PACKAGES $OPTIONAL_PACKAGES; do
    is_installed "$package" || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  [ "${TCGEMM_NO_INSTALL:-0}" != 1 ] || fail "missing packages:$missing"
  say "Installing$missing"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update
  known=
  for package in $missing; do
    if apt-cache show "$package" >/dev/null 2>&1; then
      known="$known $package"
    else
      not_found "$package"
    fi
  done
  # shellcheck disable=SC2086 # a list of names
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends $known ||
    fail "apt-get could not install:$known"
}

not_found() {
  case " $OPTIONAL_PACKAGES " in
  *" $1 "*)
    echo "apt knows no package '$1': tests that need it are skipped"
    return
    ;;
  esac
  echo "bootstrap.sh: apt knows no package '$1'." >&2
  case $1 in
  *-22*) ;;
  *) exit 1 ;;
  esac
  cat >&2 <<END
LLVM 22 is not in Debian 12 itself: it comes from https://apt.llvm.org, suite
llvm-toolchain-bookworm-22. Add that source and its key, then run this again:
  deb https://apt.llvm.org/bookworm/ llvm-toolchain-bookworm-22 main
END
  exit 1
}

# build [TARGET]...: these targets, or everything.
build() {
  install_packages
  say "Configuring and building (preset $PRESET)"
  cmake --preset "$PRESET" > "$TMP/configure.log" 2>&1 ||
    { cat "$TMP/configure.log"; fail "configuring failed"; }
  if [ $# = 0 ]; then
    cmake --build --preset "$PRESET"
  else
    cmake --build --preset "$PRESET" --target "$@"
  fi
}

# Looks where the compiler looks.
find_ptxas() {
  for ptxas in "${TCGEMM_PTXAS:-}" "$(command -v ptxas || true)" \
               "${CUDA_HOME:-}/bin/ptxas" "${CUDA_PATH:-}/bin/ptxas" \
               /usr/local/cuda/bin/ptxas; do
    if [ -x "$ptxas" ]; then
      echo "$ptxas"
      return
    fi
  done
}

sources() {
  find include lib tools unittests examples -name '*.h' -o -name '*.cpp' -o -name '*.c'
}

format() {
  sources | xargs clang-format-22 -i
}

# run_tidy OPTION...: clang-tidy on the sources of the build.
run_tidy() {
  [ -z "${TCGEMM_TIDY_BASE:-}" ] || set -- --base "$TCGEMM_TIDY_BASE" "$@"
  python3 utils/ci/run-clang-tidy.py --build "$BUILD" "$@"
}

tidy() {
  PACKAGES="$PACKAGES clang-tidy-22
    slurm-wlm munge openmpi-bin"
  build
  run_tidy "$@" || fail "clang-tidy has findings: see above"
}

# The changed sources, as far as ten minutes suffice.
check_tidy() {
  say "Running clang-tidy on changed sources"
  if ! command -v clang-tidy-22 > /dev/null 2>&1; then
    echo "skipped: clang-tidy-22 is not installed"
  elif ! git rev-parse HEAD > /dev/null 2>&1; then
    echo "skipped: this is not a clone of the repository"
  else
    run_tidy --minutes 10 || [ $? = 3 ]
  fi
}

check() {
  if [ "${TCGEMM_NO_INSTALL:-0}" != 1 ]; then
    PACKAGES="$PACKAGES clang-tidy-22"
    # For tests of threads, manual pages, completions and packages.
    OPTIONAL_PACKAGES="libclang-rt-22-dev mandoc zsh fish dpkg-dev file"
  fi
  build
  status=0
  say "Running all tests"
  ctest --preset "$PRESET" || status=1
  say "Checking the format of the sources"
  for source in $(sources); do
    clang-format-22 --dry-run -Werror "$source" 2>/dev/null ||
      { status=1; echo "not formatted: $source (./bootstrap.sh format mends it)"; }
  done
  check_tidy || status=1
  say "Summary"
  python3 utils/ci/summarize-tests.py "$BUILD"
  [ "$status" = 0 ] || fail "some checks failed: see above"
  say "All checks passed"
}

# show FILE LINES: the first lines of a file, and how many more there are.
show() {
  head -n "$2" "$1" | cut -c 1-160
  total=$(wc -l < "$1")
  [ "$total" -le "$2" ] || echo "  ... $((total - $2)) more lines in $1"
}

# stage TITLE PASS PREFIX: the IR after a pass, by its operations of a dialect:
# how many there are of each, and the first.
stage() {
  file=$(find "$STAGES" -name "*_$2.mlir" | sort | head -n 1)
  [ -n "$file" ] || fail "no stage $2 in $STAGES"
  say "$1: $file"
  awk -v prefix="$3" '
    match($0, "(^|[ =])" prefix "[a-z0-9_.]*") {
      name = substr($0, RSTART, RLENGTH); sub(/^[ =]/, "", name)
      if (!count[name]++) { order[++kinds] = name; first[name] = $0 }
    }
    END {
      for (i = 1; i <= kinds; ++i) {
        line = first[order[i]]; sub(/^ */, "", line)
        if (length(line) > 110) line = substr(line, 1, 110) " ..."
        printf "%5d %-26s %s\n", count[order[i]], order[i], line
      }
      exit kinds == 0
    }' "$file" || fail "$file holds no operation of $3"
}

# What to try after the demo. Each command works as it is printed.
show_next() {
  say "What to try next"
  cat <<END
Other sizes, another type, another epilogue, without a file of MLIR:
  $run --m=512 --n=384 --k=256 --type=f16 --epilogue=bias_relu $device
What the emulator counts in a kernel:
  $run --m=512 --n=384 --k=256 --device=emulator --profile
The module before any pass, and every option:
  $run --m=512 --n=384 --k=256 --emit-mlir
  $run --help
Everything else, in about 15 minutes: tcgemm-tune, the C library, the tests
  ./bootstrap.sh build
  build/release/bin/tcgemm-tune best 4096x4096x4096
  ninja -C build/release packages
Read on: docs/getting-started/first-kernel.md, docs/README.md
END
}

demo() {
  # Tools of a release that was built before are not compiled again.
  [ -n "${TCGEMM_PRESET:-}" ] || [ -x "$BUILD/bin/tcgemm-run" ] || use_preset demo
  build tcgemm-opt tcgemm-run
  input=examples/matmul_bias_gelu.mlir
  chip=${TCGEMM_CHIP:-sm_90}
  opt=$BUILD/bin/tcgemm-opt
  run=$BUILD/bin/tcgemm-run
  STAGES=$BUILD/stages
  rm -rf "$STAGES"

  say "The input: $input"
  show "$input" 100

  if ptxas=$(find_ptxas) && [ -n "$ptxas" ]; then
    format=cubin
    device=
    say "Compiling for $chip with $ptxas"
  else
    format=ptx
    device=--device=emulator
    say "Compiling for $chip as far as PTX"
    echo "ptxas was not found (PATH, CUDA_HOME, /usr/local/cuda): no cubin is made."
    echo "Install NVIDIA's CUDA toolkit, or only its ptxas, to get one; the emulator"
    echo "takes PTX."
  fi
  "$opt" "$input" "--tcgemm-to-cubin=chip=$chip format=$format" --mlir-print-ir-after-all \
    "--mlir-print-ir-tree-dir=$STAGES" -o "$STAGES.mlir"

  stage "One kernel, its elementwise work fused" tcgemm-raise tcgemm.
  stage "Configured" tcgemm-configure tcgemm.kernel
  grep -o '#tcgemm.config<.*>' "$file"
  stage "Tiles, rings and stages" tcgemm-schedule tcgemm.
  stage "The NVGPU level" tcgemm-lower-tiles nvgpu.
  stage "NVVM" tcgemm-program-to-nvvm nvvm.

  say "The plan and its resources"
  "$run" "$input" "--chip=$chip" --m=1000 --plan "--pipeline-options=format=$format"

  say "The result"
  # shellcheck disable=SC2086 # nothing, or one word
  "$run" "$input" "--chip=$chip" --m=1000 $device ||
    fail "tcgemm-run failed with exit code $?"
  say "Done. Every stage is under $STAGES, the compiled module is $STAGES.mlir"
  show_next
}

[ $# = 1 ] || [ "${1:-}" = tidy ] || { usage >&2; exit 2; }
case $1 in
-h | --help | help) usage; exit 0 ;;
demo | check | build | format | tidy) ;;
*) usage >&2; exit 2 ;;
esac
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
"$@"
