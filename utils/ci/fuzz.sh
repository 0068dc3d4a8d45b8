#!/bin/sh
# Runs the fuzz targets of unittests/Fuzz, one after the other, and stores their
# state in build/fuzz/state. The next call continues there.
#
#   utils/ci/fuzz.sh [--seconds=N] [TARGET...]     fuzz, until each has run N seconds
#   utils/ci/fuzz.sh --status                      say how long each has run
#   utils/ci/fuzz.sh --reset [TARGET...]           forget times and findings
#   utils/ci/fuzz.sh --minimize [TARGET...]        write the corpora of the repository
#
# state/TARGET.seconds is the time without a finding; it starts again from 0 after a
# correction. A finding is an input in state/TARGET.findings. The next call runs it
# again, and fuzzing continues when it is corrected.
set -u
cd "$(dirname "$0")/../.."

BUILD=build/fuzz
STATE=$BUILD/state
BIN=$BUILD/unittests/bin
CORPUS=unittests/Fuzz/corpus
PIECE=60 # Seconds after which the time is written down.

export ASAN_OPTIONS=detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0
export UBSAN_OPTIONS=print_stacktrace=1

fail() { printf 'fuzz.sh: %s\n' "$*" >&2; exit 2; }

get_targets() {
  for archive in "$CORPUS"/*.tar.xz; do
    basename "$archive" .tar.xz
  done
}

get_seconds() { cat "$STATE/$1.seconds" 2>/dev/null || echo 0; }
count_findings() { find "$STATE/$1.findings" -type f 2>/dev/null | wc -l; }

print_status() {
  printf '%-10s %8s %9s\n' target seconds findings
  for target in $TARGETS; do
    printf '%-10s %8s %9s\n' "$target" "$(get_seconds "$target")" "$(count_findings "$target")"
  done
}

# prepare TARGET: creates its folders and copies the seeds from the repository.
prepare() {
  mkdir -p "$STATE/$1.corpus" "$STATE/$1.seeds" "$STATE/$1.findings"
  tar -C "$STATE/$1.seeds" -xJf "$CORPUS/$1.tar.xz"
}

# Findings that do no harm any more become seeds.
retry_findings() {
  for finding in "$STATE/$1.findings"/*; do
    [ -f "$finding" ] || continue
    if "$BIN/fuzz-$1" -timeout=20 "$finding" >/dev/null 2>&1; then
      mv "$finding" "$STATE/$1.corpus/"
      echo 0 > "$STATE/$1.seconds"
    fi
  done
}

# fuzz TARGET: returns 1 after a finding.
fuzz() {
  prepare "$1"
  retry_findings "$1"
  [ "$(count_findings "$1")" = 0 ] || return 1
  dictionary=
  [ ! -f "unittests/Fuzz/$1.dict" ] || dictionary=-dict=unittests/Fuzz/$1.dict
  while spent=$(get_seconds "$1"); [ "$spent" -lt "$SECONDS_EACH" ]; do
    piece=$((SECONDS_EACH - spent))
    [ "$piece" -le "$PIECE" ] || piece=$PIECE
    # shellcheck disable=SC2086 # one option or none
    if ! "$BIN/fuzz-$1" $dictionary -max_total_time="$piece" -timeout=20 -rss_limit_mb=4096 \
        -max_len=16384 -artifact_prefix="$STATE/$1.findings/" "$STATE/$1.corpus" \
        "$STATE/$1.seeds" >"$STATE/$1.log" 2>&1; then
      # Slow inputs are no findings.
      rm -f "$STATE/$1.findings"/slow-unit-*
      [ "$(count_findings "$1")" != 0 ] || fail "fuzz-$1 ended: see $STATE/$1.log"
      return 1
    fi
    rm -f "$STATE/$1.findings"/slow-unit-*
    echo $((spent + piece)) > "$STATE/$1.seconds"
  done
}

# minimize TARGET: reduces the corpus to the fewest inputs with the same coverage.
minimize() {
  prepare "$1"
  merged=$(mktemp -d)
  "$BIN/fuzz-$1" -merge=1 -timeout=20 -max_len=16384 "$merged" "$STATE/$1.seeds" \
    "$STATE/$1.corpus" >"$STATE/$1.log" 2>&1 || fail "merging failed: see $STATE/$1.log"
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -C "$merged" -cf - . |
    xz -9e > "$CORPUS/$1.tar.xz"
  printf '%s: %s inputs, %s bytes\n' "$1" "$(find "$merged" -type f | wc -l)" \
    "$(wc -c < "$CORPUS/$1.tar.xz")"
  rm -r "$merged"
}

SECONDS_EACH=1200
ACTION=fuzz
TARGETS=
for argument in "$@"; do
  case $argument in
  --seconds=*) SECONDS_EACH=${argument#*=} ;;
  --status) ACTION=status ;;
  --reset) ACTION=reset ;;
  --minimize) ACTION=minimize ;;
  -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;;
  -*) fail "unknown option $argument" ;;
  *)
    [ -f "$CORPUS/$argument.tar.xz" ] || fail "no target $argument; there are: $(get_targets | tr '\n' ' ')"
    TARGETS="$TARGETS $argument"
    ;;
  esac
done
case $SECONDS_EACH in
'' | *[!0-9]*) fail "--seconds: '$SECONDS_EACH' is not a count" ;;
esac
[ -n "$TARGETS" ] || TARGETS=$(get_targets)

case $ACTION in
status) print_status; exit 0 ;;
reset)
  for target in $TARGETS; do
    rm -rf "$STATE/$target".*
  done
  exit 0
  ;;
esac

mkdir -p "$STATE"
[ -f "$BUILD/build.ninja" ] || cmake --preset fuzz > "$STATE/configure.log" ||
  fail "configuring failed: see $STATE/configure.log"
# shellcheck disable=SC2046 # a list of names
cmake --build "$BUILD" --target $(printf 'fuzz-%s ' $TARGETS) || fail "building failed"
if [ "$ACTION" = minimize ]; then
  for target in $TARGETS; do
    minimize "$target"
  done
  exit 0
fi
status=0
for target in $TARGETS; do
  fuzz "$target" || {
    status=1
    echo "fuzz-$target: findings in $STATE/$target.findings; the last log is $STATE/$target.log"
  }
done
print_status
exit $status
