// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file -verify-diagnostics

func.func @depthwise(%a: tensor<1x9x9x8xf16>, %b: tensor<3x3x8xf16>, %e: tensor<1x7x7x8xf32>) -> tensor<1x7x7x8xf32> {
  // expected-remark @below {{it is a depthwise convolution: each channel has a filter of its own, and so it is no product of matrices}}
  %d = linalg.depthwise_conv_2d_nhwc_hwc ins(%a, %b : tensor<1x9x9x8xf16>, tensor<3x3x8xf16>)
    outs(%e : tensor<1x7x7x8xf32>) -> tensor<1x7x7x8xf32>
  return %d : tensor<1x7x7x8xf32>
}

// -----

func.func @groups(%a: tensor<1x2x4x9x9xf16>, %b: tensor<2x8x4x3x3xf16>, %e: tensor<1x2x8x7x7xf32>) -> tensor<1x2x8x7x7xf32> {
  // expected-remark @below {{it is a convolution with groups of channels; only those with one group are taken: make a convolution of each group}}
  %d = linalg.conv_2d_ngchw_gfchw ins(%a, %b : tensor<1x2x4x9x9xf16>, tensor<2x8x4x3x3xf16>)
    outs(%e : tensor<1x2x8x7x7xf32>) -> tensor<1x2x8x7x7xf32>
  return %d : tensor<1x2x8x7x7xf32>
}

// -----

func.func @other(%a: tensor<1x9x8xf16>, %b: tensor<3x8x4xf16>, %e: tensor<1x7x4xf32>) -> tensor<1x7x4xf32> {
  // expected-remark @below {{it is a convolution of another kind; conv_2d_nhwc_hwcf, conv_2d_nhwc_fhwc and conv_2d_nchw_fchw are taken}}
  %d = linalg.conv_1d_nwc_wcf ins(%a, %b : tensor<1x9x8xf16>, tensor<3x8x4xf16>)
    outs(%e : tensor<1x7x4xf32>) -> tensor<1x7x4xf32>
  return %d : tensor<1x7x4xf32>
}

// -----

func.func @buffers(%a: memref<1x9x9x8xf16>, %b: memref<16x3x3x8xf16>, %e: memref<1x7x7x16xf32>) {
  // expected-remark @below {{it works on buffers; convolutions are taken on tensors}}
  linalg.conv_2d_nhwc_fhwc ins(%a, %b : memref<1x9x9x8xf16>, memref<16x3x3x8xf16>) outs(%e : memref<1x7x7x16xf32>)
  return
}

// -----

func.func @types(%a: tensor<1x9x9x8xi8>, %b: tensor<16x3x3x8xi8>, %e: tensor<1x7x7x16xi32>) -> tensor<1x7x7x16xi32> {
  // expected-remark @below {{its images and its filter have elements of i8 and i8; only f16, bf16 and f32, the same in both, are supported}}
  %d = linalg.conv_2d_nhwc_fhwc ins(%a, %b : tensor<1x9x9x8xi8>, tensor<16x3x3x8xi8>)
    outs(%e : tensor<1x7x7x16xi32>) -> tensor<1x7x7x16xi32>
  return %d : tensor<1x7x7x16xi32>
}

// -----

func.func @sizes(%a: tensor<1x?x9x8xf16>, %b: tensor<16x3x3x8xf16>, %e: tensor<1x?x7x16xf32>) -> tensor<1x?x7x16xf32> {
  // expected-remark @below {{its images or its filter have sizes that are not known before run time; only the number of images and that of filters may be}}
  %d = linalg.conv_2d_nhwc_fhwc ins(%a, %b : tensor<1x?x9x8xf16>, tensor<16x3x3x8xf16>)
    outs(%e : tensor<1x?x7x16xf32>) -> tensor<1x?x7x16xf32>
  return %d : tensor<1x?x7x16xf32>
}

// -----

