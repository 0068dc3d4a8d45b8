// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file | FileCheck %s

// Reductions with several results: each result that is used is an output.

// The greatest value of each row and its index, as MLIR writes it. NaN does not count.

// CHECK-LABEL: tcgemm.kernel @number_0
// CHECK-SAME:    #tcgemm.operand<output, f32, "mn">, #tcgemm.operand<output, f32, "m", reduction = <maxnumf, 0xFF800000 : f32>>, #tcgemm.operand<output, i64, "m", reduction = <argmaxnumf, 0 : i64>>]
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:    tcgemm.yield %[[ACC]], %[[ACC]], %[[ACC]] : f32, f32, f32
// CHECK-LABEL: func.func @number
// CHECK:         %[[L:.*]]:3 = tcgemm.launch @number_0
// CHECK:         return %[[L]]#1, %[[L]]#2
func.func @number(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64xf32>, tensor<64xi64>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<64xf32>
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<64xf32>) -> tensor<64xf32>
  %i0_c = arith.constant 0 : i64
  %i0_e = tensor.empty() : tensor<64xi64>
  %i0 = linalg.fill ins(%i0_c : i64) outs(%i0_e : tensor<64xi64>) -> tensor<64xi64>
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
  return %r#0, %r#1 : tensor<64xf32>, tensor<64xi64>
}

// -----

// The index comes first, of columns, and is the only result that is used. NaN is the
// greatest value. The index is -1 for columns without a value.

// CHECK-LABEL: tcgemm.kernel @nan_0
// CHECK-SAME:    #tcgemm.operand<output, f32, "mn">, #tcgemm.operand<output, i32, "n", reduction = <argmaximumf, -1 : i32>>]
// CHECK-LABEL: func.func @nan
// CHECK-NOT:     linalg.generic
func.func @nan(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64x48xf32>, tensor<48xi32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<48xf32>
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<48xf32>) -> tensor<48xf32>
  %i0_c = arith.constant -1 : i32
  %i0_e = tensor.empty() : tensor<48xi32>
  %i0 = linalg.fill ins(%i0_c : i32) outs(%i0_e : tensor<48xi32>) -> tensor<48xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (n)>], iterator_types = ["reduction", "parallel"]}
    ins(%0 : tensor<64x48xf32>) outs(%i0, %v0 : tensor<48xi32>, tensor<48xf32>) {
  ^bb0(%x: f32, %t0: i32, %t1: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %g = arith.cmpf ugt, %x, %t1 : f32
    %o = arith.cmpf ord, %t1, %t1 : f32
    %c = arith.andi %o, %g : i1
    %v = arith.maximumf %t1, %x : f32
    %n = arith.select %c, %j, %t0 : i32
    linalg.yield %n, %v : i32, f32
  } -> (tensor<48xi32>, tensor<48xf32>)
  return %0, %r#0 : tensor<64x48xf32>, tensor<48xi32>
}

// -----

// A function of the element is compared, and not the index of it.

// CHECK-LABEL: tcgemm.kernel @function_0
// CHECK-SAME:    #tcgemm.operand<output, i32, "m", reduction = <argmaxnumf, 0 : i32>>]
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:    %[[ABS:.*]] = math.absf %[[ACC]] : f32
// CHECK-NEXT:    tcgemm.yield %[[ACC]], %[[ABS]] : f32, f32
func.func @function(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64xi32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<64xf32>
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<64xf32>) -> tensor<64xf32>
  %i0_c = arith.constant 0 : i32
  %i0_e = tensor.empty() : tensor<64xi32>
  %i0 = linalg.fill ins(%i0_c : i32) outs(%i0_e : tensor<64xi32>) -> tensor<64xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%0 : tensor<64x48xf32>) outs(%v0, %i0 : tensor<64xf32>, tensor<64xi32>) {
  ^bb0(%x: f32, %t0: f32, %t1: i32):
    %y = math.absf %x : f32
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %c = arith.cmpf ogt, %y, %t0 : f32
    %v = arith.select %c, %y, %t0 : f32
    %n = arith.select %c, %j, %t1 : i32
    linalg.yield %v, %n : f32, i32
  } -> (tensor<64xf32>, tensor<64xi32>)
  return %r#1 : tensor<64xi32>
}

// -----

// The two numbers of a softmax.

