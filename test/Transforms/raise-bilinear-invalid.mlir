// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file -verify-diagnostics

#a = affine_map<(m, n, p, k, q, r) -> (m, k, q)>
#b = affine_map<(m, n, p, k, q, r) -> (k, n, r)>
#t = affine_map<(m, n, p, k, q, r) -> (q, r, p)>
#d = affine_map<(m, n, p, k, q, r) -> (m, n, p)>
#loops = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]

// f16 does not have the constant 0.1.
func.func @inexact(%A: tensor<4x8x2xf16>, %B: tensor<8x16x2xf16>, %C: tensor<4x16x2xf32>) -> tensor<4x16x2xf32> {
  %T = arith.constant dense<0.1> : tensor<2x2x2xf32>
  // expected-remark @below {{its structure constants are f32, but B has elements of f16; only constants that f16 has are converted}}
  %D = linalg.generic {indexing_maps = [#a, #b, #t, #d], iterator_types = #loops}
    ins(%A, %B, %T : tensor<4x8x2xf16>, tensor<8x16x2xf16>, tensor<2x2x2xf32>) outs(%C : tensor<4x16x2xf32>) {
  ^bb0(%x: f16, %y: f16, %t: f32, %s: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %0 = arith.mulf %u, %v : f32
    %1 = arith.mulf %0, %t : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x16x2xf32>
  return %D : tensor<4x16x2xf32>
}

// -----

#a = affine_map<(m, n, p, k, q, r) -> (m, k, q)>
#b = affine_map<(m, n, p, k, q, r) -> (k, n, r)>
#t = affine_map<(m, n, p, k, q, r) -> (q, r, p)>
#d = affine_map<(m, n, p, k, q, r) -> (m, n, p)>
#loops = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]

func.func @buffers(%A: memref<4x8x2xf32>, %B: memref<8x16x2xf32>, %T: memref<2x2x2xf32>, %C: memref<4x16x2xf32>) {
  // expected-remark @below {{it multiplies by structure constants on buffers; only tensors are supported}}
  linalg.generic {indexing_maps = [#a, #b, #t, #d], iterator_types = #loops}
    ins(%A, %B, %T : memref<4x8x2xf32>, memref<8x16x2xf32>, memref<2x2x2xf32>) outs(%C : memref<4x16x2xf32>) {
  ^bb0(%x: f32, %y: f32, %t: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.mulf %0, %t : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  }
  return
}

// -----

// Without tcgemm-complex-to-real, and on buffers.
func.func @complex(%a: tensor<4x4xcomplex<f32>>, %b: memref<4x4xcomplex<f64>>) -> tensor<4x4xcomplex<f32>> {
  // expected-remark @+1 {{it has elements of type complex<f32>; the pass tcgemm-complex-to-real makes tensors of them real, as docs/guide/algebras.md says}}
  %d = linalg.matmul ins(%a, %a : tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) outs(%a : tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
  // expected-remark @+1 {{it has elements of type complex<f64>; the pass tcgemm-complex-to-real}}
  linalg.matmul ins(%b, %b : memref<4x4xcomplex<f64>>, memref<4x4xcomplex<f64>>) outs(%b : memref<4x4xcomplex<f64>>)
  return %d : tensor<4x4xcomplex<f32>>
}
