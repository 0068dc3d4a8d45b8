// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -canonicalize -cse -split-input-file | FileCheck %s
// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -split-input-file -remarks-filter=tcgemm-raise \
// RUN:   -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#a = affine_map<(m, n, p, k, q, r) -> (m, q, k)>
#b = affine_map<(m, n, p, k, q, r) -> (n, r, k)>
#t = affine_map<(m, n, p, k, q, r) -> (q, r, p)>
#d = affine_map<(m, n, p, k, q, r) -> (m, p, n)>
#dual = {indexing_maps = [#a, #b, #t, #d], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}

// Dual numbers: the first component is one real product of half the depth, whose B is B's first component. Only the
// second one has a representation, of whose constants none are left out. What is added is read by the epilogue.
// CHECK-LABEL: func.func @dual(
// CHECK-SAME: %[[A:.*]]: tensor<4x2x8xf16>, %[[B:.*]]: tensor<16x2x8xf16>, %[[C:.*]]: tensor<4x2x16xf16>)
// CHECK-DAG: %[[T:.*]] = arith.constant dense<{{\[\[}}0.000000e+00, 1.000000e+00], [1.000000e+00, 0.000000e+00]]> : tensor<2x2xf16>
// CHECK-DAG: %[[D:.*]] = tensor.empty() : tensor<4x2x16xf16>
// CHECK-DAG: %[[A0:.*]] = tensor.extract_slice %[[A]][0, 0, 0] [4, 1, 8] [1, 1, 1] : tensor<4x2x8xf16> to tensor<4x8xf16>
// CHECK-DAG: %[[B0:.*]] = tensor.extract_slice %[[B]][0, 0, 0] [16, 1, 8] [1, 1, 1]
// CHECK-DAG: %[[C0:.*]] = tensor.extract_slice %[[C]][0, 0, 0] [4, 1, 16] [1, 1, 1]
// CHECK: %[[P0:.*]] = tcgemm.launch @dual_0 ins(%[[A0]], %[[B0]], %[[C0]] :
// CHECK: %[[I0:.*]] = tensor.insert_slice %[[P0]] into %[[D]][0, 0, 0] [4, 1, 16] [1, 1, 1]
// CHECK: %[[R:.*]] = tcgemm.launch @dual_1 ins(%[[T]], %[[B]] :
// CHECK-SAME: -> tensor<16x2x8xf16>
// CHECK: %[[C1:.*]] = tensor.extract_slice %[[C]][0, 1, 0] [4, 1, 16] [1, 1, 1]
// CHECK-DAG: %[[A2:.*]] = tensor.collapse_shape %[[A]] {{\[\[}}0], [1, 2]] : tensor<4x2x8xf16> into tensor<4x16xf16>
// CHECK-DAG: %[[B2:.*]] = tensor.collapse_shape %[[R]] {{\[\[}}0], [1, 2]]
// CHECK: %[[P1:.*]] = tcgemm.launch @dual_2 ins(%[[A2]], %[[B2]], %[[C1]] :
// CHECK: %[[I1:.*]] = tensor.insert_slice %[[P1]] into %[[I0]][0, 1, 0] [4, 1, 16] [1, 1, 1]
// CHECK: return %[[I1]]
func.func @dual(%A: tensor<4x2x8xf16>, %B: tensor<16x2x8xf16>, %C: tensor<4x2x16xf16>) -> tensor<4x2x16xf16> {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 0.0]]]> : tensor<2x2x2xf16>
  %D = linalg.generic #dual ins(%A, %B, %T : tensor<4x2x8xf16>, tensor<16x2x8xf16>, tensor<2x2x2xf16>) outs(%C : tensor<4x2x16xf16>) {
  ^bb0(%x: f16, %y: f16, %t: f16, %s: f16):
    %0 = arith.mulf %x, %y : f16
    %1 = arith.mulf %0, %t : f16
    %2 = arith.addf %s, %1 : f16
    linalg.yield %2 : f16
  } -> tensor<4x2x16xf16>
  return %D : tensor<4x2x16xf16>
}

// -----

#a = affine_map<(m, n, p, k, q, r) -> (q, m, k)>
#b = affine_map<(m, n, p, k, q, r) -> (r, k, n)>
#t = affine_map<(m, n, p, k, q, r) -> (q, r, p)>
#d = affine_map<(m, n, p, k, q, r) -> (p, m, n)>
#planes = {indexing_maps = [#a, #b, #t, #d], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}