// CHECK-LABEL: tcgemm.kernel @softmax_0
// CHECK-SAME:    #tcgemm.operand<output, f32, "mn">, #tcgemm.operand<output, f32, "m", reduction = <maximumf, 0xFF800000 : f32>>, #tcgemm.operand<output, f32, "m", reduction = <sumexpf, 0.000000e+00 : f32>>]
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:    tcgemm.yield %[[ACC]], %[[ACC]], %[[ACC]] : f32, f32, f32
func.func @softmax(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<64xf32>
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<64xf32>) -> tensor<64xf32>
  %s0_c = arith.constant 0.0 : f32
  %s0_e = tensor.empty() : tensor<64xf32>
  %s0 = linalg.fill ins(%s0_c : f32) outs(%s0_e : tensor<64xf32>) -> tensor<64xf32>
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
  return %r#0, %r#1 : tensor<64xf32>, tensor<64xf32>
}

// -----

// The number, the mean and the variance of each row, in another order.

// CHECK-LABEL: tcgemm.kernel @moments_0
// CHECK-SAME:    #tcgemm.operand<output, f32, "m", reduction = <meanf, 0.000000e+00 : f32>>, #tcgemm.operand<output, f32, "m", reduction = <addf, 0.000000e+00 : f32>>, #tcgemm.operand<output, f32, "m", reduction = <variancef, 0.000000e+00 : f32>>]
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:    %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:    tcgemm.yield %[[ACC]], %[[ACC]], %[[ONE]], %[[ACC]] : f32, f32, f32, f32
func.func @moments(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %a0_c = arith.constant 0.0 : f32
  %a0_e = tensor.empty() : tensor<64xf32>
  %a0 = linalg.fill ins(%a0_c : f32) outs(%a0_e : tensor<64xf32>) -> tensor<64xf32>
  %n0_c = arith.constant 0.0 : f32
  %n0_e = tensor.empty() : tensor<64xf32>
  %n0 = linalg.fill ins(%n0_c : f32) outs(%n0_e : tensor<64xf32>) -> tensor<64xf32>
  %v0_c = arith.constant 0.0 : f32
  %v0_e = tensor.empty() : tensor<64xf32>
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<64xf32>) -> tensor<64xf32>
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
  return %r#0, %r#1, %r#2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

// Both numbers by two operations, as linalg.softmax becomes them.

// CHECK-LABEL: tcgemm.kernel @two_0
// CHECK-SAME:    #tcgemm.operand<output, f32, "m", reduction = <maxnumf, 0x7FC00000 : f32>>, #tcgemm.operand<output, f32, "m", reduction = <sumexpf, 0.000000e+00 : f32>>]
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:    tcgemm.yield %[[ACC]], %[[ACC]], %[[ACC]] : f32, f32, f32
// CHECK-LABEL: func.func @two
// CHECK:         %[[L:.*]]:3 = tcgemm.launch @two_0
// CHECK-NOT:     linalg.generic
// CHECK:         return %[[L]]#1, %[[L]]#2
func.func @two(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<64xf32>, tensor<64xf32>) {
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
  %s0_c = arith.constant 0.0 : f32
  %s0_e = tensor.empty() : tensor<64xf32>
  %s0 = linalg.fill ins(%s0_c : f32) outs(%s0_e : tensor<64xf32>) -> tensor<64xf32>
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

// The index of the greatest value of all elements, row by row.

// CHECK-LABEL: tcgemm.kernel @all_0
// CHECK-SAME:    #tcgemm.operand<output, f32, "mn">, #tcgemm.operand<output, i64, "", reduction = <argmaxnumf, 0 : i64>>]
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:    tcgemm.yield %[[ACC]], %[[ACC]] : f32, f32
func.func @all(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<i64>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<f32>
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<f32>) -> tensor<f32>
  %i0_c = arith.constant 0 : i64
  %i0_e = tensor.empty() : tensor<i64>
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
  return %r#1 : tensor<i64>
}


// -----

// The length of a row is known at run time.

