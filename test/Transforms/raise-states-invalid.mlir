// RUN: tcgemm-opt %s -tcgemm-raise=remarks=true -split-input-file -verify-diagnostics -o /dev/null

// The greatest value is NaN behind a NaN, but its index ignores NaN.

func.func @mixed(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64xi64>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<64xf32>) -> tensor<64xf32>
  %i0_c = arith.constant 0 : i64
  %i0_e = tensor.empty() : tensor<64xi64>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %i0 = linalg.fill ins(%i0_c : i64) outs(%i0_e : tensor<64xi64>) -> tensor<64xi64>
  // expected-remark@+1 {{it is a reduction whose index and greatest value treat NaN differently}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%0 : tensor<64x48xf32>) outs(%v0, %i0 : tensor<64xf32>, tensor<64xi64>) {
  ^bb0(%x: f32, %t0: f32, %t1: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %x, %t0 : f32
    %v = arith.maximumf %x, %t0 : f32
    %n = arith.select %c, %j, %t1 : i64
    linalg.yield %v, %n : f32, i64
  } -> (tensor<64xf32>, tensor<64xi64>)
  return %r#1 : tensor<64xi64>
}

// -----

// A value that is not less than all others.

func.func @start(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64xi64>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %v0_c = arith.constant 0.0 : f32
  %v0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<64xf32>) -> tensor<64xf32>
  %i0_c = arith.constant 0 : i64
  %i0_e = tensor.empty() : tensor<64xi64>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %i0 = linalg.fill ins(%i0_c : i64) outs(%i0_e : tensor<64xi64>) -> tensor<64xi64>
  // expected-remark@+1 {{it is a reduction to an index, but its values do not start with the least one}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%0 : tensor<64x48xf32>) outs(%v0, %i0 : tensor<64xf32>, tensor<64xi64>) {
  ^bb0(%x: f32, %t0: f32, %t1: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %x, %t0 : f32
    %v = arith.select %c, %x, %t0 : f32
    %n = arith.select %c, %j, %t1 : i64
    linalg.yield %v, %n : f32, i64
  } -> (tensor<64xf32>, tensor<64xi64>)
  return %r#1 : tensor<64xi64>
}

// -----

// The index along another dimension than the reduced one.

func.func @loop(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64xi64>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<64xf32>) -> tensor<64xf32>
  %i0_c = arith.constant 0 : i64
  %i0_e = tensor.empty() : tensor<64xi64>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %i0 = linalg.fill ins(%i0_c : i64) outs(%i0_e : tensor<64xi64>) -> tensor<64xi64>
  // expected-remark@+1 {{it is a reduction to an index that is not the coordinate of the only reduced dimension, converted to an integer}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%0 : tensor<64x48xf32>) outs(%v0, %i0 : tensor<64xf32>, tensor<64xi64>) {
  ^bb0(%x: f32, %t0: f32, %t1: i64):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %x, %t0 : f32
    %v = arith.select %c, %x, %t0 : f32
    %n = arith.select %c, %j, %t1 : i64
    linalg.yield %v, %n : f32, i64
  } -> (tensor<64xf32>, tensor<64xi64>)
  return %r#1 : tensor<64xi64>
}

// -----

// The index in a row of the whole result.

