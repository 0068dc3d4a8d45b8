// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file -verify-diagnostics
// RUN: tcgemm-opt %s -tcgemm-raise="remarks=false" -split-input-file | FileCheck %s

// Pairs of products that become two kernels.
// CHECK-NOT: operand<b2

func.func @types(%a: tensor<8x64xf32>, %b: tensor<64x32xf32>, %c: tensor<64x32xf32>, %i: tensor<8x32xf32>,
    %z: tensor<8x32xf32>, %w: tensor<64x32xf32>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = linalg.fill ins(%zero : f32) outs(%z : tensor<8x32xf32>) -> tensor<8x32xf32>
  %x = linalg.matmul ins(%a, %b : tensor<8x64xf32>, tensor<64x32xf32>) outs(%n : tensor<8x32xf32>) -> tensor<8x32xf32>
  // expected-remark @below {{it shares A with a product whose result meets its own, but is no part of that kernel: no wgmma multiplies its types, or only with B in the rows or in parts}}
  %y = linalg.matmul ins(%a, %c : tensor<8x64xf32>, tensor<64x32xf32>) outs(%n : tensor<8x32xf32>) -> tensor<8x32xf32>
  %p = arith.mulf %x, %y : tensor<8x32xf32>
  return %p : tensor<8x32xf32>
}

// -----

func.func @initial(%a: tensor<8x64xf16>, %b: tensor<64x32xf16>, %c: tensor<64x32xf16>, %i: tensor<8x32xf32>,
    %z: tensor<8x32xf32>, %w: tensor<64x32xf16>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = linalg.fill ins(%zero : f32) outs(%z : tensor<8x32xf32>) -> tensor<8x32xf32>
  %x = linalg.matmul ins(%a, %b : tensor<8x64xf16>, tensor<64x32xf16>) outs(%n : tensor<8x32xf32>) -> tensor<8x32xf32>
  // expected-remark @below {{it shares A with a product whose result meets its own, but is no part of that kernel: its initial value is not zero}}
  %y = linalg.matmul ins(%a, %c : tensor<8x64xf16>, tensor<64x32xf16>) outs(%i : tensor<8x32xf32>) -> tensor<8x32xf32>
  %p = arith.mulf %x, %y : tensor<8x32xf32>
  return %p : tensor<8x32xf32>
}

// -----

func.func @config(%a: tensor<8x64xf16>, %b: tensor<64x32xf16>, %c: tensor<64x32xf16>, %i: tensor<8x32xf32>,
    %z: tensor<8x32xf32>, %w: tensor<64x32xf16>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = linalg.fill ins(%zero : f32) outs(%z : tensor<8x32xf32>) -> tensor<8x32xf32>
  %x = linalg.matmul {tcgemm.config = #tcgemm.config<schedule = mma_sync>} ins(%a, %b : tensor<8x64xf16>, tensor<64x32xf16>) outs(%n : tensor<8x32xf32>) -> tensor<8x32xf32>
  // expected-remark @below {{it shares A with a product whose result meets its own, but is no part of that kernel: its tcgemm.config is none for two products: they need schedule wgmma with A in the rows, TMA and one slice of k}}
  %y = linalg.matmul ins(%a, %c : tensor<8x64xf16>, tensor<64x32xf16>) outs(%n : tensor<8x32xf32>) -> tensor<8x32xf32>
  %p = arith.mulf %x, %y : tensor<8x32xf32>
  return %p : tensor<8x32xf32>
}

// -----

func.func @split(%a: tensor<8x64xf16>, %b: tensor<64x32xf16>, %c: tensor<64x32xf16>, %i: tensor<8x32xf32>,
    %z: tensor<8x32xf32>, %w: tensor<64x32xf16>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = linalg.fill ins(%zero : f32) outs(%z : tensor<8x32xf32>) -> tensor<8x32xf32>
  %x = linalg.matmul {tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], split_k = 2>} ins(%a, %b : tensor<8x64xf16>, tensor<64x32xf16>) outs(%n : tensor<8x32xf32>) -> tensor<8x32xf32>
  // expected-remark @below {{it shares A with a product whose result meets its own, but is no part of that kernel: its tcgemm.config is none for two products: they need schedule wgmma with A in the rows, TMA and one slice of k}}
  %y = linalg.matmul ins(%a, %c : tensor<8x64xf16>, tensor<64x32xf16>) outs(%n : tensor<8x32xf32>) -> tensor<8x32xf32>
  %p = arith.mulf %x, %y : tensor<8x32xf32>
  return %p : tensor<8x32xf32>
}

