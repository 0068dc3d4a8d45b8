// RUN: tcgemm-opt %s --split-input-file \
// RUN:   --tcgemm-raise="remarks=false transpose-operands" | FileCheck %s

// The expected extents decide whether operands are transposed, and become the hint
// of the kernel: batch, m, n, k.

#a = affine_map<(x, y, z, w, k) -> (x, k, y)>
#b = affine_map<(x, y, z, w, k) -> (z, k, w)>
#c = affine_map<(x, y, z, w, k) -> (x, y, z, w)>

// Products of 64 rows and columns would take longer than the transpositions.
// CHECK: tcgemm.kernel @small_tiles_0 <1x?x?x?>
// CHECK: size_hint = array<i64: 1, 4096, 4096, 1024>
// CHECK-LABEL: func.func @small_tiles
// CHECK-COUNT-2: linalg.transpose
// CHECK: tcgemm.launch @small_tiles_0
func.func @small_tiles(%a: tensor<?x?x?xf16>, %b: tensor<?x?x?xf16>,
                       %init: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %d = linalg.contract indexing_maps = [#a, #b, #c]
    {tcgemm.size_hint = array<i64: 64, 64, 64, 64, 1024>}
    ins(%a, %b : tensor<?x?x?xf16>, tensor<?x?x?xf16>)
    outs(%zeros : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %d : tensor<?x?x?x?xf32>
}

// -----

#a = affine_map<(x, y, z, w, k) -> (x, k, y)>
#b = affine_map<(x, y, z, w, k) -> (z, k, w)>
#c = affine_map<(x, y, z, w, k) -> (x, y, z, w)>

// The outer dimensions are the batch of the hint.
// CHECK: tcgemm.kernel @large_tiles_0 <?x?x?x?x?>
// CHECK: size_hint = array<i64: 4, 2048, 1024, 512>
// CHECK-LABEL: func.func @large_tiles
// CHECK-NOT: linalg.transpose
// CHECK: tcgemm.launch @large_tiles_0
func.func @large_tiles(%a: tensor<?x?x?xf16>, %b: tensor<?x?x?xf16>,
                       %init: tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  %d = linalg.contract indexing_maps = [#a, #b, #c]
    {tcgemm.size_hint = array<i64: 2, 2048, 2, 1024, 512>}
    ins(%a, %b : tensor<?x?x?xf16>, tensor<?x?x?xf16>)
    outs(%zeros : tensor<?x?x?x?xf32>) -> tensor<?x?x?x?xf32>
  return %d : tensor<?x?x?x?xf32>
}

// -----

// CHECK: tcgemm.kernel @named_0 <1x?x?x?>
// CHECK: size_hint = array<i64: 1, 16, 4096, 512>
func.func @named(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.matmul {tcgemm.size_hint = array<i64: 16, 4096, 512>}
    ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}