func.func @all(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<i64>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<f32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<f32>) -> tensor<f32>
  %i0_c = arith.constant 0 : i64
  %i0_e = tensor.empty() : tensor<i64>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %i0 = linalg.fill ins(%i0_c : i64) outs(%i0_e : tensor<i64>) -> tensor<i64>
  // expected-remark@+1 {{it is a reduction to an index that is not the number of an element among all of a matrix in the order of the loops, the coordinate of the outer loop times the size of the inner one plus the coordinate of the inner one}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> ()>, affine_map<(m, n) -> ()>], iterator_types = ["reduction", "reduction"]}
    ins(%0 : tensor<64x48xf32>) outs(%v0, %i0 : tensor<f32>, tensor<i64>) {
  ^bb0(%x: f32, %t0: f32, %t1: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %x, %t0 : f32
    %v = arith.select %c, %x, %t0 : f32
    %n = arith.select %c, %j, %t1 : i64
    linalg.yield %v, %n : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %r#1 : tensor<i64>
}

// -----

// The last of equal values.

func.func @last(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64xi64>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<64xf32>) -> tensor<64xf32>
  %i0_c = arith.constant 0 : i64
  %i0_e = tensor.empty() : tensor<64xi64>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %i0 = linalg.fill ins(%i0_c : i64) outs(%i0_e : tensor<64xi64>) -> tensor<64xi64>
  // expected-remark@+1 {{it is a reduction with several results that are no greatest value and its index, no greatest value and sum of exp, and no number, mean and variance}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%0 : tensor<64x48xf32>) outs(%v0, %i0 : tensor<64xf32>, tensor<64xi64>) {
  ^bb0(%x: f32, %t0: f32, %t1: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf oge, %x, %t0 : f32
    %v = arith.select %c, %x, %t0 : f32
    %n = arith.select %c, %j, %t1 : i64
    linalg.yield %v, %n : f32, i64
  } -> (tensor<64xf32>, tensor<64xi64>)
  return %r#1 : tensor<64xi64>
}

// -----

// An index of a type that kernels do not store.

func.func @narrow(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64xi16>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<64xf32>) -> tensor<64xf32>
  %i0_c = arith.constant 0 : i16
  %i0_e = tensor.empty() : tensor<64xi16>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %i0 = linalg.fill ins(%i0_c : i16) outs(%i0_e : tensor<64xi16>) -> tensor<64xi16>
  // expected-remark@+1 {{it is a reduction whose types or initial values kernels do not have}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%0 : tensor<64x48xf32>) outs(%v0, %i0 : tensor<64xf32>, tensor<64xi16>) {
  ^bb0(%x: f32, %t0: f32, %t1: i16):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i16
    %c = arith.cmpf ogt, %x, %t0 : f32
    %v = arith.select %c, %x, %t0 : f32
    %n = arith.select %c, %j, %t1 : i16
    linalg.yield %v, %n : f32, i16
  } -> (tensor<64xf32>, tensor<64xi16>)
  return %r#1 : tensor<64xi16>
}

// -----

func.func @exp_start(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %v0_c = arith.constant 0.0 : f32
  %v0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<64xf32>) -> tensor<64xf32>
  %s0_c = arith.constant 0.0 : f32
  %s0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %s0 = linalg.fill ins(%s0_c : f32) outs(%s0_e : tensor<64xf32>) -> tensor<64xf32>
  // expected-remark@+1 {{it is a reduction to a sum of exp, but its values do not start with minus infinity}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%0 : tensor<64x48xf32>) outs(%v0, %s0 : tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%x: f32, %t0: f32, %t1: f32):
    %m = arith.maximumf %x, %t0 : f32
    %d = arith.subf %t0, %m : f32
    %p = math.exp %d : f32
    %s = arith.mulf %p, %t1 : f32
    %u = arith.subf %x, %m : f32
    %q = math.exp %u : f32
    %w = arith.addf %q, %s : f32
    linalg.yield %m, %w : f32, f32
  } -> (tensor<64xf32>, tensor<64xf32>)
  return %r#1 : tensor<64xf32>
}

// -----

// The sum is relative to the greatest value so far, and not to the new one.