// -----

func.func @configs(%a: tensor<8x64xf16>, %b: tensor<64x32xf16>, %c: tensor<64x32xf16>, %i: tensor<8x32xf32>,
    %z: tensor<8x32xf32>, %w: tensor<64x32xf16>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = linalg.fill ins(%zero : f32) outs(%z : tensor<8x32xf32>) -> tensor<8x32xf32>
  %x = linalg.matmul {tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16]>} ins(%a, %b : tensor<8x64xf16>, tensor<64x32xf16>) outs(%n : tensor<8x32xf32>) -> tensor<8x32xf32>
  // expected-remark @below {{it shares A with a product whose result meets its own, but is no part of that kernel: the products differ in tcgemm.config}}
  %y = linalg.matmul ins(%a, %c : tensor<8x64xf16>, tensor<64x32xf16>) outs(%n : tensor<8x32xf32>) -> tensor<8x32xf32>
  %p = arith.mulf %x, %y : tensor<8x32xf32>
  return %p : tensor<8x32xf32>
}

// -----

func.func @late(%a: tensor<8x64xf16>, %b: tensor<64x32xf16>, %c: tensor<64x32xf16>, %i: tensor<8x32xf32>,
    %z: tensor<8x32xf32>, %w: tensor<64x32xf16>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f16
  %n = linalg.fill ins(%zero : f32) outs(%z : tensor<8x32xf32>) -> tensor<8x32xf32>
  %x = linalg.matmul ins(%a, %b : tensor<8x64xf16>, tensor<64x32xf16>) outs(%n : tensor<8x32xf32>) -> tensor<8x32xf32>
  // expected-remark @below {{it computes an operand of a contraction}}
  %v = linalg.fill ins(%two : f16) outs(%w : tensor<64x32xf16>) -> tensor<64x32xf16>
  // expected-remark @below {{it shares A with a product whose result meets its own, but is no part of that kernel: its B is computed after the other product: move that up}}
  %y = linalg.matmul ins(%a, %v : tensor<8x64xf16>, tensor<64x32xf16>) outs(%n : tensor<8x32xf32>) -> tensor<8x32xf32>
  %p = arith.mulf %x, %y : tensor<8x32xf32>
  return %p : tensor<8x32xf32>
}

// -----

// The operation in which they meet reads a transposed result.
func.func @turned(%a: tensor<32x64xf16>, %b: tensor<64x32xf16>, %c: tensor<64x32xf16>, %z: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = linalg.fill ins(%zero : f32) outs(%z : tensor<32x32xf32>) -> tensor<32x32xf32>
  %x = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x32xf16>) outs(%n : tensor<32x32xf32>) -> tensor<32x32xf32>
  // expected-remark @below {{the operation in which they meet is not fused}}
  %y = linalg.matmul ins(%a, %c : tensor<32x64xf16>, tensor<64x32xf16>) outs(%n : tensor<32x32xf32>) -> tensor<32x32xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n, m)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %y : tensor<32x32xf32>, tensor<32x32xf32>) outs(%z : tensor<32x32xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %0 = arith.mulf %v, %w : f32
    linalg.yield %0 : f32
  } -> tensor<32x32xf32>
  return %p : tensor<32x32xf32>
}
