// Transpositions that split or join pairs of neighbours have a kernel of their own in a pack.
// RUN: rm -rf %t.pack && tcgemm-opt %s -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(tcgemm-add-copy-kernels,tcgemm-emit{only-programs format=ptx chip=sm_80},tcgemm-write-pack{path=%t.pack})'
// RUN: FileCheck %s < %t.pack/manifest.json

// To two rows, and to two planes; from two planes. Three neighbours are no pair.
// CHECK: "symbol": "tcgemm_pairs_2"
// CHECK: "symbol": "tcgemm_pairs_2"
// CHECK: "symbol": "tcgemm_pairs_4"
// CHECK: "symbol": "tcgemm_copy_2"
func.func @copies(%a: memref<?x48x2xbf16>, %b: memref<?x2x48xbf16>, %c: memref<2x?x48xbf16>, %d: memref<2x16x48xf32>,
                  %e: memref<16x48x2xf32>, %f: memref<16x48x3xbf16>, %g: memref<16x3x48xbf16>) {
  linalg.transpose ins(%a : memref<?x48x2xbf16>) outs(%b : memref<?x2x48xbf16>) permutation = [0, 2, 1]
  linalg.transpose ins(%a : memref<?x48x2xbf16>) outs(%c : memref<2x?x48xbf16>) permutation = [2, 0, 1]
  linalg.transpose ins(%d : memref<2x16x48xf32>) outs(%e : memref<16x48x2xf32>) permutation = [1, 2, 0]
  linalg.transpose ins(%f : memref<16x48x3xbf16>) outs(%g : memref<16x3x48xbf16>) permutation = [0, 2, 1]
  return
}
