// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file -verify-diagnostics | FileCheck %s
// CHECK-NOT: tcgemm.kernel

// Products of bits that stay in the module.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @signed(%a: tensor<4x64xi1>, %b: tensor<6x64xi1>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  // expected-remark @below {{it extends i1 by its sign, to 0 and -1; only arith.extui of i1 is supported}}
  %0 = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x64xi1>, tensor<6x64xi1>) outs(%c : tensor<4x6xi32>) {
  ^bb0(%x: i1, %y: i1, %s: i32):
    %u = arith.extui %x : i1 to i32
    %v = arith.extsi %y : i1 to i32
    %p = arith.muli %u, %v : i32
    %q = arith.addi %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @depth(%a: tensor<4x60xi1>, %b: tensor<6x60xi1>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  // expected-remark @below {{its operand of i1 has 60 elements along k; that must be a multiple of 8}}
  %0 = linalg.matmul indexing_maps = [#a, #b, #d] {cast = #linalg.type_fn<cast_unsigned>}
    ins(%a, %b : tensor<4x60xi1>, tensor<6x60xi1>) outs(%c : tensor<4x6xi32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

func.func @layout(%a: tensor<4x64xi1>, %b: tensor<64x6xi1>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  // expected-remark @below {{its operand of i1 must be a matrix with k innermost}}
  %0 = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>}
    ins(%a, %b : tensor<4x64xi1>, tensor<64x6xi1>) outs(%c : tensor<4x6xi32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @mixed(%a: tensor<4x64xi1>, %b: tensor<6x64xi8>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  // expected-remark @below {{its operands have the types i1 and i8, which no instruction multiplies}}
  %0 = linalg.matmul indexing_maps = [#a, #b, #d] {cast = #linalg.type_fn<cast_unsigned>}
    ins(%a, %b : tensor<4x64xi1>, tensor<6x64xi8>) outs(%c : tensor<4x6xi32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

// Other operations have a byte for each element.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @computed(%x: tensor<4x64xi8>, %b: tensor<6x64xi1>, %c: tensor<4x6xi32>) -> tensor<4x6xi32> {
  %e = tensor.empty() : tensor<4x64xi1>
  // expected-remark @below {{it is neither a contraction nor does it consume one's result}}
  %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4x64xi8>) outs(%e : tensor<4x64xi1>) {
  ^bb0(%in: i8, %out: i1):
    %t = arith.trunci %in : i8 to i1
    linalg.yield %t : i1
  } -> tensor<4x64xi1>
  // expected-remark @below {{its operand of i1 is the result of 'linalg.generic'; eight elements share a byte, so that it must be an argument of the function}}
  %0 = linalg.matmul indexing_maps = [#a, #b, #d] {cast = #linalg.type_fn<cast_unsigned>}
    ins(%a, %b : tensor<4x64xi1>, tensor<6x64xi1>) outs(%c : tensor<4x6xi32>) -> tensor<4x6xi32>
  return %0 : tensor<4x6xi32>
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @used(%a: memref<4x64xi1>, %b: memref<6x64xi1>, %c: memref<4x6xi32>, %copy: memref<4x64xi1>) {
  // expected-remark @below {{its operand of i1 is also used by 'memref.copy'; eight elements share a byte, so that only products can read it}}
  linalg.matmul indexing_maps = [#a, #b, #d] {cast = #linalg.type_fn<cast_unsigned>}
    ins(%a, %b : memref<4x64xi1>, memref<6x64xi1>) outs(%c : memref<4x6xi32>)
  memref.copy %a, %copy : memref<4x64xi1> to memref<4x64xi1>
  return
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func private @callee(%a: memref<4x64xi1>, %b: memref<6x64xi1>, %c: memref<4x6xi32>) {
  // expected-remark @below {{its operand of i1 is an argument of a function that the module calls; eight elements share a byte, which callers do not know}}
  linalg.matmul indexing_maps = [#a, #b, #d] {cast = #linalg.type_fn<cast_unsigned>}
    ins(%a, %b : memref<4x64xi1>, memref<6x64xi1>) outs(%c : memref<4x6xi32>)
  return
}
func.func @caller(%a: memref<4x64xi1>, %b: memref<6x64xi1>, %c: memref<4x6xi32>) {
  call @callee(%a, %b, %c) : (memref<4x64xi1>, memref<6x64xi1>, memref<4x6xi32>) -> ()
  return
}