func.func @exp_other(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<64xf32>) -> tensor<64xf32>
  %s0_c = arith.constant 0.0 : f32
  %s0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %s0 = linalg.fill ins(%s0_c : f32) outs(%s0_e : tensor<64xf32>) -> tensor<64xf32>
  // expected-remark@+1 {{it is a reduction with several results that are no greatest value and its index, no greatest value and sum of exp, and no number, mean and variance}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%0 : tensor<64x48xf32>) outs(%v0, %s0 : tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%x: f32, %t0: f32, %t1: f32):
    %m = arith.maximumf %x, %t0 : f32
    %d = arith.subf %t0, %m : f32
    %p = math.exp %d : f32
    %s = arith.mulf %p, %t1 : f32
    %u = arith.subf %x, %t0 : f32
    %q = math.exp %u : f32
    %w = arith.addf %q, %s : f32
    linalg.yield %m, %w : f32, f32
  } -> (tensor<64xf32>, tensor<64xf32>)
  return %r#1 : tensor<64xf32>
}

// -----

func.func @number(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %a0_c = arith.constant 0.0 : f32
  %a0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %a0 = linalg.fill ins(%a0_c : f32) outs(%a0_e : tensor<64xf32>) -> tensor<64xf32>
  %n0_c = arith.constant 1.0 : f32
  %n0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %n0 = linalg.fill ins(%n0_c : f32) outs(%n0_e : tensor<64xf32>) -> tensor<64xf32>
  %v0_c = arith.constant 0.0 : f32
  %v0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<64xf32>) -> tensor<64xf32>
  // expected-remark@+1 {{it is a reduction to a mean, but its number of values does not start with 0}}
  %r:3 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%0 : tensor<64x48xf32>) outs(%a0, %n0, %v0 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%x: f32, %t0: f32, %t1: f32, %t2: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.addf %one, %t1 : f32
    %d = arith.subf %x, %t0 : f32
    %q = arith.divf %d, %n : f32
    %m = arith.addf %t0, %q : f32
    %u = arith.subf %x, %m : f32
    %s = arith.mulf %d, %u : f32
    %w = arith.subf %s, %t2 : f32
    %p = arith.divf %w, %n : f32
    %v = arith.addf %t2, %p : f32
    linalg.yield %m, %n, %v : f32, f32, f32
  } -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
  return %r#0 : tensor<64xf32>
}

// -----

// A mean that starts with a value.

func.func @mean(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %a0_c = arith.constant 2.0 : f32
  %a0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %a0 = linalg.fill ins(%a0_c : f32) outs(%a0_e : tensor<64xf32>) -> tensor<64xf32>
  %n0_c = arith.constant 0.0 : f32
  %n0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %n0 = linalg.fill ins(%n0_c : f32) outs(%n0_e : tensor<64xf32>) -> tensor<64xf32>
  %v0_c = arith.constant 0.0 : f32
  %v0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<64xf32>) -> tensor<64xf32>
  // expected-remark@+1 {{it is a reduction whose types or initial values kernels do not have}}
  %r:3 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%0 : tensor<64x48xf32>) outs(%a0, %n0, %v0 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%x: f32, %t0: f32, %t1: f32, %t2: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.addf %one, %t1 : f32
    %d = arith.subf %x, %t0 : f32
    %q = arith.divf %d, %n : f32
    %m = arith.addf %t0, %q : f32
    %u = arith.subf %x, %m : f32
    %s = arith.mulf %d, %u : f32
    %w = arith.subf %s, %t2 : f32
    %p = arith.divf %w, %n : f32
    %v = arith.addf %t2, %p : f32
    linalg.yield %m, %n, %v : f32, f32, f32
  } -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
  return %r#0 : tensor<64xf32>
}

// -----

// The square of the new deviation alone.

