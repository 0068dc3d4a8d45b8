// Code that is in a pack is not printed besides, unless that is asked for.
// RUN: tcgemm-opt %s --tcgemm-to-cubin="chip=sm_80 format=ptx pack=%t.pack" | FileCheck %s
// RUN: ls %t.pack | FileCheck %s --check-prefix=FILES
// RUN: tcgemm-opt %s --tcgemm-to-cubin="chip=sm_80 format=ptx pack=%t.pack keep-binaries" | FileCheck %s --check-prefix=KEPT
// RUN: tcgemm-opt %s --tcgemm-to-cubin="chip=sm_80 format=ptx" | FileCheck %s --check-prefix=KEPT
// RUN: tcgemm-opt %s --tcgemm-to-cubin="chip=sm_80 format=ptx" | tcgemm-opt --tcgemm-write-pack="path=%t.pack" | FileCheck %s --check-prefix=KEPT
// CHECK-NOT: gpu.binary
// CHECK: tcgemm.kernel @f_0
// CHECK-NOT: gpu.binary
// CHECK: tcgemm.launch @f_0
// CHECK-NOT: gpu.binary
// FILES: f_0_module.ptx
// FILES: manifest.json
// KEPT: gpu.binary @f_0_module
func.func @f(%a: tensor<256x64xf16>, %b: tensor<64x64xf16>, %c: tensor<256x64xf32>) -> tensor<256x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<256x64xf16>, tensor<64x64xf16>) outs(%c : tensor<256x64xf32>) -> tensor<256x64xf32>
  return %0 : tensor<256x64xf32>
}
