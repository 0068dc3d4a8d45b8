// RUN: tcgemm-opt %s -tcgemm-lifetime-functions | FileCheck %s

// CHECK:     llvm.func @load() {
// CHECK:     llvm.func @unload() {
// CHECK:     llvm.mlir.global_ctors ctors = [@load], priorities = [200 : i32], data = [#llvm.zero]
// CHECK:     llvm.mlir.global_dtors dtors = [@unload], priorities = [200 : i32], data = [#llvm.zero]
llvm.func @load() attributes {tcgemm.constructor} {
  llvm.return
}
llvm.func @unload() attributes {tcgemm.destructor} {
  llvm.return
}
