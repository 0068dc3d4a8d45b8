// RUN: not tcgemm-opt %s --tcgemm-to-cubin="format=ptx remarks=false pack=%t.pack" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OP
// RUN: not tcgemm-opt %s --tcgemm-to-cubin="format=elf" 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not tcgemm-opt %s --tcgemm-to-cubin="chip=sm_1" 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tcgemm-opt %s --tcgemm-write-pack 2>&1 | FileCheck %s --check-prefix=PATH
// RUN: not tcgemm-opt %s --tcgemm-to-cubin="config=stages=99" 2>&1 | FileCheck %s --check-prefix=CONFIG

// What a pack cannot hold is named.

// OP: error: function 'left': 'linalg.{{[a-z]+}}' is not a launch of a kernel, a view, a fill or a copy, and a pack has nothing else
// FORMAT: Cannot find option named 'elf'
// CHIP: error: tcgemm-configure: unknown chip 'sm_1'
// PATH: error: tcgemm-write-pack: path is empty, but it must name a directory
// CONFIG: error: illegal config: stages = 99, but it must be from 2 to 12 [stages]
func.func @left(%a: tensor<16x64xf16>, %b: tensor<64x16xf16>, %x: tensor<16xf32>) -> (tensor<16x16xf32>, tensor<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<16x64xf16>, tensor<64x16xf16>) outs(%f : tensor<16x16xf32>) -> tensor<16x16xf32>
  %g = tensor.empty() : tensor<16xf32>
  %1 = linalg.exp ins(%x : tensor<16xf32>) outs(%g : tensor<16xf32>) -> tensor<16xf32>
  return %0, %1 : tensor<16x16xf32>, tensor<16xf32>
}
