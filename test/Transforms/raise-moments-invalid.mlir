// RUN: tcgemm-opt %s -tcgemm-raise=remarks=true -split-input-file -verify-diagnostics -o /dev/null

// Two sums that are no mean and variance of a product's result in two passes:
// the second one is not fused.

// The divisor is not the number of values.

func.func @sample(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>, %y: tensor<64x48xf32>) -> (tensor<64x48xf32>, tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 47.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %x = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %me = tensor.empty() : tensor<64xf32>
  %mz = linalg.fill ins(%zero : f32) outs(%me : tensor<64xf32>) -> tensor<64xf32>
  %sz = arith.constant dense<0.0> : tensor<64xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<64x48xf32>) outs(%mz : tensor<64xf32>) dimensions = [1]
  // expected-remark@+1 {{it needs the result of a reduction, which the kernel's last step computes}}
  %mean = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
    ins(%sum : tensor<64xf32>) outs(%me : tensor<64xf32>) {
  ^bb0(%s: f32, %o: f32):
    %q = arith.divf %s, %count : f32
    linalg.yield %q : f32
  } -> tensor<64xf32>
  // expected-remark@+1 {{its operand 1 needs the contraction's result itself}}
  %squares = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%x, %mean : tensor<64x48xf32>, tensor<64xf32>) outs(%sz : tensor<64xf32>) {
  ^bb0(%s: f32, %u: f32, %t: f32):
    %d = arith.subf %s, %u : f32
    %q = arith.mulf %d, %d : f32
    %r = arith.addf %t, %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  return %x, %mean, %squares : tensor<64x48xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// The sum of squares starts with another number.

func.func @started(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>, %y: tensor<64x48xf32>) -> (tensor<64x48xf32>, tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 48.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %x = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %me = tensor.empty() : tensor<64xf32>
  %mz = linalg.fill ins(%zero : f32) outs(%me : tensor<64xf32>) -> tensor<64xf32>
  %sz = arith.constant dense<1.0> : tensor<64xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<64x48xf32>) outs(%mz : tensor<64xf32>) dimensions = [1]
  // expected-remark@+1 {{it needs the result of a reduction, which the kernel's last step computes}}
  %mean = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
    ins(%sum : tensor<64xf32>) outs(%me : tensor<64xf32>) {
  ^bb0(%s: f32, %o: f32):
    %q = arith.divf %s, %count : f32
    linalg.yield %q : f32
  } -> tensor<64xf32>
  // expected-remark@+1 {{its operand 1 needs the contraction's result itself}}
  %squares = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%x, %mean : tensor<64x48xf32>, tensor<64xf32>) outs(%sz : tensor<64xf32>) {
  ^bb0(%s: f32, %u: f32, %t: f32):
    %d = arith.subf %s, %u : f32
    %q = arith.mulf %d, %d : f32
    %r = arith.addf %t, %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  return %x, %mean, %squares : tensor<64x48xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// The deviations are those of another matrix.

func.func @other(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>, %y: tensor<64x48xf32>) -> (tensor<64x48xf32>, tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 48.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %x = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %me = tensor.empty() : tensor<64xf32>
  %mz = linalg.fill ins(%zero : f32) outs(%me : tensor<64xf32>) -> tensor<64xf32>
  %sz = arith.constant dense<0.0> : tensor<64xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<64x48xf32>) outs(%mz : tensor<64xf32>) dimensions = [1]
  // expected-remark@+1 {{it needs the result of a reduction, which the kernel's last step computes}}
  %mean = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
    ins(%sum : tensor<64xf32>) outs(%me : tensor<64xf32>) {
  ^bb0(%s: f32, %o: f32):
    %q = arith.divf %s, %count : f32
    linalg.yield %q : f32
  } -> tensor<64xf32>
  // expected-remark@+1 {{it needs the contraction's result through other operations}}
  %squares = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%y, %mean : tensor<64x48xf32>, tensor<64xf32>) outs(%sz : tensor<64xf32>) {
  ^bb0(%s: f32, %u: f32, %t: f32):
    %d = arith.subf %s, %u : f32
    %q = arith.mulf %d, %d : f32
    %r = arith.addf %t, %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  return %x, %mean, %squares : tensor<64x48xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// The deviations are not squared.

func.func @doubled(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>, %y: tensor<64x48xf32>) -> (tensor<64x48xf32>, tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 48.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %x = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %me = tensor.empty() : tensor<64xf32>
  %mz = linalg.fill ins(%zero : f32) outs(%me : tensor<64xf32>) -> tensor<64xf32>
  %sz = arith.constant dense<0.0> : tensor<64xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<64x48xf32>) outs(%mz : tensor<64xf32>) dimensions = [1]
  // expected-remark@+1 {{it needs the result of a reduction, which the kernel's last step computes}}
  %mean = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
    ins(%sum : tensor<64xf32>) outs(%me : tensor<64xf32>) {
  ^bb0(%s: f32, %o: f32):
    %q = arith.divf %s, %count : f32
    linalg.yield %q : f32
  } -> tensor<64xf32>
  // expected-remark@+1 {{its operand 1 needs the contraction's result itself}}
  %squares = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%x, %mean : tensor<64x48xf32>, tensor<64xf32>) outs(%sz : tensor<64xf32>) {
  ^bb0(%s: f32, %u: f32, %t: f32):
    %d = arith.subf %s, %u : f32
    %q = arith.addf %d, %d : f32
    %r = arith.addf %t, %q : f32
    linalg.yield %r : f32
  } -> tensor<64xf32>
  return %x, %mean, %squares : tensor<64x48xf32>, tensor<64xf32>, tensor<64xf32>
}