// CHECK-LABEL: tcgemm.kernel @dynamic_0
// CHECK-SAME:    <1x?x?x32>
// CHECK-SAME:    #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">, #tcgemm.operand<output, i64, "", reduction = <argmaxnumf, 0 : i64>>]
func.func @dynamic(%a: tensor<?x32xbf16>, %b: tensor<32x?xbf16>) -> (tensor<i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x32xbf16>
  %size = tensor.dim %b, %c1 : tensor<32x?xbf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %size) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x32xbf16>, tensor<32x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<f32>
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<f32>) -> tensor<f32>
  %i0_c = arith.constant 0 : i64
  %i0_e = tensor.empty() : tensor<i64>
  %i0 = linalg.fill ins(%i0_c : i64) outs(%i0_e : tensor<i64>) -> tensor<i64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> ()>, affine_map<(m, n) -> ()>], iterator_types = ["reduction", "reduction"]}
    ins(%0 : tensor<?x?xf32>) outs(%v0, %i0 : tensor<f32>, tensor<i64>) {
  ^bb0(%x: f32, %t0: f32, %t1: i64):
    %r0 = linalg.index 0 : index
    %r1 = linalg.index 1 : index
    %p = arith.muli %size, %r0 : index
    %i = arith.addi %r1, %p : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %x, %t0 : f32
    %v = arith.select %c, %x, %t0 : f32
    %n = arith.select %c, %j, %t1 : i64
    linalg.yield %v, %n : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %r#1 : tensor<i64>
}


// -----

// The only other output is the transpose, but elements are numbered in rows of the product.

// CHECK-LABEL: tcgemm.kernel @transposed_0
// CHECK-SAME:    #tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "nm">, #tcgemm.operand<output, i64, "", reduction = <argmaxnumf, 0 : i64>>]
func.func @transposed(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<48x64xf32>, tensor<i64>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %te = tensor.empty() : tensor<48x64xf32>
  %t = linalg.transpose ins(%0 : tensor<64x48xf32>) outs(%te : tensor<48x64xf32>) permutation = [1, 0]
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<f32>
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<f32>) -> tensor<f32>
  %i0_c = arith.constant 0 : i64
  %i0_e = tensor.empty() : tensor<i64>
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
  return %t, %r#1 : tensor<48x64xf32>, tensor<i64>
}


// -----

// Elements are numbered in rows of the result, which is the transpose: the kernel computes that.

// CHECK-LABEL: tcgemm.kernel @column_major_0 <1x48x64x32>
// CHECK-SAME:    [#tcgemm.operand<a, bf16, "km">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, f32, "mn">, #tcgemm.operand<output, i64, "", reduction = <argmaxnumf, 0 : i64>>]
// CHECK-LABEL: func.func @column_major
// CHECK: tcgemm.launch @column_major_0 ins(%arg1, %arg0 :
func.func @column_major(%a: tensor<64x32xbf16>, %b: tensor<32x48xbf16>) -> (tensor<48x64xf32>, tensor<i64>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x48xbf16>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %te = tensor.empty() : tensor<48x64xf32>
  %t = linalg.transpose ins(%0 : tensor<64x48xf32>) outs(%te : tensor<48x64xf32>) permutation = [1, 0]
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<f32>
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<f32>) -> tensor<f32>
  %i0_c = arith.constant 0 : i64
  %i0_e = tensor.empty() : tensor<i64>
  %i0 = linalg.fill ins(%i0_c : i64) outs(%i0_e : tensor<i64>) -> tensor<i64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> ()>, affine_map<(m, n) -> ()>], iterator_types = ["reduction", "reduction"]}
    ins(%t : tensor<48x64xf32>) outs(%v0, %i0 : tensor<f32>, tensor<i64>) {
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
  return %t, %r#1 : tensor<48x64xf32>, tensor<i64>
}


// -----

// Elements of a row-major result are numbered column by column: the kernel computes the transpose, and stores it
// transposed.

