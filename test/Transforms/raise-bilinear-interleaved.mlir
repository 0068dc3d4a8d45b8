// RUN: tcgemm-opt %s -tcgemm-raise="remarks=false separate-components" -canonicalize -cse -split-input-file | FileCheck %s
// RUN: tcgemm-opt %s -tcgemm-raise="remarks=false separate-components" -split-input-file -remarks-filter=tcgemm-raise \
// RUN:   -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -split-input-file -remarks-filter=tcgemm-raise \
// RUN:   -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=WITHOUT

#a = affine_map<(m, n, p, k, q, r) -> (m, k, q)>
#b = affine_map<(m, n, p, k, q, r) -> (n, k, r)>
#t = affine_map<(m, n, p, k, q, r) -> (q, r, p)>
#d = affine_map<(m, n, p, k, q, r) -> (m, n, p)>
#dual = {indexing_maps = [#a, #b, #t, #d], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}

// Interleaved dual numbers whose zero block is longer than the copies: A's components become rows, and those of the
// result are planes until the end. The representation of B for the second component has B's first component as a part.
// WITHOUT: zero-blocks{{.*}}no copies separate them without the option separate-components
// REMARK-NOT: zero-blocks
// CHECK-LABEL: func.func @separated(
// CHECK-SAME: %[[A:.*]]: tensor<4096x4096x2xf16>, %[[B:.*]]: tensor<4096x4096x2xf16>)
// CHECK-DAG: %[[T:.*]] = arith.constant dense<{{\[\[}}0.000000e+00, 1.000000e+00], [1.000000e+00, 0.000000e+00]]> : tensor<2x2xf16>
// CHECK: %[[ROWS:.*]] = linalg.transpose ins(%[[A]] : tensor<4096x4096x2xf16>) outs(%{{.*}} : tensor<4096x2x4096xf16>) permutation = [0, 2, 1]
// CHECK: %[[R:.*]] = tcgemm.launch @separated_0 ins(%[[T]], %[[B]] :
// CHECK-SAME: -> tensor<4096x2x4096xf16>
// CHECK-DAG: %[[A1:.*]] = tensor.collapse_shape %[[ROWS]] {{\[\[}}0], [1, 2]]
// CHECK-DAG: %[[B1:.*]] = tensor.collapse_shape %[[R]] {{\[\[}}0], [1, 2]]
// CHECK: %[[P1:.*]] = tcgemm.launch @separated_1 ins(%[[A1]], %[[B1]] :
// CHECK: %[[I1:.*]] = tensor.insert_slice %[[P1]] into %{{.*}}[1, 0, 0] [1, 4096, 4096] [1, 1, 1]
// CHECK-DAG: %[[A0:.*]] = tensor.extract_slice %[[ROWS]][0, 0, 0] [4096, 1, 4096] [1, 1, 1]
// CHECK-DAG: %[[B0:.*]] = tensor.extract_slice %[[R]][0, 1, 0] [4096, 1, 4096] [1, 1, 1]
// CHECK: %[[P0:.*]] = tcgemm.launch @separated_2 ins(%[[A0]], %[[B0]] :
// CHECK: %[[I0:.*]] = tensor.insert_slice %[[P0]] into %[[I1]][0, 0, 0] [1, 4096, 4096] [1, 1, 1]
// CHECK: %[[D:.*]] = linalg.transpose ins(%[[I0]] : tensor<2x4096x4096xf16>) outs(%{{.*}} : tensor<4096x4096x2xf16>) permutation = [1, 2, 0]
// CHECK: return %[[D]]
func.func @separated(%A: tensor<4096x4096x2xf16>, %B: tensor<4096x4096x2xf16>) -> tensor<4096x4096x2xf16> {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 0.0]]]> : tensor<2x2x2xf16>
  %zero = arith.constant 0.0 : f16
  %empty = tensor.empty() : tensor<4096x4096x2xf16>
  %C = linalg.fill ins(%zero : f16) outs(%empty : tensor<4096x4096x2xf16>) -> tensor<4096x4096x2xf16>
  %D = linalg.generic #dual ins(%A, %B, %T : tensor<4096x4096x2xf16>, tensor<4096x4096x2xf16>, tensor<2x2x2xf16>) outs(%C : tensor<4096x4096x2xf16>) {
  ^bb0(%x: f16, %y: f16, %t: f16, %s: f16):
    %0 = arith.mulf %x, %y : f16
    %1 = arith.mulf %0, %t : f16
    %2 = arith.addf %s, %1 : f16
    linalg.yield %2 : f16
  } -> tensor<4096x4096x2xf16>
  return %D : tensor<4096x4096x2xf16>
}

// -----

#a = affine_map<(m, n, p, k, q, r) -> (m, k, q)>
#b = affine_map<(m, n, p, k, q, r) -> (n, r, k)>
#t = affine_map<(m, n, p, k, q, r) -> (q, r, p)>
#d = affine_map<(m, n, p, k, q, r) -> (m, p, n)>
#dual = {indexing_maps = [#a, #b, #t, #d], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"],
         tcgemm.size_hint = array<i64: 4096, 4096, 2, 4096, 2, 2>}

