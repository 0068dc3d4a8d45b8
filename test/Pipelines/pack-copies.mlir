// The kernels that a pack's copies launch.
// RUN: tcgemm-opt %s -split-input-file -tcgemm-add-copy-kernels \
// RUN:   | FileCheck %s --check-prefix=MODULE
// RUN: rm -rf %t.pack && head -12 %s | tcgemm-opt -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(tcgemm-add-copy-kernels,tcgemm-emit{only-programs format=ptx chip=sm_80},tcgemm-write-pack{path=%t.pack})'
// RUN: FileCheck %s --check-prefix=MANIFEST < %t.pack/manifest.json

func.func @transposed(%a: memref<?x48xbf16>, %b: memref<48x?xbf16>) {
  linalg.transpose ins(%a : memref<?x48xbf16>) outs(%b : memref<48x?xbf16>) permutation = [1, 0]
  return
}

// MODULE-LABEL: func.func @transposed
// MODULE: gpu.module @tcgemm_copies attributes {tcgemm.ptx = {{.*}}.entry tcgemm_copy_2
// MODULE-SAME: .entry tcgemm_pairs_2
// MODULE-NOT: tcgemm_copy_4

// The grid has a block for each tile of 64 x 64 elements.
// MANIFEST: "copy": "view0"
// MANIFEST: "step":
// MANIFEST: "operand": "from"
// MANIFEST: "operand": "to"
// MANIFEST: "grid":
// MANIFEST-NEXT: "ceildiv(arg1.dim1, 64)"
// MANIFEST: "module": "tcgemm_copies"
// MANIFEST: "symbol": "tcgemm_copy_2"
// MANIFEST: "to": "arg1"

// -----

// Elements that share bytes have no kernel.

// MODULE-LABEL: func.func @narrow
// MODULE-NOT: gpu.module
func.func @narrow(%a: memref<4x4xi4>, %b: memref<4x4xi4>) {
  memref.copy %a, %b : memref<4x4xi4> to memref<4x4xi4>
  return
}
