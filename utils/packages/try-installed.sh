#!/bin/sh
# Uses the installed packages as a user would: in a container, a chroot or on this
# machine. It needs no GPU. Exits with 1 at the first command that fails.
#
# Usage: try-installed.sh
set -eu

examples=/usr/share/doc/tcgemm/examples
driver=/usr/lib/tcgemm/emulated-driver
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export XDG_CACHE_HOME="$folder/cache" XDG_DATA_HOME="$folder/data"

say() { printf '\n== %s\n' "$*"; }

# expect TEXT COMMAND...: prints the command's output, in which the text must be.
expect() {
  text=$1
  shift
  "$@" > "$folder/output" 2>&1 || { cat "$folder/output"; echo "failed: $*" >&2; exit 1; }
  cat "$folder/output"
  grep -qF -- "$text" "$folder/output" || { echo "no '$text' in: $*" >&2; exit 1; }
}

say "Versions"
for tool in opt run tune check-module; do
  expect "tcgemm " "tcgemm-$tool" --version
done

if command -v mandoc > /dev/null; then
  say "Manual pages"
  # The index of pages, for their references.
  makewhatis /usr/share/man
  for page in /usr/share/man/man1/tcgemm-*.gz; do
    mandoc -Tlint "$page"
  done
  man_program=mman
  if command -v man > /dev/null; then man_program='man'; fi
  expect "fastest configurations" $man_program tcgemm-tune-best
fi

say "From MLIR to a kernel"
tcgemm-opt "$examples/matmul_bias_gelu.mlir" \
  --tcgemm-to-cubin="chip=sm_90 format=ptx pack=$folder/pack" -o "$folder/out.mlir"
expect pass tcgemm-run "$folder/pack" --m=100 --device=emulator

if command -v mlir-opt-22 > /dev/null; then
  say "The plugin"
  expect tcgemm.kernel mlir-opt-22 --load-pass-plugin=/usr/lib/TcgemmPlugin.so \
    --load-dialect-plugin=/usr/lib/TcgemmPlugin.so "$examples/matmul_bias_gelu.mlir" \
    --pass-pipeline="builtin.module(tcgemm-raise)"
else
  echo "the plugin is not tried: there is no mlir-opt-22"
fi

say "A shape"
expect TFLOP/s tcgemm-tune best 4096x4096x4096

say "A program that launches a kernel, on the emulated driver"
if command -v cc > /dev/null; then
  cc "$examples/emulated-driver/launch.c" -ldl -o "$folder/launch"
  expect "all results are right" env LD_LIBRARY_PATH="$driver" "$folder/launch"
  flags=$(pkg-config --cflags --libs tcgemm)
  cat > "$folder/version.c" <<'END'
#include <stdio.h>
#include <tcgemm.h>
int main(void) {
  printf("version %d\n", tcgemmGetVersion());
}
END
  # The flags are words.
  # shellcheck disable=SC2086
  cc "$folder/version.c" $flags -o "$folder/version"
  expect "version 100" "$folder/version"
else
  echo "skipped: there is no C compiler"
fi

say "A product in Python, on the emulated driver"
if python3 -c 'import numpy' 2> /dev/null; then
  TCGEMM_PTX=1 LD_LIBRARY_PATH=$driver expect "the product is right" python3 -c '
import numpy, tcgemm
a = numpy.ones((48, 32), numpy.float16)
b = numpy.full((32, 24), 2, numpy.float16)
d = tcgemm.matmul(a, b)
assert d.shape == (48, 24) and (d == 64).all(), d
print("the product is right")'
else
  echo "skipped: there is no NumPy"
fi

say "All commands work"