func.func @square(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %a0_c = arith.constant 0.0 : f32
  %a0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %a0 = linalg.fill ins(%a0_c : f32) outs(%a0_e : tensor<64xf32>) -> tensor<64xf32>
  %n0_c = arith.constant 0.0 : f32
  %n0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %n0 = linalg.fill ins(%n0_c : f32) outs(%n0_e : tensor<64xf32>) -> tensor<64xf32>
  %v0_c = arith.constant 0.0 : f32
  %v0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<64xf32>) -> tensor<64xf32>
  // expected-remark@+1 {{it is a reduction with several results that are no greatest value and its index, no greatest value and sum of exp, and no number, mean and variance}}
  %r:3 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%0 : tensor<64x48xf32>) outs(%a0, %n0, %v0 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%x: f32, %t0: f32, %t1: f32, %t2: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.addf %one, %t1 : f32
    %d = arith.subf %x, %t0 : f32
    %q = arith.divf %d, %n : f32
    %m = arith.addf %t0, %q : f32
    %u = arith.subf %x, %m : f32
    %s = arith.mulf %u, %u : f32
    %w = arith.subf %s, %t2 : f32
    %p = arith.divf %w, %n : f32
    %v = arith.addf %t2, %p : f32
    linalg.yield %m, %n, %v : f32, f32, f32
  } -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
  return %r#2 : tensor<64xf32>
}

// -----

// A reduction of one result whose body reads a coordinate.

func.func @coordinate(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %s0_c = arith.constant 0.0 : f32
  %s0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %s0 = linalg.fill ins(%s0_c : f32) outs(%s0_e : tensor<64xf32>) -> tensor<64xf32>
  // expected-remark@+1 {{it is a reduction of one result with coordinates}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%0 : tensor<64x48xf32>) outs(%s0 : tensor<64xf32>) {
  ^bb0(%x: f32, %t0: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f32
    %p = arith.mulf %x, %k : f32
    %q = arith.addf %t0, %p : f32
    linalg.yield %q : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

// The sum of exp of the differences to a value that is not the greatest one.

func.func @least(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %v0_c = arith.constant 0x7FC00000 : f32
  %v0_e = tensor.empty() : tensor<64xf32>
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<64xf32>) -> tensor<64xf32>
  %max = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%0 : tensor<64x48xf32>) outs(%v0 : tensor<64xf32>) {
  ^bb0(%x: f32, %t: f32):
    %m = arith.minnumf %x, %t : f32
    linalg.yield %m : f32
  } -> tensor<64xf32>
  %s0_c = arith.constant 0.0 : f32
  %s0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %s0 = linalg.fill ins(%s0_c : f32) outs(%s0_e : tensor<64xf32>) -> tensor<64xf32>
  // expected-remark@+1 {{it needs the result of a reduction, which the kernel's last step computes}}
  %sum = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%0, %max : tensor<64x48xf32>, tensor<64xf32>) outs(%s0 : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %t: f32):
    %d = arith.subf %x, %y : f32
    %p = math.exp %d : f32
    %w = arith.addf %p, %t : f32
    linalg.yield %w : f32
  } -> tensor<64xf32>
  return %max, %sum : tensor<64xf32>, tensor<64xf32>
}

// -----

func.func @sum_start(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %v0_c = arith.constant 0x7FC00000 : f32
  %v0_e = tensor.empty() : tensor<64xf32>
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<64xf32>) -> tensor<64xf32>
  %max = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%0 : tensor<64x48xf32>) outs(%v0 : tensor<64xf32>) {
  ^bb0(%x: f32, %t: f32):
    %m = arith.maxnumf %x, %t : f32
    linalg.yield %m : f32
  } -> tensor<64xf32>
  %s0_c = arith.constant 1.0 : f32
  %s0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %s0 = linalg.fill ins(%s0_c : f32) outs(%s0_e : tensor<64xf32>) -> tensor<64xf32>
  // expected-remark@+1 {{it is a sum of exp that does not start with 0 of f32}}
  %sum = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%0, %max : tensor<64x48xf32>, tensor<64xf32>) outs(%s0 : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %t: f32):
    %d = arith.subf %x, %y : f32
    %p = math.exp %d : f32
    %w = arith.addf %p, %t : f32
    linalg.yield %w : f32
  } -> tensor<64xf32>
  return %max, %sum : tensor<64xf32>, tensor<64xf32>
}

// -----

// The greatest values of columns, read for rows.

