// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file -verify-diagnostics

// Products with masks that stay as they are, and the remark on one that does not.

func.func @extents(%d: tensor<48xf32>, %b: tensor<48x32xf32>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-remark @below {{each sum has one term, whose index is from 0 to 63, but there are 48 elements; with an index that is always inside, it becomes elementwise}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %b : tensor<48xf32>, tensor<48x32xf32>) outs(%c : tensor<64x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %zero = arith.constant 0.0 : f32
    %is = arith.cmpi eq, %i, %k : index
    %a = arith.select %is, %x, %zero : f32
    %0 = arith.mulf %a, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

func.func @open(%d: tensor<?xf32>, %b: tensor<?x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
  // expected-remark @below {{each sum has one term, whose index depends on sizes that are not static; with an index that is always inside, it becomes elementwise}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %b : tensor<?xf32>, tensor<?x32xf32>) outs(%c : tensor<?x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %zero = arith.constant 0.0 : f32
    %is = arith.cmpi eq, %i, %k : index
    %a = arith.select %is, %x, %zero : f32
    %0 = arith.mulf %a, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x32xf32>
  return %r : tensor<?x32xf32>
}

// -----

func.func @triangle(%d: tensor<64xf32>, %b: tensor<64x32xf32>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-remark @below {{is left as it is}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %b : tensor<64xf32>, tensor<64x32xf32>) outs(%c : tensor<64x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %zero = arith.constant 0.0 : f32
    %is = arith.cmpi sge, %i, %k : index
    %a = arith.select %is, %x, %zero : f32
    %0 = arith.mulf %a, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

func.func @other(%d: tensor<64xf32>, %b: tensor<64x32xf32>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-remark @below {{is left as it is}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %b : tensor<64xf32>, tensor<64x32xf32>) outs(%c : tensor<64x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %zero = arith.constant 0.0 : f32
    %is = arith.cmpi eq, %i, %j : index
    %a = arith.select %is, %x, %zero : f32
    %0 = arith.mulf %a, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

func.func @one(%d: tensor<64xf32>, %b: tensor<64x32xf32>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-remark @below {{is left as it is}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %b : tensor<64xf32>, tensor<64x32xf32>) outs(%c : tensor<64x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %zero = arith.constant 1.0 : f32
    %is = arith.cmpi eq, %i, %k : index
    %a = arith.select %is, %x, %zero : f32
    %0 = arith.mulf %a, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

func.func @arms(%d: tensor<64xf32>, %b: tensor<64x32xf32>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-remark @below {{is left as it is}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %b : tensor<64xf32>, tensor<64x32xf32>) outs(%c : tensor<64x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %zero = arith.constant 0.0 : f32
    %is = arith.cmpi eq, %i, %k : index
    %a = arith.select %is, %zero, %x : f32
    %0 = arith.mulf %a, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

func.func @skipped(%d: tensor<64xf32>, %b: tensor<64x32xf32>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-remark @below {{it is marked tcgemm.skip}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %b : tensor<64xf32>, tensor<64x32xf32>) outs(%c : tensor<64x32xf32>) attrs = {tcgemm.skip} {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %zero = arith.constant 0.0 : f32
    %is = arith.cmpi eq, %i, %k : index
    %a = arith.select %is, %x, %zero : f32
    %0 = arith.mulf %a, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

func.func @taken(%d: tensor<64xf32>, %b: tensor<64x32xf32>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-remark @below {{it was a product with a diagonal, and is elementwise now}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %b : tensor<64xf32>, tensor<64x32xf32>) outs(%c : tensor<64x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %zero = arith.constant 0.0 : f32
    %is = arith.cmpi eq, %i, %k : index
    %a = arith.select %is, %x, %zero : f32
    %0 = arith.mulf %a, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

func.func @outside(%d: tensor<64xf32>, %b: tensor<64x32xf32>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-remark @below {{each sum has one term, whose index is from 1 to 64, but there are 64 elements; with an index that is always inside, it becomes elementwise}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %b : tensor<64xf32>, tensor<64x32xf32>) outs(%c : tensor<64x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %zero = arith.constant 0.0 : f32
    %last = arith.constant 64 : index
    %sum = arith.addi %i, %k : index
    %is = arith.cmpi eq, %sum, %last : index
    %a = arith.select %is, %x, %zero : f32
    %0 = arith.mulf %a, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

// Two solutions, or none, of an equation with 2·k.

func.func @twice(%d: tensor<64xf32>, %b: tensor<64x32xf32>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-remark @below {{is left as it is}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %b : tensor<64xf32>, tensor<64x32xf32>) outs(%c : tensor<64x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %zero = arith.constant 0.0 : f32
    %sum = arith.addi %k, %k : index
    %is = arith.cmpi eq, %sum, %i : index
    %a = arith.select %is, %x, %zero : f32
    %0 = arith.mulf %a, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

// A constant index is none of a diagonal.

func.func @constant(%d: tensor<64xf32>, %b: tensor<64x32xf32>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-remark @below {{is left as it is}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %b : tensor<64xf32>, tensor<64x32xf32>) outs(%c : tensor<64x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %zero = arith.constant 0.0 : f32
    %last = arith.constant 3 : index
    %is = arith.cmpi eq, %k, %last : index
    %a = arith.select %is, %x, %zero : f32
    %0 = arith.mulf %a, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

// No sum of indices.

func.func @quotient(%d: tensor<64xf32>, %b: tensor<64x32xf32>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-remark @below {{is left as it is}}
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %b : tensor<64xf32>, tensor<64x32xf32>) outs(%c : tensor<64x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %zero = arith.constant 0.0 : f32
    %two = arith.constant 2 : index
    %half = arith.divui %i, %two : index
    %is = arith.cmpi eq, %k, %half : index
    %a = arith.select %is, %x, %zero : f32
    %0 = arith.mulf %a, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}
