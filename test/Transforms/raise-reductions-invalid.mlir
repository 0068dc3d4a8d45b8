// RUN: tcgemm-opt %s -tcgemm-raise=remarks=true -split-input-file -verify-diagnostics -o /dev/null

func.func @narrow(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>, %r: tensor<64xbf16>) -> (tensor<64x48xbf16>, tensor<64xbf16>) {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<64x48xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<64x48xbf16>) -> tensor<64x48xbf16>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xbf16>) -> tensor<64x48xbf16>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %i = linalg.fill ins(%zero : bf16) outs(%r : tensor<64xbf16>) -> tensor<64xbf16>
  // expected-remark@+1 {{'linalg.reduce' is left as it is: it combines values of type bf16; reductions of f32, f64 and i32 are fused}}
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<64x48xbf16>) outs(%i : tensor<64xbf16>) dimensions = [1]
  return %0, %1 : tensor<64x48xbf16>, tensor<64xbf16>
}

// -----

func.func @product(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>, %r: tensor<64xf32>) -> (tensor<64x48xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  // expected-remark@+1 {{it is a reduction that does not combine by one of maximumf, minimumf, maxnumf, minnumf, addf, maxsi, minsi, maxui, minui, addi}}
  %1 = linalg.reduce { arith.mulf } ins(%0 : tensor<64x48xf32>) outs(%r : tensor<64xf32>) dimensions = [1]
  return %0, %1 : tensor<64x48xf32>, tensor<64xf32>
}

// -----

func.func @accumulated(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>, %r: tensor<64xf32>) -> (tensor<64x48xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  // expected-remark@+1 {{it is a reduction whose initial value is not a constant}}
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<64x48xf32>) outs(%r : tensor<64xf32>) dimensions = [1]
  return %0, %1 : tensor<64x48xf32>, tensor<64xf32>
}

// -----

// Only the batches are combined.

func.func @batches(%a: tensor<4x64x32xbf16>, %b: tensor<4x32x48xbf16>) -> (tensor<4x64x48xf32>, tensor<64x48xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64x48xf32>) -> tensor<4x64x48xf32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<4x64x32xbf16>, tensor<4x32x48xbf16>) outs(%f : tensor<4x64x48xf32>) -> tensor<4x64x48xf32>
  %er = tensor.empty() : tensor<64x48xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %i = linalg.fill ins(%zero : f32) outs(%er : tensor<64x48xf32>) -> tensor<64x48xf32>
  // expected-remark@+1 {{it is a reduction that has a result for each row and column}}
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<4x64x48xf32>) outs(%i : tensor<64x48xf32>) dimensions = [0]
  return %0, %1 : tensor<4x64x48xf32>, tensor<64x48xf32>
}

// -----

// An operation on a reduction's result cannot be part of the epilogue.

func.func @after(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>, %r: tensor<f32>) -> (tensor<64x48xf32>, tensor<f32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %i = linalg.fill ins(%zero : f32) outs(%r : tensor<f32>) -> tensor<f32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<64x48xf32>) outs(%i : tensor<f32>) dimensions = [0, 1]
  // expected-remark@+1 {{it needs the result of a reduction, which the kernel's last step computes}}
  %2 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
    ins(%1 : tensor<f32>) outs(%r : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %3 = math.sqrt %x : f32
    linalg.yield %3 : f32
  } -> tensor<f32>
  return %0, %2 : tensor<64x48xf32>, tensor<f32>
}
