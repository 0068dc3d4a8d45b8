# usage: products.sh LIST: a module with a function for each line `tag M N K` of a
# list, whose product has these sizes and is of bf16.
set -eu
index=0
grep -v '^#' "$1" | while read -r _ m n k batch _; do
  [ -n "$m" ] || continue
  index=$((index + 1))
  tcgemm-run --m="$m" --n="$n" --k="$k" ${batch:+--batch=$batch} --static --emit-mlir |
    sed "s/@main/@product_$index/"
done
