// RUN: rm -rf %t.pack
// RUN: tcgemm-opt %s --tcgemm-to-cubin="format=ptx records=none chip=sm_80 pack=%t.pack keep-binaries" -o %t.mlir
// RUN: FileCheck %s --check-prefix=PTX < %t.mlir
// RUN: %python -m json.tool --sort-keys %t.pack/manifest.json | FileCheck %s
// RUN: tcgemm-run %t.pack --device=emulator

// Programs and modules have names that PTX and file systems take, whatever the
// functions are called; the manifest says which kernel each is of.

// PTX: gpu.binary @a_b_0_module
// PTX-SAME: .entry a_b_0_main
// PTX: gpu.binary @a_b_0_0_module
// PTX-SAME: .entry a_b_0_0_main
// PTX: gpu.binary @jit_f__0_module
// PTX-SAME: .entry jit_f__0_main
// PTX: gpu.binary @_1a_0_module
// PTX-SAME: .entry _1a_0_main
// PTX: gpu.binary @___0_module
// PTX-SAME: .entry ___0_main

// CHECK: "functions": [
// CHECK: "kernel": "a-b_0",
// CHECK: "name": "a-b",
// CHECK: "kernels": [
// CHECK: "name": "a-b_0",
// CHECK: "module": "a_b_0_module",
// CHECK: "symbol": "a_b_0_main"
// CHECK: "name": "a.b_0",
// CHECK: "module": "a_b_0_0_module",
// CHECK: "symbol": "a_b_0_0_main"
// CHECK: "name": "jit(f)_0",
// CHECK: "symbol": "jit_f__0_main"
// CHECK: "name": "1a_0",
// CHECK: "symbol": "_1a_0_main"
// CHECK: "name": "\u00e9_0",
// CHECK: "symbol": "___0_main"
func.func @"a-b"(%a: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = linalg.matmul ins(%a, %a : tensor<16x16xf16>, tensor<16x16xf16>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
func.func @"a.b"(%a: tensor<24x24xf16>, %c: tensor<24x24xf32>) -> tensor<24x24xf32> {
  %0 = linalg.matmul ins(%a, %a : tensor<24x24xf16>, tensor<24x24xf16>) outs(%c : tensor<24x24xf32>) -> tensor<24x24xf32>
  return %0 : tensor<24x24xf32>
}
func.func @"jit(f)"(%a: tensor<32x32xf16>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = linalg.matmul ins(%a, %a : tensor<32x32xf16>, tensor<32x32xf16>) outs(%c : tensor<32x32xf32>) -> tensor<32x32xf32>
  return %0 : tensor<32x32xf32>
}
func.func @"1a"(%a: tensor<40x40xf16>, %c: tensor<40x40xf32>) -> tensor<40x40xf32> {
  %0 = linalg.matmul ins(%a, %a : tensor<40x40xf16>, tensor<40x40xf16>) outs(%c : tensor<40x40xf32>) -> tensor<40x40xf32>
  return %0 : tensor<40x40xf32>
}
func.func @"é"(%a: tensor<48x48xf16>, %c: tensor<48x48xf32>) -> tensor<48x48xf32> {
  %0 = linalg.matmul ins(%a, %a : tensor<48x48xf16>, tensor<48x48xf16>) outs(%c : tensor<48x48xf32>) -> tensor<48x48xf32>
  return %0 : tensor<48x48xf32>
}
