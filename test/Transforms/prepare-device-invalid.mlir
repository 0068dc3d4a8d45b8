// RUN: tcgemm-opt %s -tcgemm-prepare-device -verify-diagnostics

func.func @gather(%x: tensor<8x8xf32>, %i: tensor<2x1xindex>) -> tensor<2x8xf32> {
  // expected-error @below {{'tensor.gather' cannot run on the device: it has no form on buffers}}
  %0 = tensor.gather %x[%i] gather_dims([0]) : (tensor<8x8xf32>, tensor<2x1xindex>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}
