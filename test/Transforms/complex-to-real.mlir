// RUN: tcgemm-opt %s -tcgemm-complex-to-real -canonicalize -split-input-file | FileCheck %s

#id = affine_map<(m, n) -> (m, n)>

// CHECK-DAG: #[[A:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d2, d4)>
// CHECK-DAG: #[[B:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d2, d1, d5)>
// CHECK-DAG: #[[T:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4, d5, d3)>
// CHECK-DAG: #[[D:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d3)>
// CHECK-LABEL: func.func @named(
// CHECK-SAME: %[[X:.*]]: tensor<?x?x2xf32>, %[[Y:.*]]: tensor<?x?x2xf32>, %[[Z:.*]]: tensor<?x?x2xf32> {bufferization.writable = true}) -> tensor<?x?x2xf32>
// CHECK: %[[C:.*]] = arith.constant dense<{{\[\[\[}}1.000000e+00, 0.000000e+00], [0.000000e+00, 1.000000e+00]], {{\[\[}}0.000000e+00, 1.000000e+00], [-1.000000e+00, 0.000000e+00]]]> : tensor<2x2x2xf32>
// CHECK: linalg.generic {indexing_maps = [#[[A]], #[[B]], #[[T]], #[[D]]], iterator_types = ["parallel", "parallel", "reduction", "parallel", "reduction", "reduction"]}
// CHECK-SAME: ins(%[[X]], %[[Y]], %[[C]] : tensor<?x?x2xf32>, tensor<?x?x2xf32>, tensor<2x2x2xf32>) outs(%[[Z]] : tensor<?x?x2xf32>)
// CHECK-SAME: attrs = {tcgemm.precision = "tf32", tcgemm.size_hint = array<i64: 64, 32, 16, 2, 2, 2>}
// CHECK: ^bb0(%[[a:.*]]: f32, %[[b:.*]]: f32, %[[t:.*]]: f32, %[[s:.*]]: f32):
// CHECK: %[[p0:.*]] = arith.mulf %[[a]], %[[b]]
// CHECK: %[[p1:.*]] = arith.mulf %[[p0]], %[[t]]
// CHECK: arith.addf %[[s]], %[[p1]]
func.func @named(%A: tensor<?x?xcomplex<f32>>, %B: tensor<?x?xcomplex<f32>>,
                 %C: tensor<?x?xcomplex<f32>> {bufferization.writable = true}) -> tensor<?x?xcomplex<f32>> {
  %D = linalg.matmul {tcgemm.precision = "tf32", tcgemm.size_hint = array<i64: 64, 32, 16>}
    ins(%A, %B : tensor<?x?xcomplex<f32>>, tensor<?x?xcomplex<f32>>) outs(%C : tensor<?x?xcomplex<f32>>) -> tensor<?x?xcomplex<f32>>
  return %D : tensor<?x?xcomplex<f32>>
}

// Conjugates are signs of the constants, and so is a subtraction. Elements of f16 are extended part by part.
// CHECK-LABEL: func.func @conjugate(
// CHECK-SAME: tensor<4x8x2xf16>, %{{.*}}: tensor<16x8x2xf16>, %{{.*}}: tensor<4x16x2xf32>
// CHECK: arith.constant dense<{{\[\[\[}}-1.000000e+00, 0.000000e+00], [0.000000e+00, -1.000000e+00]], {{\[\[}}0.000000e+00, 1.000000e+00], [-1.000000e+00, 0.000000e+00]]]> : tensor<2x2x2xf16>
// CHECK: arith.extf
func.func @conjugate(%A: tensor<4x8xcomplex<f16>>, %B: tensor<16x8xcomplex<f16>>, %C: tensor<4x16xcomplex<f32>>) -> tensor<4x16xcomplex<f32>> {
  %D = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : tensor<4x8xcomplex<f16>>, tensor<16x8xcomplex<f16>>) outs(%C : tensor<4x16xcomplex<f32>>) {
  ^bb0(%a: complex<f16>, %b: complex<f16>, %s: complex<f32>):
    %conj = complex.conj %a : complex<f16>
    %ar = complex.re %conj : complex<f16>
    %ai = complex.im %conj : complex<f16>
    %br = complex.re %b : complex<f16>
    %bi = complex.im %b : complex<f16>
    %arw = arith.extf %ar : f16 to f32
    %aiw = arith.extf %ai : f16 to f32
    %brw = arith.extf %br : f16 to f32
    %biw = arith.extf %bi : f16 to f32
    %x = complex.create %arw, %aiw : complex<f32>
    %y = complex.create %brw, %biw : complex<f32>
    %p = complex.mul %x, %y : complex<f32>
    %next = complex.sub %s, %p : complex<f32>
    linalg.yield %next : complex<f32>
  } -> tensor<4x16xcomplex<f32>>
  return %D : tensor<4x16xcomplex<f32>>
}