func.func @columns(%a: tensor<48x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<48xf32>, tensor<48xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<48x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<48x48xf32>) -> tensor<48x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<48x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<48x48xf32>) -> tensor<48x48xf32>
  %v0_c = arith.constant 0x7FC00000 : f32
  %v0_e = tensor.empty() : tensor<48xf32>
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<48xf32>) -> tensor<48xf32>
  %max = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>], iterator_types = ["reduction", "parallel"]}
    ins(%0 : tensor<48x48xf32>) outs(%v0 : tensor<48xf32>) {
  ^bb0(%x: f32, %t: f32):
    %m = arith.maxnumf %x, %t : f32
    linalg.yield %m : f32
  } -> tensor<48xf32>
  %s0_c = arith.constant 0.0 : f32
  %s0_e = tensor.empty() : tensor<48xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %s0 = linalg.fill ins(%s0_c : f32) outs(%s0_e : tensor<48xf32>) -> tensor<48xf32>
  // expected-remark@+1 {{it needs the result of a reduction along other dimensions}}
  %sum = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%0, %max : tensor<48x48xf32>, tensor<48xf32>) outs(%s0 : tensor<48xf32>) {
  ^bb0(%x: f32, %y: f32, %t: f32):
    %d = arith.subf %x, %y : f32
    %p = math.exp %d : f32
    %w = arith.addf %p, %t : f32
    linalg.yield %w : f32
  } -> tensor<48xf32>
  return %max, %sum : tensor<48xf32>, tensor<48xf32>
}

// -----

// A mean of values that depend on the results so far.

func.func @depends(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %a0_c = arith.constant 0.0 : f32
  %a0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %a0 = linalg.fill ins(%a0_c : f32) outs(%a0_e : tensor<64xf32>) -> tensor<64xf32>
  %n0_c = arith.constant 0.0 : f32
  %n0_e = tensor.empty() : tensor<64xf32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %n0 = linalg.fill ins(%n0_c : f32) outs(%n0_e : tensor<64xf32>) -> tensor<64xf32>
  // expected-remark@+1 {{it is a reduction with several results that are no greatest value and its index, no greatest value and sum of exp, and no number, mean and variance}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%0 : tensor<64x48xf32>) outs(%a0, %n0 : tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%x: f32, %t0: f32, %t1: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.addf %t1, %one : f32
    %y = arith.mulf %x, %t1 : f32
    %d = arith.subf %y, %t0 : f32
    %q = arith.divf %d, %n : f32
    %m = arith.addf %t0, %q : f32
    linalg.yield %m, %n : f32, f32
  } -> (tensor<64xf32>, tensor<64xf32>)
  return %r#0 : tensor<64xf32>
}

// -----

// The number of an element, but with rows of another length.

func.func @length(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<i64>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<f32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<f32>) -> tensor<f32>
  %i0_c = arith.constant 0 : i64
  %i0_e = tensor.empty() : tensor<i64>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %i0 = linalg.fill ins(%i0_c : i64) outs(%i0_e : tensor<i64>) -> tensor<i64>
  // expected-remark@+1 {{it is a reduction to an index that is not the number of an element among all of a matrix in the order of the loops, the coordinate of the outer loop times the size of the inner one plus the coordinate of the inner one}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> ()>, affine_map<(m, n) -> ()>], iterator_types = ["reduction", "reduction"]}
    ins(%0 : tensor<64x48xf32>) outs(%v0, %i0 : tensor<f32>, tensor<i64>) {
  ^bb0(%x: f32, %t0: f32, %t1: i64):
    %r0 = linalg.index 0 : index
    %r1 = linalg.index 1 : index
    %w = arith.constant 64 : index
    %p = arith.muli %r0, %w : index
    %i = arith.addi %p, %r1 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %x, %t0 : f32
    %v = arith.select %c, %x, %t0 : f32
    %n = arith.select %c, %j, %t1 : i64
    linalg.yield %v, %n : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %r#1 : tensor<i64>
}

// -----

// The number of an element row by row in one reduction, and column by column in another.

