// RUN: tcgemm-opt %s -tcgemm-complex-to-real -split-input-file -verify-diagnostics | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}

// Tensors stay complex.
// CHECK: func.func @division({{.*}}tensor<4x4xcomplex<f32>>
func.func @division(%a: tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>> {
  // expected-remark @+1 {{'linalg.generic' keeps the tensors of function 'division' complex, and so its products have no kernels: its body computes other than sums and products of the elements: 'complex.div'}}
  %d = linalg.generic #product ins(%a, %a : tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) outs(%a : tensor<4x4xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %y: complex<f32>, %s: complex<f32>):
    %0 = complex.div %x, %y : complex<f32>
    %1 = complex.add %s, %0 : complex<f32>
    linalg.yield %1 : complex<f32>
  } -> tensor<4x4xcomplex<f32>>
  return %d : tensor<4x4xcomplex<f32>>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}

// CHECK: func.func @squares({{.*}}tensor<4x4xcomplex<f32>>
func.func @squares(%a: tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>> {
  // expected-remark @+1 {{does not add a product of one element of A and one of B to the sum; complex.mul of both, or of their complex.conj, with complex.add or complex.sub is taken}}
  %d = linalg.generic #product ins(%a, %a : tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) outs(%a : tensor<4x4xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %y: complex<f32>, %s: complex<f32>):
    %0 = complex.mul %x, %x : complex<f32>
    %1 = complex.add %y, %0 : complex<f32>
    %2 = complex.add %s, %1 : complex<f32>
    linalg.yield %2 : complex<f32>
  } -> tensor<4x4xcomplex<f32>>
  return %d : tensor<4x4xcomplex<f32>>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}