// -----

#id = affine_map<(m, n) -> (m, n)>

// A product with a real operand is a real product. Components are treated alike by a sum, a real scale, a
// function of each part, and a fill with equal parts.
// CHECK-DAG: #[[MKP:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2)>
// CHECK-DAG: #[[KNP:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d1, d3)>
// CHECK-DAG: #[[BIAS:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[REAL:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @alike
// CHECK: %[[F:.*]] = linalg.fill ins(%cst{{.*}} : f32)
// CHECK: %[[P:.*]] = linalg.generic {indexing_maps = [#[[MKP]], #[[KNP]], #{{.*}}], iterator_types = ["parallel", "parallel", "reduction", "parallel"]}
// CHECK-SAME: outs(%[[F]] : tensor<4x16x2xf32>)
// CHECK: arith.mulf
// CHECK-NEXT: arith.subf
// CHECK: linalg.generic {indexing_maps = [#{{.*}}, #[[BIAS]], #[[REAL]], #{{.*}}], iterator_types = ["parallel", "parallel", "parallel"]} ins(%[[P]],
// CHECK-NEXT: ^bb0(%[[x:.*]]: f32, %[[b:.*]]: f32, %[[r:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[X:.*]] = arith.mulf %[[x]], %{{.*}} : f32
// CHECK: %[[S:.*]] = arith.addf %[[X]], %[[b]]
// CHECK: %[[M:.*]] = arith.mulf %[[S]], %[[r]]
// CHECK: arith.maximumf %[[M]]
// CHECK-NOT: complex
// CHECK: return
func.func @alike(%A: tensor<4x8xf32>, %B: tensor<8x16xcomplex<f32>>, %bias: tensor<16xcomplex<f32>>, %scale: tensor<4x16xf32>) -> tensor<4x16xcomplex<f32>> {
  %one = complex.constant [1.0 : f32, 1.0 : f32] : complex<f32>
  %empty = tensor.empty() : tensor<4x16xcomplex<f32>>
  %ones = linalg.fill ins(%one : complex<f32>) outs(%empty : tensor<4x16xcomplex<f32>>) -> tensor<4x16xcomplex<f32>>
  %D = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : tensor<4x8xf32>, tensor<8x16xcomplex<f32>>) outs(%ones : tensor<4x16xcomplex<f32>>) {
  ^bb0(%a: f32, %b: complex<f32>, %s: complex<f32>):
    %zero = arith.constant 0.0 : f32
    %x = complex.create %a, %zero : complex<f32>
    %p = complex.mul %x, %b : complex<f32>
    %next = complex.sub %s, %p : complex<f32>
    linalg.yield %next : complex<f32>
  } -> tensor<4x16xcomplex<f32>>
  %E = linalg.generic {indexing_maps = [#id, affine_map<(m, n) -> (n)>, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%D, %bias, %scale : tensor<4x16xcomplex<f32>>, tensor<16xcomplex<f32>>, tensor<4x16xf32>) outs(%empty : tensor<4x16xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %b: complex<f32>, %r: f32, %o: complex<f32>):
    %two = complex.constant [2.0 : f32, 0.0 : f32] : complex<f32>
    %0 = complex.mul %two, %x : complex<f32>
    %1 = complex.add %0, %b : complex<f32>
    %re = complex.re %1 : complex<f32>
    %im = complex.im %1 : complex<f32>
    %3 = arith.mulf %re, %r : f32
    %4 = arith.mulf %im, %r : f32
    %zero = arith.constant 0.0 : f32
    %5 = arith.maximumf %3, %zero : f32
    %6 = arith.maximumf %4, %zero : f32
    %7 = complex.create %5, %6 : complex<f32>
    linalg.yield %7 : complex<f32>
  } -> tensor<4x16xcomplex<f32>>
  return %E : tensor<4x16xcomplex<f32>>
}