func.func @both(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<i64>, tensor<i64>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<f32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<f32>) -> tensor<f32>
  %i0_c = arith.constant 0 : i64
  %i0_e = tensor.empty() : tensor<i64>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %i0 = linalg.fill ins(%i0_c : i64) outs(%i0_e : tensor<i64>) -> tensor<i64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> ()>, affine_map<(m, n) -> ()>], iterator_types = ["reduction", "reduction"]}
    ins(%0 : tensor<64x48xf32>) outs(%v0, %i0 : tensor<f32>, tensor<i64>) {
  ^bb0(%x: f32, %t0: f32, %t1: i64):
    %r0 = linalg.index 0 : index
    %r1 = linalg.index 1 : index
    %w = arith.constant 48 : index
    %p = arith.muli %r0, %w : index
    %i = arith.addi %p, %r1 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %x, %t0 : f32
    %v = arith.select %c, %x, %t0 : f32
    %n = arith.select %c, %j, %t1 : i64
    linalg.yield %v, %n : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  // expected-remark@+1 {{it is a reduction to the number of an element, but another reduction of the kernel numbers them in the other order}}
  %s:2 = linalg.generic {indexing_maps = [affine_map<(n, m) -> (m, n)>, affine_map<(n, m) -> ()>, affine_map<(n, m) -> ()>], iterator_types = ["reduction", "reduction"]}
    ins(%0 : tensor<64x48xf32>) outs(%v0, %i0 : tensor<f32>, tensor<i64>) {
  ^bb0(%x: f32, %t0: f32, %t1: i64):
    %r0 = linalg.index 0 : index
    %r1 = linalg.index 1 : index
    %w = arith.constant 64 : index
    %p = arith.muli %r0, %w : index
    %i = arith.addi %p, %r1 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %x, %t0 : f32
    %v = arith.select %c, %x, %t0 : f32
    %n = arith.select %c, %j, %t1 : i64
    linalg.yield %v, %n : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %r#1, %s#1 : tensor<i64>, tensor<i64>
}

// -----

// Column by column, of the sum of two products in one kernel: it cannot compute the transpose.

func.func @dual(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>, %b2: tensor<32x48xbf16>) -> (tensor<i64>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %y = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %z = linalg.matmul ins(%a, %b2 : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %g = linalg.exp ins(%y : tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = arith.mulf %g, %z : tensor<64x48xf32>
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<f32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<f32>) -> tensor<f32>
  %i0_c = arith.constant 0 : i64
  %i0_e = tensor.empty() : tensor<i64>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %i0 = linalg.fill ins(%i0_c : i64) outs(%i0_e : tensor<i64>) -> tensor<i64>
  // expected-remark@+1 {{it is a reduction to the number of an element, column by column, but the kernel cannot compute the transpose}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(n, m) -> (m, n)>, affine_map<(n, m) -> ()>, affine_map<(n, m) -> ()>], iterator_types = ["reduction", "reduction"]}
    ins(%0 : tensor<64x48xf32>) outs(%v0, %i0 : tensor<f32>, tensor<i64>) {
  ^bb0(%x: f32, %t0: f32, %t1: i64):
    %r0 = linalg.index 0 : index
    %r1 = linalg.index 1 : index
    %w = arith.constant 64 : index
    %p = arith.muli %r0, %w : index
    %i = arith.addi %p, %r1 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %x, %t0 : f32
    %v = arith.select %c, %x, %t0 : f32
    %n = arith.select %c, %j, %t1 : i64
    linalg.yield %v, %n : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %r#1 : tensor<i64>
}

// -----

// The index in one batch of the greatest value of all.

func.func @batches(%a: tensor<4x64x32xbf16>, %b: tensor<4x32x48xbf16>) -> (tensor<i64>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64x48xf32>) -> tensor<4x64x48xf32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<4x64x32xbf16>, tensor<4x32x48xbf16>) outs(%f : tensor<4x64x48xf32>) -> tensor<4x64x48xf32>
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<f32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<f32>) -> tensor<f32>
  %i0_c = arith.constant 0 : i64
  %i0_e = tensor.empty() : tensor<i64>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %i0 = linalg.fill ins(%i0_c : i64) outs(%i0_e : tensor<i64>) -> tensor<i64>
  // expected-remark@+1 {{it is a reduction to an index of elements of several batches}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> ()>, affine_map<(b, m, n) -> ()>], iterator_types = ["reduction", "reduction", "reduction"]}
    ins(%0 : tensor<4x64x48xf32>) outs(%v0, %i0 : tensor<f32>, tensor<i64>) {
  ^bb0(%x: f32, %t0: f32, %t1: i64):
    %i = linalg.index 2 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %x, %t0 : f32
    %v = arith.select %c, %x, %t0 : f32
    %n = arith.select %c, %j, %t1 : i64
    linalg.yield %v, %n : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %r#1 : tensor<i64>
}

// -----

// Values of f16 are not compared.

func.func @half(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>) -> (tensor<64xi64>) {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<64x48xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<64x48xf16>) -> tensor<64x48xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>) outs(%f : tensor<64x48xf16>) -> tensor<64x48xf16>
  %v0_c = arith.constant 0xFC00 : f16
  %v0_e = tensor.empty() : tensor<64xf16>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %v0 = linalg.fill ins(%v0_c : f16) outs(%v0_e : tensor<64xf16>) -> tensor<64xf16>
  %i0_c = arith.constant 0 : i64
  %i0_e = tensor.empty() : tensor<64xi64>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %i0 = linalg.fill ins(%i0_c : i64) outs(%i0_e : tensor<64xi64>) -> tensor<64xi64>
  // expected-remark@+1 {{it is a reduction whose types or initial values kernels do not have}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%0 : tensor<64x48xf16>) outs(%v0, %i0 : tensor<64xf16>, tensor<64xi64>) {
  ^bb0(%x: f16, %t0: f16, %t1: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %x, %t0 : f16
    %v = arith.select %c, %x, %t0 : f16
    %n = arith.select %c, %j, %t1 : i64
    linalg.yield %v, %n : f16, i64
  } -> (tensor<64xf16>, tensor<64xi64>)
  return %r#1 : tensor<64xi64>
}

