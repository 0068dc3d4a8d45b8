// RUN: not tcgemm-opt %s --tcgemm-to-cubin="format=ptx remarks=false" 2>&1 | FileCheck %s
// RUN: not tcgemm-opt %s --tcgemm-to-cubin="format=ptx remarks=false pack=%t.pack keep-binaries" 2>&1 | FileCheck %s

// A kernel cannot read a constant of the module, which lies in the host's
// memory. Only a pack without the module's own binaries has it: see
// pack-views.mlir.

// CHECK: error: {{.*}}'tcgemm.launch' op operand 1 of kernel 'f_0' is the constant '@__constant_4x2xf16', which is in host memory; make it an argument
func.func @f(%a: tensor<32x4xf16>) -> tensor<32x2xf16> {
  %b = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf16>
  %z = arith.constant dense<0.0> : tensor<32x2xf16>
  %0 = linalg.matmul ins(%a, %b : tensor<32x4xf16>, tensor<4x2xf16>) outs(%z : tensor<32x2xf16>) -> tensor<32x2xf16>
  return %0 : tensor<32x2xf16>
}