func.func @outside(%a: tensor<1x8x9x9xf16>, %b: tensor<16x8x3x3xf16>, %e: tensor<1x16x7x7xf32>) -> tensor<1x16x7x7xf32> {
  // expected-remark @below {{the channels of its images are outside of the pixels; the option transpose-operands transposes them}}
  %d = linalg.conv_2d_nchw_fchw ins(%a, %b : tensor<1x8x9x9xf16>, tensor<16x8x3x3xf16>)
    outs(%e : tensor<1x16x7x7xf32>) -> tensor<1x16x7x7xf32>
  return %d : tensor<1x16x7x7xf32>
}

// -----

func.func @skipped(%a: tensor<1x9x9x8xf16>, %b: tensor<16x3x3x8xf16>, %e: tensor<1x7x7x16xf32>) -> tensor<1x7x7x16xf32> {
  // expected-remark @below {{it is marked tcgemm.skip}}
  %d = linalg.conv_2d_nhwc_fhwc {tcgemm.skip} ins(%a, %b : tensor<1x9x9x8xf16>, tensor<16x3x3x8xf16>)
    outs(%e : tensor<1x7x7x16xf32>) -> tensor<1x7x7x16xf32>
  return %d : tensor<1x7x7x16xf32>
}

// -----

// linalg lets a result be smaller than it could be.

func.func @smaller(%a: tensor<1x9x9x8xf16>, %b: tensor<16x3x3x8xf16>, %e: tensor<1x7x6x16xf32>) -> tensor<1x7x6x16xf32> {
  // expected-remark @below {{its result has 6 columns, but its windows fit 7 times: take the result of all and a slice of it}}
  %d = linalg.conv_2d_nhwc_fhwc ins(%a, %b : tensor<1x9x9x8xf16>, tensor<16x3x3x8xf16>)
    outs(%e : tensor<1x7x6x16xf32>) -> tensor<1x7x6x16xf32>
  return %d : tensor<1x7x6x16xf32>
}

// -----

func.func @unknown(%a: tensor<1x9x9x8xf16>, %b: tensor<16x3x3x8xf16>, %e: tensor<1x?x7x16xf32>) -> tensor<1x?x7x16xf32> {
  // expected-remark @below {{its result has a run-time number of rows, but its windows fit 7 times}}
  %d = linalg.conv_2d_nhwc_fhwc ins(%a, %b : tensor<1x9x9x8xf16>, tensor<16x3x3x8xf16>)
    outs(%e : tensor<1x?x7x16xf32>) -> tensor<1x?x7x16xf32>
  return %d : tensor<1x?x7x16xf32>
}

// -----

// The product of what the windows see has the reason.

func.func @split(%a: tensor<1x9x9x8xf32>, %b: tensor<16x3x3x8xf32>, %e: tensor<1x7x7x16xf32>) -> tensor<1x7x7x16xf32> {
  // expected-remark @below {{it is a convolution with the precision bf16x3; only ieee and tf32 are supported}}
  // expected-remark @below {{'linalg.generic' is left as it is: it is neither a contraction nor does it consume one's result}}
  %d = linalg.conv_2d_nhwc_fhwc {tcgemm.precision = "bf16x3"} ins(%a, %b : tensor<1x9x9x8xf32>, tensor<16x3x3x8xf32>)
    outs(%e : tensor<1x7x7x16xf32>) -> tensor<1x7x7x16xf32>
  return %d : tensor<1x7x7x16xf32>
}

// -----

func.func @sums(%a: tensor<1x9x9x8xf16>, %b: tensor<16x3x3x8xf16>, %e: tensor<1x7x7x16xf16>) -> tensor<1x7x7x16xf16> {
  // expected-remark @below {{it is a convolution with the precision f16; only ieee and tf32 are supported}}
  // expected-remark @below {{'linalg.generic' is left as it is: it is neither a contraction nor does it consume one's result}}
  %d = linalg.conv_2d_nhwc_fhwc {tcgemm.precision = "f16"} ins(%a, %b : tensor<1x9x9x8xf16>, tensor<16x3x3x8xf16>)
    outs(%e : tensor<1x7x7x16xf16>) -> tensor<1x7x7x16xf16>
  return %d : tensor<1x7x7x16xf16>
}
