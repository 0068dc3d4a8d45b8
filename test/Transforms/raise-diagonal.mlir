// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -canonicalize -split-input-file | FileCheck %s

// Products with a diagonal matrix have one term for each element.

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-LABEL: func.func @left
// CHECK-SAME: (%[[D:.*]]: tensor<64xf16>, %[[B:.*]]: tensor<64x32xf16>, %[[C:.*]]: tensor<64x32xf32>)
// CHECK-NOT: tcgemm.launch
// CHECK: linalg.generic {indexing_maps = [#[[ROW]], #[[ID]], #[[ID]]], iterator_types = ["parallel", "parallel"]}
// CHECK-SAME: ins(%[[D]], %[[B]] : tensor<64xf16>, tensor<64x32xf16>) outs(%[[C]]
// CHECK-NEXT: ^bb0(%[[X:.*]]: f16, %[[Y:.*]]: f16, %[[S:.*]]: f32):
// CHECK-NEXT: %[[L:.*]] = arith.extf %[[X]]
// CHECK-NEXT: %[[R:.*]] = arith.extf %[[Y]]
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[L]], %[[R]]
// CHECK-NEXT: %[[T:.*]] = arith.addf %[[S]], %[[P]]
// CHECK-NEXT: linalg.yield %[[T]]
func.func @left(%d: tensor<64xf16>, %b: tensor<64x32xf16>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %b : tensor<64xf16>, tensor<64x32xf16>) outs(%c : tensor<64x32xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 2 : index
    %zero = arith.constant 0.0 : f16
    %is = arith.cmpi eq, %i, %k : index
    %a = arith.select %is, %x, %zero : f16
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %y : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

// The diagonal of a matrix on the right, whose loop k comes first; of i32.
// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[DIAGONAL:.*]] = affine_map<(d0, d1) -> (d1, d1)>
// CHECK-LABEL: func.func @right
// CHECK: linalg.generic {indexing_maps = [#[[ID]], #[[DIAGONAL]], #[[ID]]]
// CHECK: arith.muli
// CHECK: arith.addi
func.func @right(%a: tensor<8x16xi32>, %d: tensor<16x16xi32>, %c: tensor<8x16xi32>) -> tensor<8x16xi32> {
  %r = linalg.generic {indexing_maps = [affine_map<(k, m, n) -> (m, k)>, affine_map<(k, m, n) -> (n, k)>, affine_map<(k, m, n) -> (m, n)>],
                       iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%a, %d : tensor<8x16xi32>, tensor<16x16xi32>) outs(%c : tensor<8x16xi32>) {
  ^bb0(%x: i32, %y: i32, %s: i32):
    %k = linalg.index 0 : index
    %j = linalg.index 2 : index
    %zero = arith.constant 0 : i32
    %isnt = arith.cmpi ne, %k, %j : index
    %b = arith.select %isnt, %zero, %y : i32
    %0 = arith.muli %x, %b : i32
    %1 = arith.addi %0, %s : i32
    linalg.yield %1 : i32
  } -> tensor<8x16xi32>
  return %r : tensor<8x16xi32>
}

// -----

// The identity: the sum is a copy, which is added.
// CHECK-LABEL: func.func @identity
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[S:.*]]: f32):
// CHECK-NEXT: arith.addf %[[S]], %[[X]]
func.func @identity(%b: tensor<16x8xf32>, %c: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%b : tensor<16x8xf32>) outs(%c : tensor<16x8xf32>) {
  ^bb0(%y: f32, %s: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 2 : index
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %is = arith.cmpi eq, %k, %i : index
    %a = arith.select %is, %one, %zero : f32
    %0 = arith.mulf %y, %a : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// -----

// A sum that starts with a constant does not read the result's memory.
// CHECK-LABEL: func.func @filled
// CHECK-SAME: (%[[D:.*]]: tensor<16xf32>, %[[B:.*]]: tensor<16x8xf32>, %[[E:.*]]: tensor<16x8xf32>)
// CHECK-NOT: linalg.fill
// CHECK: linalg.generic
// CHECK-SAME: outs(%[[E]] : tensor<16x8xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[P:.*]] = arith.mulf %[[X]], %[[Y]] : f32
// CHECK-NEXT: arith.addf %[[P]], %cst : f32
func.func @filled(%d: tensor<16xf32>, %b: tensor<16x8xf32>, %e: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %b : tensor<16xf32>, tensor<16x8xf32>) outs(%c : tensor<16x8xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 2 : index
    %is = arith.cmpi eq, %k, %i : index
    %a = arith.select %is, %x, %zero : f32
    %0 = arith.mulf %a, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<16x8xf32>
  return %r : tensor<16x8xf32>
}

// -----

// The index of the term is the solution of an equation: of an anti-diagonal matrix, and of
// a shifted diagonal with fewer rows than columns. The body reads it, too.

// CHECK-DAG: #[[ANTI:.*]] = affine_map<(d0, d1) -> (-d0 + 63)>
// CHECK-DAG: #[[ANTI_ROW:.*]] = affine_map<(d0, d1) -> (-d0 + 63, d1)>
// CHECK-LABEL: func.func @anti
// CHECK: linalg.generic {indexing_maps = [#[[ANTI]], #[[ANTI_ROW]], #{{.*}}], iterator_types = ["parallel", "parallel"]}
// CHECK-NOT: arith.select
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[K:.*]] = arith.subi %c63, %[[I]] : index
// CHECK: arith.index_cast %[[K]]
func.func @anti(%d: tensor<64xf32>, %b: tensor<64x32xf32>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %b : tensor<64xf32>, tensor<64x32xf32>) outs(%c : tensor<64x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 2 : index
    %last = arith.constant 63 : index
    %zero = arith.constant 0.0 : f32
    %j = arith.subi %last, %i : index
    %is = arith.cmpi eq, %k, %j : index
    %n = arith.index_cast %k : index to i32
    %f = arith.sitofp %n : i32 to f32
    %v = arith.addf %x, %f : f32
    %a = arith.select %is, %v, %zero : f32
    %0 = arith.mulf %a, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

// CHECK: #[[NEXT:.*]] = affine_map<(d0, d1) -> (d0 + 1)>
// CHECK: func.func @shifted
// CHECK: linalg.generic {indexing_maps = [#[[NEXT]], {{.*}}], iterator_types = ["parallel", "parallel"]}
func.func @shifted(%d: tensor<64xf32>, %b: tensor<64x32xf32>, %c: tensor<63x32xf32>) -> tensor<63x32xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %b : tensor<64xf32>, tensor<64x32xf32>) outs(%c : tensor<63x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 2 : index
    %one = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %j = arith.subi %k, %one : index
    %is = arith.cmpi eq, %i, %j : index
    %a = arith.select %is, %x, %zero : f32
    %0 = arith.mulf %a, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<63x32xf32>
  return %r : tensor<63x32xf32>
}
