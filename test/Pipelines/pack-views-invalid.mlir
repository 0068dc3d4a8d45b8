// RUN: split-file %s %t
// RUN: not tcgemm-opt %t/offset.mlir --tcgemm-write-pack=path=%t/pack 2>&1 | FileCheck %s --check-prefix=OFFSET
// RUN: not tcgemm-opt %t/size.mlir --tcgemm-write-pack=path=%t/pack 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not tcgemm-opt %t/stride.mlir --tcgemm-write-pack=path=%t/pack 2>&1 | FileCheck %s --check-prefix=STRIDE
// RUN: not tcgemm-opt %t/expand.mlir --tcgemm-write-pack=path=%t/pack 2>&1 | FileCheck %s --check-prefix=EXPAND
// RUN: not tcgemm-opt %t/collapse.mlir --tcgemm-write-pack=path=%t/pack 2>&1 | FileCheck %s --check-prefix=COLLAPSE
// RUN: not tcgemm-opt %t/rank.mlir --tcgemm-write-pack=path=%t/pack 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not tcgemm-opt %t/unknown.mlir --tcgemm-write-pack=path=%t/pack 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tcgemm-opt %t/value.mlir --tcgemm-write-pack=path=%t/pack 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not tcgemm-opt %t/written.mlir --tcgemm-write-pack=path=%t/pack 2>&1 | FileCheck %s --check-prefix=WRITTEN
// RUN: not tcgemm-opt %t/elements.mlir --tcgemm-write-pack=path=%t/pack 2>&1 | FileCheck %s --check-prefix=ELEMENTS
// RUN: not tcgemm-opt %t/division.mlir --tcgemm-write-pack=path=%t/pack 2>&1 | FileCheck %s --check-prefix=DIVISION

// Views, fills, copies and constants that a pack cannot describe.

// OFFSET: error: function 'f': 'memref.subview' has an offset that is not made of arguments' sizes
// SIZE: error: function 'f': 'memref.subview' has a size that is not made of arguments' sizes
// STRIDE: error: function 'f': 'memref.subview' has a stride that is not made of arguments' sizes
// EXPAND: error: function 'f': 'memref.expand_shape' has a size that is not made of arguments' sizes
// COLLAPSE: error: function 'f': 'memref.collapse_shape' joins dimensions that are not known to be contiguous
// RANK: error: function 'f': 'memref.cast' gives a memref without a rank
// UNKNOWN: error: function 'f': 'memref.reinterpret_cast' is not a launch of a kernel, a view, a fill or a copy, and a pack has nothing else
// VALUE: error: function 'f': 'linalg.fill' has a value that is not a constant
// WRITTEN: error: function 'f': 'linalg.fill' writes to a constant
// ELEMENTS: error: function 'f': 'memref.get_global' takes '@c', which has elements of type i2; make it an argument
// DIVISION: error: function 'f': 'arith.divsi' is not a launch of a kernel, a view, a fill or a copy, and a pack has nothing else

//--- offset.mlir
func.func @f(%x: memref<64x64xf16>, %i: index) {
  %0 = memref.subview %x[%i, 0] [8, 64] [1, 1] : memref<64x64xf16> to memref<8x64xf16, strided<[64, 1], offset: ?>>
  return
}
//--- size.mlir
func.func @f(%x: memref<64x64xf16>, %i: index) {
  %0 = memref.subview %x[0, 0] [%i, 64] [1, 1] : memref<64x64xf16> to memref<?x64xf16, strided<[64, 1]>>
  return
}
//--- stride.mlir
func.func @f(%x: memref<64x64xf16>, %i: index) {
  %0 = memref.subview %x[0, 0] [8, 64] [%i, 1] : memref<64x64xf16> to memref<8x64xf16, strided<[?, 1]>>
  return
}
//--- expand.mlir
func.func @f(%x: memref<?xf16>, %i: index) {
  %0 = memref.expand_shape %x [[0, 1]] output_shape [%i, 8] : memref<?xf16> into memref<?x8xf16>
  return
}
//--- collapse.mlir
func.func @f(%x: memref<?x64x64xf16>, %y: memref<?x?x64xf16>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %y, %c0 : memref<?x?x64xf16>
  %0 = memref.subview %x[0, 0, 0] [8, %n, 64] [1, 1, 1] : memref<?x64x64xf16> to memref<8x?x64xf16, strided<[4096, 64, 1]>>
  %1 = memref.cast %0 : memref<8x?x64xf16, strided<[4096, 64, 1]>> to memref<8x?x64xf16, strided<[?, ?, ?]>>
  %2 = memref.collapse_shape %1 [[0, 1], [2]] : memref<8x?x64xf16, strided<[?, ?, ?]>> into memref<?x64xf16, strided<[?, ?]>>
  return
}
//--- rank.mlir
func.func @f(%x: memref<64x64xf16>) {
  %0 = memref.cast %x : memref<64x64xf16> to memref<*xf16>
  return
}
//--- unknown.mlir
func.func @f(%x: memref<64x64xf16>) {
  %0 = memref.reinterpret_cast %x to offset: [0], sizes: [8], strides: [1] : memref<64x64xf16> to memref<8xf16>
  return
}
//--- value.mlir
func.func @f(%x: memref<64x64xf16>, %v: f16) {
  linalg.fill ins(%v : f16) outs(%x : memref<64x64xf16>)
  return
}
//--- written.mlir
memref.global "private" constant @c : memref<8xf16> = dense<1.0>
func.func @f() {
  %v = arith.constant 2.0 : f16
  %0 = memref.get_global @c : memref<8xf16>
  linalg.fill ins(%v : f16) outs(%0 : memref<8xf16>)
  return
}
//--- elements.mlir
memref.global "private" constant @c : memref<8xi2> = dense<1>
func.func @f() {
  %0 = memref.get_global @c : memref<8xi2>
  return
}
//--- division.mlir
func.func @f(%x: memref<?xf16>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant -2 : index
  %n = memref.dim %x, %c0 : memref<?xf16>
  %h = arith.divsi %n, %c2 : index
  return
}
