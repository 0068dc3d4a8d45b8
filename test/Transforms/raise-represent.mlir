// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file | FileCheck %s
// RUN: tcgemm-opt %s -tcgemm-raise=representations=false -split-input-file | FileCheck %s --check-prefix=PACKED
// RUN: tcgemm-opt %s -tcgemm-raise="representations=false remarks=false" -split-input-file \
// RUN:   -remarks-filter=tcgemm-raise -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-COUNT-2: blocks-in-memory{{.*}}the chip or the configuration has no kernels that read numbers of f64 as blocks, or the option representations is false; schedule mma_sync has them
// REMARK-NOT: blocks-in-memory

// A kernel reads numbers of f64 as blocks. Without the option, and where no kernel does, the blocks are in memory.

#a = affine_map<(m, n, p, k, q, r) -> (m, k, q)>
#b = affine_map<(m, n, p, k, q, r) -> (k, n, r)>
#t = affine_map<(m, n, p, k, q, r) -> (q, r, p)>
#d = affine_map<(m, n, p, k, q, r) -> (m, n, p)>
#loops = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]

// Rows of the block are those of k: re, im; -im, re.
// CHECK: tcgemm.kernel @complex_0 <1x?x?x?> [#tcgemm.operand<a, f64, "mk">, #tcgemm.operand<b, f64, "kn", representation = <{{\[\[}}1, 2], [-2, 1]]>>, #tcgemm.operand<input, f64, "mn">, #tcgemm.operand<output, f64, "mn">]
// CHECK-LABEL: func.func @complex
// CHECK-NOT: tcgemm.represent
// CHECK: %[[B:.*]] = tensor.collapse_shape %arg1 {{\[\[}}0], [1, 2]] : tensor<?x?x2xf64> into tensor<?x?xf64>
// CHECK: tcgemm.launch @complex_0 ins(%{{.*}}, %[[B]], %{{.*}} :
// CHECK-NOT: tcgemm.launch
// PACKED: tcgemm.kernel @complex_0 <?x?x2x2x2>
// PACKED: tcgemm.kernel @complex_1 <1x?x?x?> [#tcgemm.operand<a, f64, "mk">, #tcgemm.operand<b, f64, "kn">,
// PACKED: tcgemm.launch @complex_0 ins(%arg1,
// PACKED: tcgemm.launch @complex_1
func.func @complex(%A: tensor<?x?x2xf64>, %B: tensor<?x?x2xf64>, %C: tensor<?x?x2xf64>) -> tensor<?x?x2xf64> {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [-1.0, 0.0]]]> : tensor<2x2x2xf64>
  %D = linalg.generic {indexing_maps = [#a, #b, #t, #d], iterator_types = #loops}
    ins(%A, %B, %T : tensor<?x?x2xf64>, tensor<?x?x2xf64>, tensor<2x2x2xf64>) outs(%C : tensor<?x?x2xf64>) {
  ^bb0(%x: f64, %y: f64, %t: f64, %s: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.mulf %0, %t : f64
    %2 = arith.addf %s, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<?x?x2xf64>
  return %D : tensor<?x?x2xf64>
}

// -----

// The conjugate of A, and B contiguous along k: rows of the block are those of n, so that the block is transposed.
#a = affine_map<(m, n, p, k, q, r) -> (m, k, q)>
#b = affine_map<(m, n, p, k, q, r) -> (n, k, r)>
#t = affine_map<(m, n, p, k, q, r) -> (q, r, p)>
#d = affine_map<(m, n, p, k, q, r) -> (m, n, p)>
#loops = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
// CHECK: tcgemm.kernel @conjugate_0 <1x64x32x48> [#tcgemm.operand<a, f64, "mk">, #tcgemm.operand<b, f64, "nk", representation = <{{\[\[}}1, 2], [2, -1]]>>,
// CHECK: tcgemm.launch @conjugate_0 {{.*}} tensor<16x48xf64>
func.func @conjugate(%A: tensor<64x24x2xf64>, %B: tensor<16x24x2xf64>, %C: tensor<64x16x2xf64>) -> tensor<64x16x2xf64> {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, -1.0], [1.0, 0.0]]]> : tensor<2x2x2xf64>
  %D = linalg.generic {indexing_maps = [#a, #b, #t, #d], iterator_types = #loops}
    ins(%A, %B, %T : tensor<64x24x2xf64>, tensor<16x24x2xf64>, tensor<2x2x2xf64>) outs(%C : tensor<64x16x2xf64>) {
  ^bb0(%x: f64, %y: f64, %t: f64, %s: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.mulf %0, %t : f64
    %2 = arith.addf %s, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<64x16x2xf64>
  return %D : tensor<64x16x2xf64>
}

// -----

// Another configuration, blocks with zeros, elements of f32, and components that are not innermost: in memory.
#a = affine_map<(m, n, p, k, q, r) -> (m, k, q)>
#b = affine_map<(m, n, p, k, q, r) -> (k, n, r)>
#planes = affine_map<(m, n, p, k, q, r) -> (r, k, n)>
#t = affine_map<(m, n, p, k, q, r) -> (q, r, p)>
#d = affine_map<(m, n, p, k, q, r) -> (m, n, p)>
#loops = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
// CHECK-NOT: representation = <[
// CHECK: tcgemm.kernel @configured_0 {{.*}}
// CHECK: config = #tcgemm.config<schedule = expand>
// CHECK: tcgemm.kernel @configured_1 {{.*}} #tcgemm.operand<b, f64, "kn">,
// CHECK: config = #tcgemm.config<schedule = mma_sync, cta = [64, 64, 16], representation = packed>
// CHECK: func.func @other
// CHECK-COUNT-2: tcgemm.launch
// CHECK: func.func @dual
// CHECK-COUNT-2: tcgemm.launch
// CHECK: func.func @single
// CHECK-COUNT-2: tcgemm.launch
// CHECK: func.func @planes
// CHECK-COUNT-2: tcgemm.launch
// CHECK-NOT: representation = <[
func.func @configured(%A: tensor<?x?x2xf64>, %B: tensor<?x?x2xf64>, %C: tensor<?x?x2xf64>) -> tensor<?x?x2xf64> {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [-1.0, 0.0]]]> : tensor<2x2x2xf64>
  %D = linalg.generic {indexing_maps = [#a, #b, #t, #d], iterator_types = #loops}
    ins(%A, %B, %T : tensor<?x?x2xf64>, tensor<?x?x2xf64>, tensor<2x2x2xf64>) outs(%C : tensor<?x?x2xf64>)
    attrs = {tcgemm.config = #tcgemm.config<cta = [64, 64, 16], representation = packed>} {
  ^bb0(%x: f64, %y: f64, %t: f64, %s: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.mulf %0, %t : f64
    %2 = arith.addf %s, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<?x?x2xf64>
  return %D : tensor<?x?x2xf64>
}
func.func @other(%A: tensor<?x?x2xf64>, %B: tensor<?x?x2xf64>, %C: tensor<?x?x2xf64>) -> tensor<?x?x2xf64> {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [-1.0, 0.0]]]> : tensor<2x2x2xf64>
  %D = linalg.generic {indexing_maps = [#a, #b, #t, #d], iterator_types = #loops}
    ins(%A, %B, %T : tensor<?x?x2xf64>, tensor<?x?x2xf64>, tensor<2x2x2xf64>) outs(%C : tensor<?x?x2xf64>)
    attrs = {tcgemm.config = #tcgemm.config<schedule = simt, cta = [64, 64, 16]>} {
  ^bb0(%x: f64, %y: f64, %t: f64, %s: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.mulf %0, %t : f64
    %2 = arith.addf %s, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<?x?x2xf64>
  return %D : tensor<?x?x2xf64>
}
func.func @dual(%A: tensor<?x?x2xf64>, %B: tensor<?x?x2xf64>, %C: tensor<?x?x2xf64>) -> tensor<?x?x2xf64> {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 0.0]]]> : tensor<2x2x2xf64>
  %D = linalg.generic {indexing_maps = [#a, #b, #t, #d], iterator_types = #loops}
    ins(%A, %B, %T : tensor<?x?x2xf64>, tensor<?x?x2xf64>, tensor<2x2x2xf64>) outs(%C : tensor<?x?x2xf64>) {
  ^bb0(%x: f64, %y: f64, %t: f64, %s: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.mulf %0, %t : f64
    %2 = arith.addf %s, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<?x?x2xf64>
  return %D : tensor<?x?x2xf64>
}
func.func @single(%A: tensor<?x?x2xf32>, %B: tensor<?x?x2xf32>, %C: tensor<?x?x2xf32>) -> tensor<?x?x2xf32> {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [-1.0, 0.0]]]> : tensor<2x2x2xf32>
  %D = linalg.generic {indexing_maps = [#a, #b, #t, #d], iterator_types = #loops}
    ins(%A, %B, %T : tensor<?x?x2xf32>, tensor<?x?x2xf32>, tensor<2x2x2xf32>) outs(%C : tensor<?x?x2xf32>) {
  ^bb0(%x: f32, %y: f32, %t: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.mulf %0, %t : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<?x?x2xf32>
  return %D : tensor<?x?x2xf32>
}
func.func @planes(%A: tensor<?x?x2xf64>, %B: tensor<2x?x?xf64>, %C: tensor<?x?x2xf64>) -> tensor<?x?x2xf64> {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [-1.0, 0.0]]]> : tensor<2x2x2xf64>
  %D = linalg.generic {indexing_maps = [#a, #planes, #t, #d], iterator_types = #loops}
    ins(%A, %B, %T : tensor<?x?x2xf64>, tensor<2x?x?xf64>, tensor<2x2x2xf64>) outs(%C : tensor<?x?x2xf64>) {
  ^bb0(%x: f64, %y: f64, %t: f64, %s: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.mulf %0, %t : f64
    %2 = arith.addf %s, %1 : f64
    linalg.yield %2 : f64
  } -> tensor<?x?x2xf64>
  return %D : tensor<?x?x2xf64>
}