// -----

// Elements are numbered column by column, but the loops find the first of equal elements row by row.

func.func @loops_row_by_row(%a: tensor<64x32xbf16>, %b: tensor<32x?xbf16>) -> (tensor<64x?xf32>, tensor<i64>) {
  %one = arith.constant 1 : index
  %size = tensor.dim %b, %one : tensor<32x?xbf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%size) : tensor<64x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x?xf32>) -> tensor<64x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x?xbf16>) outs(%f : tensor<64x?xf32>) -> tensor<64x?xf32>
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<f32>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<f32>) -> tensor<f32>
  %i0_c = arith.constant 0 : i64
  %i0_e = tensor.empty() : tensor<i64>
  // expected-remark@+1 {{'linalg.fill' is left as it is}}
  %i0 = linalg.fill ins(%i0_c : i64) outs(%i0_e : tensor<i64>) -> tensor<i64>
  // expected-remark@+1 {{in the order of the loops}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> ()>, affine_map<(m, n) -> ()>], iterator_types = ["reduction", "reduction"]}
    ins(%0 : tensor<64x?xf32>) outs(%v0, %i0 : tensor<f32>, tensor<i64>) {
  ^bb0(%x: f32, %t0: f32, %t1: i64):
    %r0 = linalg.index 1 : index
    %r1 = linalg.index 0 : index
    %w = arith.constant 64 : index
    %p = arith.muli %r0, %w : index
    %i = arith.addi %p, %r1 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %x, %t0 : f32
    %v = arith.select %c, %x, %t0 : f32
    %n = arith.select %c, %j, %t1 : i64
    linalg.yield %v, %n : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %0, %r#1 : tensor<64x?xf32>, tensor<i64>
}
