#!/bin/sh
# Measures the convolutions of a list against cuDNN by PyTorch. Needs torch and a GPU.
#
#   benchmark-convolutions.sh BIN_DIR [LIST] > table.csv
#
# BIN_DIR has tcgemm-run. A row of the list may end with a configuration, as those do
# that search-convolutions.py prints. OPTIONS are further options of tcgemm-run, such as
# OPTIONS=--static. The packs are in a temporary folder, or in $PACKS.
set -eu

here=$(dirname "$0")
bin=$1
list=${2:-$here/../../tuning/convolutions.txt}
packs=${PACKS:-$(mktemp -d)}
rows=$packs/rows.jsonl
mkdir -p "$packs"
: > "$rows"

grep -v '^#' "$list" | while read -r name images filters stride padding dilation config; do
  # shellcheck disable=SC2086 # OPTIONS are words.
  "$bin/tcgemm-run" --conv="$images,$filters" --strides="$stride" \
    --padding="$padding" --dilations="$dilation" --type=bf16 --chip=sm_90a \
    --device=emulator --plan --save-pack="$packs/$name" \
    ${config:+--config="$config"} ${OPTIONS:-} > /dev/null
  json() { echo "[$1]" | tr x ,; }
  cat >> "$rows" << EOF
{"name": "$name", "pack": "$packs/$name", "peer": "conv", "images": $(json "$images"), "filters": $(json "$filters"), "strides": [$stride, $stride], "padding": [$padding, $padding], "dilations": [$dilation, $dilation], "type": "bf16"}
EOF
done
"${PYTHON:-python3}" "$here/benchmark-torch.py" "$rows"
