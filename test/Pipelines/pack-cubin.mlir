// REQUIRES: ptxas
// RUN: rm -rf %t.pack
// RUN: tcgemm-opt %s --tcgemm-to-cubin="chip=sm_86 pack=%t.pack" -o /dev/null
// RUN: ls %t.pack | FileCheck %s --check-prefix=FILES
// RUN: %python -m json.tool --sort-keys %t.pack/manifest.json | FileCheck %s

// FILES: f_0_module.cubin
// FILES: f_0_module.ptx
// FILES: manifest.json
// CHECK: "registers": {{[1-9][0-9]+}},
// CHECK-NEXT: "remarks": [],
// CHECK-NEXT: "shared_memory":
// CHECK-NEXT: "spill_bytes": 0,
// CHECK-NEXT: "stack_bytes": 0,
// CHECK-NEXT: "static_shared_memory": 0,
// CHECK: "chip": "sm_86",
// CHECK: "cubin_sha256": "{{[0-9a-f]+}}",
// CHECK: "log": "ptxas info
// CHECK: "llvm": "22.
// CHECK: "ptxas": "{{[0-9]+\.[0-9]+}}
func.func @f(%a: tensor<256x64xf16>, %b: tensor<64x64xf16>, %c: tensor<256x64xf32>) -> tensor<256x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<256x64xf16>, tensor<64x64xf16>) outs(%c : tensor<256x64xf32>) -> tensor<256x64xf32>
  return %0 : tensor<256x64xf32>
}
