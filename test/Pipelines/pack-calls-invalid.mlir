// RUN: split-file %s %t
// RUN: not tcgemm-opt %t/global.mlir --tcgemm-write-pack=path=%t/pack 2>&1 | FileCheck %s --check-prefix=GLOBAL
// RUN: not tcgemm-opt %t/external.mlir --tcgemm-write-pack=path=%t/pack 2>&1 | FileCheck %s --check-prefix=EXTERNAL
// RUN: not tcgemm-opt %t/recursive.mlir --tcgemm-write-pack=path=%t/pack 2>&1 | FileCheck %s --check-prefix=RECURSIVE
// RUN: %python -c "print('func.func private @f0() { return }'); [print('func.func private @f%d() { call @f%d() : () -> () call @f%d() : () -> () return }' % (i, i - 1, i - 1)) for i in range(1, 40)]; print('func.func @f() { call @f39() : () -> () return }')" > %t/many.mlir
// RUN: not tcgemm-opt %t/many.mlir --tcgemm-write-pack=path=%t/pack 2>&1 | FileCheck %s --check-prefix=MANY

// Calls and buffers that a pack cannot describe.

// GLOBAL: error: function 'f': 'memref.get_global' takes '@c', which is not a constant; make it an argument
// EXTERNAL: error: function 'f': 'func.call' calls 'g', which has no body in the module
// RECURSIVE: error: function 'f': 'func.call' calls 'g', which calls itself; a pack has launches in a fixed order only
// MANY: error: function 'f': 'func.call' is one of more than 10000 calls that a pack would have to spell out

//--- global.mlir
memref.global "private" @c : memref<8xf16> = dense<1.0>
func.func @f() {
  %0 = memref.get_global @c : memref<8xf16>
  return
}
//--- external.mlir
func.func private @g()
func.func @f() {
  call @g() : () -> ()
  return
}
//--- recursive.mlir
func.func private @g() {
  call @g() : () -> ()
  return
}
func.func @f() {
  call @g() : () -> ()
  return
}
