// RUN: tcgemm-opt %s --tcgemm-to-device=format=ptx -split-input-file -verify-diagnostics

// A function that PTX has no instructions for: there is no libdevice.

// expected-error @unknown {{'math.exp' op on 'f64' cannot be lowered without libdevice}}
func.func @f64(%x: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %e = tensor.empty() : tensor<8x8xf64>
  %0 = linalg.exp ins(%x : tensor<8x8xf64>) outs(%e : tensor<8x8xf64>) -> tensor<8x8xf64>
  return %0 : tensor<8x8xf64>
}
