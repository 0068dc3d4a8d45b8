#!/bin/sh
# Checks on a GPU what pruning saves and loses: searches shapes exhaustively with
# pruning, then measures what was pruned, and replays the whole sweep with and without
# predictions. The replay compares all times with their lower bounds, and fails if one
# lies below. Needs a GPU with a limits file.
#
#   utils/bench/check-pruning.sh [OPTION...] DB [SHAPE...]
#
#   -s SPACE    the space (wgmma-full)
#   -k FLAGS    flags of the kernel, as "--dtype=f16 --layout=nn" (none)
#   -d DEVICE   the device (cuda)
#   -l LIMITS   the limits file (the shipped one of the chip)
#   -t SECONDS  limit of all searches (none)
#   -x TCGEMM_TUNE (build/release/bin/tcgemm-tune)
#
# The shapes are 4096x4096x4096, 1024x1024x1024 and 64x28672x4096 by default. Another
# run with the same DB continues; after the time limit the exit code is 130.
set -u
SPACE=wgmma-full
KERNEL=
DEVICE=cuda
LIMITS=
LIMIT=
TUNE=build/release/bin/tcgemm-tune
while getopts s:k:d:l:t:x: option; do
  case $option in
  s) SPACE=$OPTARG ;;
  k) KERNEL=$OPTARG ;;
  d) DEVICE=$OPTARG ;;
  l) LIMITS=$OPTARG ;;
  t) LIMIT=$OPTARG ;;
  x) TUNE=$OPTARG ;;
  *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
if [ $# -lt 1 ]; then
  echo "usage: check-pruning.sh [OPTION...] DB [SHAPE...]" >&2
  exit 2
fi
DB=$1
shift
[ $# -gt 0 ] || set -- 4096x4096x4096 1024x1024x1024 64x28672x4096

END=${LIMIT:+$(($(date +%s) + LIMIT))}
search() { # FLAGS...: of all shapes; ends the script if the search did not end.
  rest=${END:+$((END - $(date +%s)))}
  if [ -n "$rest" ] && [ "$rest" -le 0 ]; then
    exit 130
  fi
  # An interrupt lets the candidate on the device finish, and records it.
  # shellcheck disable=SC2086 # KERNEL has several words.
  ${rest:+timeout -s INT "$rest"} "$TUNE" "$@" $KERNEL --device="$DEVICE" --space="$SPACE" \
    --strategy=exhaustive --finalists=0 --db="$DB" < /dev/null
  code=$?
  case $code in
  0 | 1) ;;
  124 | 130) exit 130 ;;
  *) exit "$code" ;;
  esac
}

search "$@" --prune=statistical ${LIMITS:+--limits="$LIMITS"}
search "$@"
for mode in sound statistical; do
  "$TUNE" replay "$DB" "$@" --space="$SPACE" --strategies=exhaustive --candidates=1 \
    --prune="$mode" ${LIMITS:+--limits="$LIMITS"} < /dev/null || exit $?
done
