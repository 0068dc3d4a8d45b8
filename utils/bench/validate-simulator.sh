#!/bin/sh
# Calibrates the simulator on this GPU and compares it with measured times of 4,096
# products (docs/guide/model.md). Needs a GPU with wgmma.
#
#   utils/bench/validate-simulator.sh [OPTION...] FOLDER
#
#   -d DEVICE   of tcgemm-tune (cuda)
#   -t SECONDS  after which no further cases are measured (3600)
#   -n CASES    the most cases that this run measures (4096)
#   -x TCGEMM_TUNE (build/release/bin/tcgemm-tune)
#
# FOLDER gets calibrated.machine.yaml, log.csv and table.txt. Another run with the same
# FOLDER keeps the machine file and continues with the cases that are not in the log.
set -eu
DEVICE=cuda
LIMIT=3600
MOST=4096
TUNE=build/release/bin/tcgemm-tune
while getopts d:t:n:x: option; do
  case $option in
  d) DEVICE=$OPTARG ;;
  t) LIMIT=$OPTARG ;;
  n) MOST=$OPTARG ;;
  x) TUNE=$OPTARG ;;
  *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
if [ $# -ne 1 ]; then
  echo "usage: validate-simulator.sh [OPTION...] FOLDER" >&2
  exit 2
fi
FOLDER=$1
MACHINE=$FOLDER/calibrated.machine.yaml
mkdir -p "$FOLDER"
if [ ! -e "$MACHINE" ]; then
  "$TUNE" calibrate --device="$DEVICE" -o "$MACHINE"
fi
"$TUNE" validate "$FOLDER/log.csv" --device="$DEVICE" --machine="$MACHINE" \
  --budget="$LIMIT" --most="$MOST" > "$FOLDER/table.new"
mv "$FOLDER/table.new" "$FOLDER/table.txt"
cat "$FOLDER/table.txt"
