#!/bin/sh
# Tunes the shapes of the shipped records: the suite, DeepBench's products and those of
# language models (tuning/*.txt). Needs a Hopper GPU.
#
#   utils/bench/tune-shipped.sh [OPTION...] DB RECORDS.jsonl
#
#   -l LISTS    lists of problems, separated by commas (suite,llm,deepbench)
#   -s SPACES   searched spaces (the default of tcgemm-tune)
#   -b BUDGET   candidates for each shape (24)
#   -f COUNT    finalists, which are measured again, interleaved (5)
#   -t SECONDS  limit of the device's time (none)
#   -x TCGEMM_TUNE (build/release/bin/tcgemm-tune)
#
# Another run with the same DB continues. RECORDS.jsonl gets the best records in DB,
# also after the time limit, when the exit code is 130.
set -u
LISTS=suite,llm,deepbench
SPACES=
BUDGET=24
FINALISTS=5
LIMIT=
TUNE=build/release/bin/tcgemm-tune
while getopts l:s:b:f:t:x: option; do
  case $option in
  l) LISTS=$OPTARG ;;
  s) SPACES=$OPTARG ;;
  b) BUDGET=$OPTARG ;;
  f) FINALISTS=$OPTARG ;;
  t) LIMIT=$OPTARG ;;
  x) TUNE=$OPTARG ;;
  *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
if [ $# -ne 2 ]; then
  echo "usage: tune-shipped.sh [OPTION...] DB RECORDS.jsonl" >&2
  exit 2
fi
DB=$1 RECORDS=$2

END=${LIMIT:+$(($(date +%s) + LIMIT))}
CODE=0
for list in $(echo "$LISTS" | tr , ' '); do
  rest=${END:+$((END - $(date +%s)))}
  if [ -n "$rest" ] && [ "$rest" -le 0 ]; then
    CODE=130
    break
  fi
  # An interrupt lets the candidate on the device finish, and records it.
  ${rest:+timeout -s INT "$rest"} "$TUNE" --problems="$list" ${SPACES:+--space="$SPACES"} \
    --strategy=ranked --budget="$BUDGET" --finalists="$FINALISTS" --db="$DB" \
    < /dev/null
  case $? in
  0 | 1) ;;
  124 | 130)
    CODE=130
    break
    ;;
  *) exit 4 ;;
  esac
done
"$TUNE" best --db="$DB" --format=jsonl > "$RECORDS" || exit 4
echo "tune-shipped.sh: $(wc -l < "$RECORDS") records" >&2
exit $CODE