// CHECK: func.func @scaled({{.*}}tensor<4x4xcomplex<f32>>
func.func @scaled(%a: tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>> {
  // expected-remark @+1 {{its body multiplies by a constant that f32 does not have; scale the result instead}}
  %d = linalg.generic #product ins(%a, %a : tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) outs(%a : tensor<4x4xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %y: complex<f32>, %s: complex<f32>):
    %third = complex.constant [1.5 : f32, 0.1 : f32] : complex<f32>
    %tenth = complex.constant [0.3 : f32, 0.7 : f32] : complex<f32>
    %0 = complex.mul %x, %y : complex<f32>
    %1 = complex.mul %0, %third : complex<f32>
    %2 = complex.mul %1, %tenth : complex<f32>
    %3 = complex.add %s, %2 : complex<f32>
    linalg.yield %3 : complex<f32>
  } -> tensor<4x4xcomplex<f32>>
  return %d : tensor<4x4xcomplex<f32>>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#product = {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]}

// CHECK: func.func @real({{.*}}tensor<4x4xcomplex<f32>>
func.func @real(%a: tensor<4x4xf32>, %b: tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>> {
  // expected-remark @+1 {{its body scales products of a real and a complex number, or takes their conjugates; do so in an operation of its own}}
  %d = linalg.generic #product ins(%a, %b : tensor<4x4xf32>, tensor<4x4xcomplex<f32>>) outs(%b : tensor<4x4xcomplex<f32>>) {
  ^bb0(%x: f32, %y: complex<f32>, %s: complex<f32>):
    %zero = arith.constant 0.0 : f32
    %z = complex.create %x, %zero : complex<f32>
    %conj = complex.conj %y : complex<f32>
    %0 = complex.mul %z, %conj : complex<f32>
    %1 = complex.add %s, %0 : complex<f32>
    linalg.yield %1 : complex<f32>
  } -> tensor<4x4xcomplex<f32>>
  return %d : tensor<4x4xcomplex<f32>>
}

// -----

// Functions that exchange complex tensors keep them together.
// CHECK: func.func @caller({{.*}}tensor<4x4xcomplex<f32>>
func.func @caller(%a: tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>> {
  %d = linalg.matmul ins(%a, %a : tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) outs(%a : tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  %e = call @callee(%d) : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  return %e : tensor<4x4xcomplex<f32>>
}
// CHECK: func.func private @callee({{.*}}tensor<4x4xcomplex<f32>>
// expected-remark @+1 {{'func.func' keeps the tensors of function 'callee' complex, and so its products have no kernels: it has no body here, and so its tensors stay complex}}
func.func private @callee(%a: tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>

// -----

// CHECK: func.func @element({{.*}}tensor<4x4xcomplex<f32>>
func.func @element(%a: tensor<4x4xcomplex<f32>>, %i: index) -> (tensor<4x4xcomplex<f32>>, complex<f32>) {
  %d = linalg.matmul ins(%a, %a : tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) outs(%a : tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  // expected-remark @+1 {{'tensor.extract' keeps the tensors of function 'element' complex, and so its products have no kernels: no real form of this operation is known}}
  %x = tensor.extract %d[%i, %i] : tensor<4x4xcomplex<f32>>
  return %d, %x : tensor<4x4xcomplex<f32>>, complex<f32>
}

// -----

// A product of complex numbers over one dimension is a reduction that is none of sums.
// CHECK: func.func @reduction({{.*}}tensor<4x4xcomplex<f32>>
func.func @reduction(%a: tensor<4x4xcomplex<f32>>, %v: tensor<4xcomplex<f32>>) -> (tensor<4x4xcomplex<f32>>, tensor<4xcomplex<f32>>) {
  %d = linalg.matmul ins(%a, %a : tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) outs(%a : tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  // expected-remark @+1 {{it combines values in another way than by sums of them; only such reductions and products are supported}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%d : tensor<4x4xcomplex<f32>>) outs(%v : tensor<4xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %s: complex<f32>):
    %0 = complex.mul %s, %x : complex<f32>
    linalg.yield %0 : complex<f32>
  } -> tensor<4xcomplex<f32>>
  return %d, %r : tensor<4x4xcomplex<f32>>, tensor<4xcomplex<f32>>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
// CHECK: func.func @mixed({{.*}}tensor<4x4xcomplex<f32>>
func.func @mixed(%a: tensor<4x4xcomplex<f32>>, %b: tensor<4x4xf32>) -> (tensor<4x4xcomplex<f32>>, tensor<4x4xf32>) {
  %d = linalg.matmul ins(%a, %a : tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) outs(%a : tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  // expected-remark @+1 {{it has real and complex results; make an operation for each kind}}
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<4x4xcomplex<f32>>) outs(%a, %b : tensor<4x4xcomplex<f32>>, tensor<4x4xf32>) {
  ^bb0(%x: complex<f32>, %s: complex<f32>, %t: f32):
    %0 = complex.re %x : complex<f32>
    linalg.yield %x, %0 : complex<f32>, f32
  } -> (tensor<4x4xcomplex<f32>>, tensor<4x4xf32>)
  return %r#0, %r#1 : tensor<4x4xcomplex<f32>>, tensor<4x4xf32>
}

// -----

// CHECK: func.func @resource({{.*}}tensor<4x4xcomplex<f32>>
func.func @resource(%a: tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>> {
  // expected-remark @+1 {{its elements are not in the module}}
  %b = arith.constant dense_resource<blob> : tensor<4x4xcomplex<f32>>
  %d = linalg.matmul ins(%a, %b : tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) outs(%a : tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  return %d : tensor<4x4xcomplex<f32>>
}

// -----

// CHECK: func.func @encoded({{.*}}tensor<4x4xcomplex<f32>, "layout">
func.func @encoded(%a: tensor<4x4xcomplex<f32>>, %b: tensor<4x4xcomplex<f32>, "layout">) -> (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>, "layout">) {
  %d = linalg.matmul ins(%a, %a : tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) outs(%a : tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  // expected-remark @+1 {{it has a tensor with an encoding}}
  return %d, %b : tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>, "layout">
}