// -----

#id = affine_map<(m, n) -> (m, n)>

// Other bodies read both components of each operand, of the init too if they read that. Shapes, slices and
// calls have the components' dimension; operations of functions without products stay.
// CHECK-DAG: #[[RE:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
// CHECK-DAG: #[[IM:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, 1)>
// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-LABEL: func.func private @rows(
// CHECK-SAME: %[[X:.*]]: tensor<?x8x2xf64>) -> tensor<2x8x2xf64>
// CHECK: tensor.extract_slice %[[X]][1, 0, 0] [2, 8, 2] [1, 1, 1]
func.func private @rows(%x: tensor<?x8xcomplex<f64>>) -> tensor<2x8xcomplex<f64>> {
  %0 = tensor.extract_slice %x[1, 0] [2, 8] [1, 1] : tensor<?x8xcomplex<f64>> to tensor<2x8xcomplex<f64>>
  return %0 : tensor<2x8xcomplex<f64>>
}
// CHECK-LABEL: func.func @whole
// CHECK: %[[R:.*]] = call @rows(%{{.*}}) : (tensor<?x8x2xf64>) -> tensor<2x8x2xf64>
// CHECK: tensor.insert_slice %[[R]] into %{{.*}}[0, 0, 0] [2, 8, 2] [1, 1, 1]
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2], [3]{{\]}} : tensor<2x2x8x2xf64> into tensor<4x8x2xf64>
// CHECK: %[[P:.*]] = linalg.generic
// CHECK: linalg.generic {indexing_maps = [#[[RE]], #[[IM]], #[[ALL]]], iterator_types = ["parallel", "parallel", "parallel"]} ins(%[[P]], %[[P]] :
// CHECK: %[[Z:.*]] = complex.create
// CHECK: %[[E:.*]] = complex.exp %[[Z]]
// CHECK-DAG: linalg.index 2
// CHECK-DAG: complex.re %[[E]]
// CHECK-DAG: complex.im %[[E]]
// CHECK: arith.select
// CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2], [3]{{\]}} output_shape [2, 2, 4, 2]
func.func @whole(%a: tensor<?x8xcomplex<f64>>, %b: tensor<8x4xcomplex<f64>>, %c: tensor<4x4xcomplex<f64>>, %s: tensor<4x8xcomplex<f64>>,
                 %x: tensor<2x2x8xcomplex<f64>>) -> (tensor<2x2x4xcomplex<f64>>, tensor<4x4xcomplex<f64>>, tensor<4x8xcomplex<f64>>) {
  %rows = call @rows(%a) : (tensor<?x8xcomplex<f64>>) -> tensor<2x8xcomplex<f64>>
  %inserted = tensor.insert_slice %rows into %s[0, 0] [2, 8] [1, 1] : tensor<2x8xcomplex<f64>> into tensor<4x8xcomplex<f64>>
  %flat = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x2x8xcomplex<f64>> into tensor<4x8xcomplex<f64>>
  %d = linalg.matmul ins(%flat, %b : tensor<4x8xcomplex<f64>>, tensor<8x4xcomplex<f64>>) outs(%c : tensor<4x4xcomplex<f64>>) -> tensor<4x4xcomplex<f64>>
  %empty = tensor.empty() : tensor<4x4xcomplex<f64>>
  %e = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%d : tensor<4x4xcomplex<f64>>) outs(%empty : tensor<4x4xcomplex<f64>>) {
  ^bb0(%z: complex<f64>, %o: complex<f64>):
    %0 = complex.exp %z : complex<f64>
    linalg.yield %0 : complex<f64>
  } -> tensor<4x4xcomplex<f64>>
  %expanded = tensor.expand_shape %e [[0, 1], [2]] output_shape [2, 2, 4] : tensor<4x4xcomplex<f64>> into tensor<2x2x4xcomplex<f64>>
  return %expanded, %d, %inserted : tensor<2x2x4xcomplex<f64>>, tensor<4x4xcomplex<f64>>, tensor<4x8xcomplex<f64>>
}
// CHECK-LABEL: func.func @other(
// CHECK-SAME: tensor<4xcomplex<f32>>
func.func @other(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  return %x : tensor<4xcomplex<f32>>
}
// CHECK-LABEL: func.func @skipped(
// CHECK-SAME: tensor<4x4xcomplex<f32>>
func.func @skipped(%x: tensor<4x4xcomplex<f32>>, %y: tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>> {
  %0 = linalg.matmul {tcgemm.skip} ins(%x, %x : tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) outs(%y : tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  return %0 : tensor<4x4xcomplex<f32>>
}

// -----

#id = affine_map<(m, n) -> (m, n)>

// Constants have the same bytes. A sum of both inputs is no product, and so its function stays.
// CHECK-LABEL: func.func @constants(
// CHECK-DAG: arith.constant dense<2.000000e+00> : tensor<2x2x2xf32>
// CHECK-DAG: arith.constant dense<{{\[\[\[}}1.000000e+00, 2.000000e+00], [1.000000e+00, 2.000000e+00]], {{\[\[}}1.000000e+00, 2.000000e+00], [1.000000e+00, 2.000000e+00]]]> : tensor<2x2x2xf32>
// CHECK-DAG: arith.constant dense<{{\[\[\[}}1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]], {{\[\[}}5.000000e+00, 6.000000e+00], [7.000000e+00, 8.000000e+00]]]> : tensor<2x2x2xf32>
func.func @constants() -> tensor<2x2xcomplex<f32>> {
  %a = arith.constant dense<(2.0, 2.0)> : tensor<2x2xcomplex<f32>>
  %b = arith.constant dense<(1.0, 2.0)> : tensor<2x2xcomplex<f32>>
  %c = arith.constant dense<[[(1.0, 2.0), (3.0, 4.0)], [(5.0, 6.0), (7.0, 8.0)]]> : tensor<2x2xcomplex<f32>>
  %0 = linalg.matmul ins(%a, %b : tensor<2x2xcomplex<f32>>, tensor<2x2xcomplex<f32>>) outs(%c : tensor<2x2xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>
  return %0 : tensor<2x2xcomplex<f32>>
}
// CHECK-LABEL: func.func @sum(
// CHECK-SAME: tensor<4x4xcomplex<f32>>
func.func @sum(%x: tensor<4x4xcomplex<f32>>, %y: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = linalg.generic {indexing_maps = [#id, #id, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %x : tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) outs(%y : tensor<4xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %b: complex<f32>, %s: complex<f32>):
    %0 = complex.add %a, %b : complex<f32>
    %1 = complex.add %0, %s : complex<f32>
    linalg.yield %1 : complex<f32>
  } -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

// A complex number that is filled with, or read by an operation, is two numbers.
// CHECK-LABEL: func.func @number(
// CHECK-SAME: %[[S:.*]]: complex<f32>, %[[A:.*]]: tensor<4x4x2xf32>)
// CHECK-DAG: %[[RE:.*]] = complex.re %[[S]]
// CHECK-DAG: %[[IM:.*]] = complex.im %[[S]]
// CHECK: %[[F:.*]] = linalg.generic {{.*}} ins(%[[RE]], %[[IM]] : f32, f32)
// CHECK: arith.select
// CHECK: linalg.generic {{.*}}"reduction"{{.*}} outs(%[[F]] :
func.func @number(%s: complex<f32>, %a: tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>> {
  %empty = tensor.empty() : tensor<4x4xcomplex<f32>>
  %filled = linalg.fill ins(%s : complex<f32>) outs(%empty : tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  %d = linalg.matmul ins(%a, %a : tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) outs(%filled : tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  return %d : tensor<4x4xcomplex<f32>>
}