// A component that is -1 times one of B's has a representation, and so has one that is always zero. The product is
// subtracted from a fill, which the kernels have as a constant.
// CHECK-LABEL: func.func @negative(
// CHECK-DAG: arith.constant dense<{{\[\[}}0.000000e+00, -1.000000e+00]]> : tensor<1x2xf32>
// CHECK-DAG: arith.constant dense<0.000000e+00> : tensor<1x2xf32>
// CHECK-NOT: linalg.fill
// CHECK: tcgemm.launch @negative_0
// CHECK-SAME: -> tensor<8x1x16xf32>
// CHECK: tcgemm.launch @negative_1 ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<8x16xf32>)
// CHECK: tcgemm.launch @negative_0
// CHECK: tcgemm.launch @negative_1 ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<8x16xf32>)
// CHECK-NOT: tcgemm.launch
// CHECK: return
func.func @negative(%A: tensor<2x4x8xf32>, %B: tensor<2x8x16xf32>) -> tensor<2x4x16xf32> {
  %T = arith.constant dense<[[[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [-1.0, 0.0]]]> : tensor<2x2x2xf32>
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<2x4x16xf32>
  %ones = linalg.fill ins(%one : f32) outs(%empty : tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  %D = linalg.generic #planes ins(%A, %B, %T : tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<2x2x2xf32>) outs(%ones : tensor<2x4x16xf32>) {
  ^bb0(%x: f32, %y: f32, %t: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.mulf %0, %t : f32
    %2 = arith.subf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<2x4x16xf32>
  return %D : tensor<2x4x16xf32>
}

// -----

#a = affine_map<(m, n, p, k, q, r) -> (m, q, k)>
#b = affine_map<(m, n, p, k, q, r) -> (n, r, k)>
#t = affine_map<(m, n, p, k, q, r) -> (q, r, p)>
#d = affine_map<(m, n, p, k, q, r) -> (m, p, n)>
#di = affine_map<(m, n, p, k, q, r) -> (m, n, p)>
#id = affine_map<(i, j, k) -> (i, j, k)>
#loops = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]

// One product of all components: where an elementwise operation is fused, where D's components are innermost, and where
// the constants are not known.
// REMARK: zero-blocks{{.*}}Blocks=4{{.*}}NonZero=3{{.*}}blocks of zeros are multiplied: a linalg operation reads its result
// REMARK: zero-blocks{{.*}}blocks of zeros are multiplied: the components are innermost in A or in its result, and no copies
// REMARK-NOT: zero-blocks
// CHECK-LABEL: func.func @fused(
// CHECK-NOT: tensor.insert_slice
// CHECK: return
func.func @fused(%A: tensor<4x2x8xf32>, %B: tensor<16x2x8xf32>, %C: tensor<4x2x16xf32>) -> tensor<4x2x16xf32> {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 0.0]]]> : tensor<2x2x2xf32>
  %D = linalg.generic {indexing_maps = [#a, #b, #t, #d], iterator_types = #loops} ins(%A, %B, %T : tensor<4x2x8xf32>, tensor<16x2x8xf32>, tensor<2x2x2xf32>) outs(%C : tensor<4x2x16xf32>) {
  ^bb0(%x: f32, %y: f32, %t: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.mulf %0, %t : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x2x16xf32>
  %E = linalg.exp ins(%D : tensor<4x2x16xf32>) outs(%C : tensor<4x2x16xf32>) -> tensor<4x2x16xf32>
  return %E : tensor<4x2x16xf32>
}
// CHECK-LABEL: func.func @interleaved(
// CHECK-NOT: tensor.insert_slice
// CHECK: return
func.func @interleaved(%A: tensor<4x2x8xf32>, %B: tensor<16x2x8xf32>, %C: tensor<4x16x2xf32>) -> tensor<4x16x2xf32> {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 0.0]]]> : tensor<2x2x2xf32>
  %D = linalg.generic {indexing_maps = [#a, #b, #t, #di], iterator_types = #loops} ins(%A, %B, %T : tensor<4x2x8xf32>, tensor<16x2x8xf32>, tensor<2x2x2xf32>) outs(%C : tensor<4x16x2xf32>) {
  ^bb0(%x: f32, %y: f32, %t: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.mulf %0, %t : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x16x2xf32>
  return %D : tensor<4x16x2xf32>
}
// CHECK-LABEL: func.func @unknown(
// CHECK-NOT: tensor.insert_slice
// CHECK: return
func.func @unknown(%A: tensor<4x2x8xf32>, %B: tensor<16x2x8xf32>, %T: tensor<2x2x2xf32>, %C: tensor<4x2x16xf32>) -> tensor<4x2x16xf32> {
  %D = linalg.generic {indexing_maps = [#a, #b, #t, #d], iterator_types = #loops} ins(%A, %B, %T : tensor<4x2x8xf32>, tensor<16x2x8xf32>, tensor<2x2x2xf32>) outs(%C : tensor<4x2x16xf32>) {
  ^bb0(%x: f32, %y: f32, %t: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.mulf %0, %t : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x2x16xf32>
  return %D : tensor<4x2x16xf32>
}