// CHECK-LABEL: tcgemm.kernel @columns_0 <1x?x64x32>
// CHECK-SAME:    [#tcgemm.operand<a, bf16, "km">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, f32, "nm">, #tcgemm.operand<output, i64, "", reduction = <argmaxnumf, 0 : i64>>]
func.func @columns(%a: tensor<64x32xbf16>, %b: tensor<32x?xbf16>) -> (tensor<64x?xf32>, tensor<i64>) {
  %one = arith.constant 1 : index
  %size = tensor.dim %b, %one : tensor<32x?xbf16>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%size) : tensor<64x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x?xf32>) -> tensor<64x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xbf16>, tensor<32x?xbf16>) outs(%f : tensor<64x?xf32>) -> tensor<64x?xf32>
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<f32>
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<f32>) -> tensor<f32>
  %i0_c = arith.constant 0 : i64
  %i0_e = tensor.empty() : tensor<i64>
  %i0 = linalg.fill ins(%i0_c : i64) outs(%i0_e : tensor<i64>) -> tensor<i64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(n, m) -> (m, n)>, affine_map<(n, m) -> ()>, affine_map<(n, m) -> ()>], iterator_types = ["reduction", "reduction"]}
    ins(%0 : tensor<64x?xf32>) outs(%v0, %i0 : tensor<f32>, tensor<i64>) {
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
  return %0, %r#1 : tensor<64x?xf32>, tensor<i64>
}


// -----

// The result of a matrix and a vector.

// CHECK-LABEL: tcgemm.kernel @vector_0
// CHECK-SAME:    <1x1x64x32>
// CHECK-SAME:    #tcgemm.operand<output, i64, "", reduction = <argmaxnumf, 0 : i64>>]
func.func @vector(%a: tensor<64x32xbf16>, %b: tensor<32xbf16>) -> (tensor<i64>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %0 = linalg.matvec ins(%a, %b : tensor<64x32xbf16>, tensor<32xbf16>) outs(%f : tensor<64xf32>) -> tensor<64xf32>
  %v0_c = arith.constant 0xFF800000 : f32
  %v0_e = tensor.empty() : tensor<f32>
  %v0 = linalg.fill ins(%v0_c : f32) outs(%v0_e : tensor<f32>) -> tensor<f32>
  %i0_c = arith.constant 0 : i64
  %i0_e = tensor.empty() : tensor<i64>
  %i0 = linalg.fill ins(%i0_c : i64) outs(%i0_e : tensor<i64>) -> tensor<i64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> ()>, affine_map<(m) -> ()>], iterator_types = ["reduction"]}
    ins(%0 : tensor<64xf32>) outs(%v0, %i0 : tensor<f32>, tensor<i64>) {
  ^bb0(%x: f32, %t0: f32, %t1: i64):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %x, %t0 : f32
    %v = arith.select %c, %x, %t0 : f32
    %n = arith.select %c, %j, %t1 : i64
    linalg.yield %v, %n : f32, i64
  } -> (tensor<f32>, tensor<i64>)
  return %r#1 : tensor<i64>
}

// -----

// Values of f64.

// CHECK-LABEL: tcgemm.kernel @wide_0
// CHECK-SAME:    #tcgemm.operand<output, f64, "mn">, #tcgemm.operand<output, i64, "m", reduction = <argmaxnumf, 0 : i64>>]
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f64):
// CHECK-NEXT:    tcgemm.yield %[[ACC]], %[[ACC]] : f64, f64
func.func @wide(%a: tensor<64x32xf64>, %b: tensor<32x48xf64>) -> (tensor<64xi64>) {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<64x48xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<64x48xf64>) -> tensor<64x48xf64>
  %0 = linalg.matmul ins(%a, %b : tensor<64x32xf64>, tensor<32x48xf64>) outs(%f : tensor<64x48xf64>) -> tensor<64x48xf64>
  %v0_c = arith.constant 0xFFF0000000000000 : f64
  %v0_e = tensor.empty() : tensor<64xf64>
  %v0 = linalg.fill ins(%v0_c : f64) outs(%v0_e : tensor<64xf64>) -> tensor<64xf64>
  %i0_c = arith.constant 0 : i64
  %i0_e = tensor.empty() : tensor<64xi64>
  %i0 = linalg.fill ins(%i0_c : i64) outs(%i0_e : tensor<64xi64>) -> tensor<64xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%0 : tensor<64x48xf64>) outs(%v0, %i0 : tensor<64xf64>, tensor<64xi64>) {
  ^bb0(%x: f64, %t0: f64, %t1: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %c = arith.cmpf ogt, %x, %t0 : f64
    %v = arith.select %c, %x, %t0 : f64
    %n = arith.select %c, %j, %t1 : i64
    linalg.yield %v, %n : f64, i64
  } -> (tensor<64xf64>, tensor<64xi64>)
  return %r#1 : tensor<64xi64>
}