// Only A's components are neighbours, and the sizes are those of the hint. What is added is read by the epilogue.
// REMARK-NOT: zero-blocks
// CHECK-LABEL: func.func @only_a(
// CHECK-SAME: %[[A:.*]]: tensor<?x?x2xf16>
// CHECK: linalg.transpose ins(%[[A]] : tensor<?x?x2xf16>) outs(%{{.*}} : tensor<?x2x?xf16>) permutation = [0, 2, 1]
// CHECK: tcgemm.launch @only_a_0
// CHECK: tcgemm.launch @only_a_1
// CHECK: tcgemm.launch @only_a_2
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @only_a(%A: tensor<?x?x2xf16>, %B: tensor<?x2x?xf16>, %C: tensor<?x2x?xf16>) -> tensor<?x2x?xf16> {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 0.0]]]> : tensor<2x2x2xf16>
  %D = linalg.generic #dual ins(%A, %B, %T : tensor<?x?x2xf16>, tensor<?x2x?xf16>, tensor<2x2x2xf16>) outs(%C : tensor<?x2x?xf16>) {
  ^bb0(%x: f16, %y: f16, %t: f16, %s: f16):
    %0 = arith.mulf %x, %y : f16
    %1 = arith.mulf %0, %t : f16
    %2 = arith.addf %s, %1 : f16
    linalg.yield %2 : f16
  } -> tensor<?x2x?xf16>
  return %D : tensor<?x2x?xf16>
}

// -----

#a = affine_map<(m, n, p, k, q, r) -> (m, k, q)>
#b = affine_map<(m, n, p, k, q, r) -> (n, k, r)>
#t = affine_map<(m, n, p, k, q, r) -> (q, r, p)>
#d = affine_map<(m, n, p, k, q, r) -> (m, n, p)>
#dual = {indexing_maps = [#a, #b, #t, #d], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
#small = {indexing_maps = [#a, #b, #t, #d], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"],
          tcgemm.size_hint = array<i64: 512, 512, 2, 512, 2, 2>}
#large = {indexing_maps = [#a, #b, #t, #d], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"],
          tcgemm.size_hint = array<i64: 4096, 4096, 2, 4096, 2, 2>}
#three = {indexing_maps = [#a, #b, #t, #d], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"],
          tcgemm.size_hint = array<i64: 4096, 4096, 2, 4096, 3, 2>}

// One product of all components: of unknown sizes, of sizes for which the copies take longer, with an initial value of
// interleaved components, and of more components than two.
// REMARK: zero-blocks{{.*}}Blocks=4{{.*}}NonZero=3{{.*}}its sizes are not known; tcgemm.size_hint states them
// REMARK: zero-blocks{{.*}}to leave the blocks out saves 0.4 us by estimate, but copies that separate the components take 10.0 us
// REMARK: zero-blocks{{.*}}whose initial value is no linalg.fill
// REMARK: zero-blocks{{.*}}they are separated if there are 2, but there are 3
// REMARK-NOT: zero-blocks
// CHECK-LABEL: func.func @whole(
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @whole(%A: tensor<?x?x2xf16>, %B: tensor<?x?x2xf16>, %A3: tensor<?x?x3xf16>, %C: tensor<?x?x2xf16>)
    -> (tensor<?x?x2xf16>, tensor<?x?x2xf16>, tensor<?x?x2xf16>, tensor<?x?x2xf16>) {
  %T = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 0.0]]]> : tensor<2x2x2xf16>
  %T3 = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 0.0]], [[0.0, 1.0], [0.0, 0.0]]]> : tensor<3x2x2xf16>
  %zero = arith.constant 0.0 : f16
  %Z = linalg.fill ins(%zero : f16) outs(%C : tensor<?x?x2xf16>) -> tensor<?x?x2xf16>
  %0 = linalg.generic #dual ins(%A, %B, %T : tensor<?x?x2xf16>, tensor<?x?x2xf16>, tensor<2x2x2xf16>) outs(%Z : tensor<?x?x2xf16>) {
  ^bb0(%x: f16, %y: f16, %t: f16, %s: f16):
    %xy = arith.mulf %x, %y : f16
    %xyt = arith.mulf %xy, %t : f16
    %sum = arith.addf %s, %xyt : f16
    linalg.yield %sum : f16
  } -> tensor<?x?x2xf16>
  %1 = linalg.generic #small ins(%A, %B, %T : tensor<?x?x2xf16>, tensor<?x?x2xf16>, tensor<2x2x2xf16>) outs(%Z : tensor<?x?x2xf16>) {
  ^bb0(%x: f16, %y: f16, %t: f16, %s: f16):
    %xy = arith.mulf %x, %y : f16
    %xyt = arith.mulf %xy, %t : f16
    %sum = arith.addf %s, %xyt : f16
    linalg.yield %sum : f16
  } -> tensor<?x?x2xf16>
  %2 = linalg.generic #large ins(%A, %B, %T : tensor<?x?x2xf16>, tensor<?x?x2xf16>, tensor<2x2x2xf16>) outs(%C : tensor<?x?x2xf16>) {
  ^bb0(%x: f16, %y: f16, %t: f16, %s: f16):
    %xy = arith.mulf %x, %y : f16
    %xyt = arith.mulf %xy, %t : f16
    %sum = arith.addf %s, %xyt : f16
    linalg.yield %sum : f16
  } -> tensor<?x?x2xf16>
  %3 = linalg.generic #three ins(%A3, %B, %T3 : tensor<?x?x3xf16>, tensor<?x?x2xf16>, tensor<3x2x2xf16>) outs(%Z : tensor<?x?x2xf16>) {
  ^bb0(%x: f16, %y: f16, %t: f16, %s: f16):
    %xy = arith.mulf %x, %y : f16
    %xyt = arith.mulf %xy, %t : f16
    %sum = arith.addf %s, %xyt : f16
    linalg.yield %sum : f16
  } -> tensor<?x?x2xf16>
  return %0, %1, %2, %3 : tensor<?x?x2xf16>, tensor<?x?x2xf16>, tensor<?x?x2xf16>, tensor<?x?x2xf16>
}
