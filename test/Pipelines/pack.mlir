// RUN: rm -rf %t.pack
// RUN: tcgemm-opt %s --tcgemm-to-cubin="format=ptx pack=%t.pack" -o /dev/null
// RUN: FileCheck %s --check-prefix=PTX < %t.pack/two_0_module.ptx
// RUN: %python -m json.tool --sort-keys %t.pack/manifest.json | FileCheck %s

// Two kernels with a temporary between them. The epilogue is written as it is
// in the source: math.exp, whatever it is lowered to. The second product accumulates
// on its writable argument.

// PTX: .entry two_0_main
// CHECK: "functions": [
// CHECK: "access": "read",
// CHECK: "access": "readwrite",
// CHECK: "launches": [
// CHECK: "kernel": "two_0",
// CHECK-NEXT: "operands": [
// CHECK-NEXT: "arg0",
// CHECK-NEXT: "arg1",
// CHECK-NEXT: "tmp0"
// CHECK: "kernel": "two_1",
// CHECK-NEXT: "operands": [
// CHECK-NEXT: "tmp0",
// CHECK-NEXT: "arg1",
// CHECK-NEXT: "arg2",
// CHECK-NEXT: "arg2"
// CHECK: "name": "two",
// CHECK: "temporaries": [
// CHECK: "shape": [
// CHECK-NEXT: "arg0.dim0",
// CHECK-NEXT: "64"
// CHECK-NEXT: ],
// CHECK-NEXT: "type": "bf16"
// CHECK: "kernels": [
// CHECK: "op": "math.exp"
// CHECK: "name": "two_0",
// CHECK: "K": 64,
// CHECK-NEXT: "M": null,
// CHECK-NEXT: "N": 64,
// CHECK-NEXT: "batch": 1
// CHECK: "guard": "A.stride1 == 1 && A.base % 16 == 0
// CHECK: "module": "two_0_module",
// CHECK: "symbol": "two_0_main"
// CHECK: "modules": [
// CHECK: "chip": "sm_90",
// CHECK: "ptx": "two_0_module.ptx"
// CHECK: "tcgemm_manifest": 1
func.func @two(%a: tensor<?x64xbf16>, %b: tensor<64x64xbf16>,
               %d: tensor<?x64xf32> {bufferization.writable = true}) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%m) : tensor<?x64xf32>
  %h = tensor.empty(%m) : tensor<?x64xbf16>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xbf16>, tensor<64x64xbf16>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%0 : tensor<?x64xf32>) outs(%h : tensor<?x64xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %2 = math.exp %x : f32
    %3 = arith.truncf %2 : f32 to bf16
    linalg.yield %3 : bf16
  } -> tensor<?x64xbf16>
  %4 = linalg.matmul ins(%1, %b : tensor<?x64xbf16>, tensor<64x64xbf16>) outs(%d : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %4 : tensor<?x64xf32>
}
