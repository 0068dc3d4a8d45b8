// RUN: tcgemm-opt %s -tcgemm-raise="remarks=false transpose-operands" -split-input-file | FileCheck %s

// The padding and what consumes the result are part of the kernel.

// CHECK:      tcgemm.kernel @padded_0 <1x50x16x144>
// CHECK-SAME:   [#tcgemm.operand<a, f16, "mk", convolution = <image = [5, 5], channels = [16], filter = [3, 3], before = [1, 1], after = [1, 1]>>, #tcgemm.operand<b, f16, "nk">, #tcgemm.operand<input, f32, "n">, #tcgemm.operand<output, f16, "mn">]
// CHECK:        arith.addf
// CHECK:        arith.maximumf
// CHECK-LABEL: func.func @padded
// CHECK-NOT:     tensor.pad
// CHECK-DAG:     %[[A:.*]] = tensor.collapse_shape %arg0 {{\[}}[0, 1, 2], [3]] : tensor<2x5x5x16xf16> into tensor<50x16xf16>
// CHECK-DAG:     %[[B:.*]] = tensor.collapse_shape %arg1 {{\[}}[0], [1, 2, 3]] : tensor<16x3x3x16xf16> into tensor<16x144xf16>
// CHECK:         %[[R:.*]] = tcgemm.launch @padded_0 ins(%[[A]], %[[B]], %arg2
// CHECK:         tensor.expand_shape %[[R]] {{\[}}[0, 1, 2], [3]]
// CHECK-NOT:     tcgemm.im2col
#map = affine_map<(n, h, w, f) -> (n, h, w, f)>
#row = affine_map<(n, h, w, f) -> (f)>
func.func @padded(%images: tensor<2x5x5x16xf16>, %filter: tensor<16x3x3x16xf16>, %bias: tensor<16xf32>) -> tensor<2x5x5x16xf16> {
  %zero = arith.constant 0.0 : f16
  %sum = arith.constant 0.0 : f32
  %padded = tensor.pad %images low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %zero : f16
  } : tensor<2x5x5x16xf16> to tensor<2x7x7x16xf16>
  %e = tensor.empty() : tensor<2x5x5x16xf32>
  %zeros = linalg.fill ins(%sum : f32) outs(%e : tensor<2x5x5x16xf32>) -> tensor<2x5x5x16xf32>
  %acc = linalg.conv_2d_nhwc_fhwc ins(%padded, %filter : tensor<2x7x7x16xf16>, tensor<16x3x3x16xf16>)
    outs(%zeros : tensor<2x5x5x16xf32>) -> tensor<2x5x5x16xf32>
  %o = tensor.empty() : tensor<2x5x5x16xf16>
  %d = linalg.generic {indexing_maps = [#map, #row, #map],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%acc, %bias : tensor<2x5x5x16xf32>, tensor<16xf32>) outs(%o : tensor<2x5x5x16xf16>) {
  ^bb0(%x: f32, %b: f32, %y: f16):
    %0 = arith.addf %x, %b : f32
    %1 = arith.maximumf %0, %sum : f32
    %2 = arith.truncf %1 : f32 to f16
    linalg.yield %2 : f16
  } -> tensor<2x5x5x16xf16>
  return %d : tensor<2x5x5x16xf16>
}

// -----

// The number of images is known at run time; filters are innermost in B.

// CHECK:      tcgemm.kernel @strided_0 <1x?x24x32>
// CHECK-SAME:   #tcgemm.operand<a, bf16, "mk", convolution = <image = [9, 8], channels = [8], filter = [2, 2], strides = [2, 3], dilations = [3, 1]>>, #tcgemm.operand<b, bf16, "kn">
// CHECK-LABEL: func.func @strided
// CHECK:         %[[N:.*]] = tensor.dim %arg0, %c0
// CHECK-NOT:     tcgemm.im2col
func.func @strided(%images: tensor<?x9x8x8xbf16>, %filter: tensor<2x2x8x24xbf16>, %e: tensor<?x3x3x24xf32>) -> tensor<?x3x3x24xf32> {
  %sum = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%sum : f32) outs(%e : tensor<?x3x3x24xf32>) -> tensor<?x3x3x24xf32>
  %acc = linalg.conv_2d_nhwc_hwcf {strides = dense<[2, 3]> : tensor<2xi64>, dilations = dense<[3, 1]> : tensor<2xi64>}
    ins(%images, %filter : tensor<?x9x8x8xbf16>, tensor<2x2x8x24xbf16>)
    outs(%zeros : tensor<?x3x3x24xf32>) -> tensor<?x3x3x24xf32>
  return %acc : tensor<?x3x3x24xf32>
}

// -----

// A filter of one element is a plain product.

// CHECK:      tcgemm.kernel @pointwise_0 <1x50x32x16>
// CHECK-SAME:   [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "nk">
func.func @pointwise(%images: tensor<2x5x5x16xf16>, %filter: tensor<32x1x1x16xf16>, %e: tensor<2x5x5x32xf32>) -> tensor<2x5x5x32xf32> {
  %sum = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%sum : f32) outs(%e : tensor<2x5x5x32xf32>) -> tensor<2x5x5x32xf32>
  %acc = linalg.conv_2d_nhwc_fhwc ins(%images, %filter : tensor<2x5x5x16xf16>, tensor<32x1x1x16xf16>)
    outs(%zeros : tensor<2x5x5x32xf32>) -> tensor<2x5x5x32xf32>
  return %acc : tensor<2x5x5x32xf32>
}

// -----

// Images and filters with the channels outside are transposed, and so is the result.

// CHECK:      tcgemm.kernel @outside_0 <1x18x32x144>
// CHECK-LABEL: func.func @outside
// CHECK:         %[[I:transposed.*]] = linalg.transpose ins(%arg0 : tensor<2x16x5x5xf16>) {{.*}} permutation = [0, 2, 3, 1]
// CHECK:         %[[F:transposed.*]] = linalg.transpose ins(%arg1 : tensor<32x16x3x3xf16>) {{.*}} permutation = [0, 2, 3, 1]
// CHECK:         %[[B:.*]] = tensor.collapse_shape %[[F]]
// CHECK:         %[[A:.*]] = tensor.collapse_shape %[[I]]
// CHECK:         %[[R:.*]] = tcgemm.launch @outside_0 ins(%[[A]], %[[B]]
// CHECK:         %[[U:.*]] = tensor.expand_shape %[[R]]
// CHECK:         linalg.transpose ins(%[[U]] : tensor<2x3x3x32xf32>) {{.*}} permutation = [0, 3, 1, 2]
func.func @outside(%images: tensor<2x16x5x5xf16>, %filter: tensor<32x16x3x3xf16>, %e: tensor<2x32x3x3xf32>) -> tensor<2x32x3x3xf32> {
  %sum = arith.constant 0.0 : f32
  %zeros = linalg.fill ins(%sum : f32) outs(%e : tensor<2x32x3x3xf32>) -> tensor<2x32x3x3xf32>
  %acc = linalg.conv_2d_nchw_fchw ins(%images, %filter : tensor<2x16x5x5xf16>, tensor<32x16x3x3xf16>)
    outs(%zeros : tensor<2x32x3x3xf32>) -> tensor<2x32x3x3xf32>
  return %acc : tensor<2x32x3x3xf32>
}

// -----

// A padding by another value than zero, and one of channels, stay what they are.

// CHECK:      tcgemm.kernel @ones_0
// CHECK-SAME:   image = [6, 5], channels = [16], filter = [2, 2]>>
// CHECK-LABEL: func.func @ones
// CHECK:         tensor.pad
func.func @ones(%images: tensor<2x5x5x16xf16>, %filter: tensor<32x2x2x16xf16>, %e: tensor<2x5x4x32xf32>) -> tensor<2x5x4x32xf32> {
  %one = arith.constant 1.0 : f16
  %sum = arith.constant 0.0 : f32
  %padded = tensor.pad %images low[0, 1, 0, 0] high[0, 0, 0, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %one : f16
  } : tensor<2x5x5x16xf16> to tensor<2x6x5x16xf16>
  %zeros = linalg.fill ins(%sum : f32) outs(%e : tensor<2x5x4x32xf32>) -> tensor<2x5x4x32xf32>
  %acc = linalg.conv_2d_nhwc_fhwc ins(%padded, %filter : tensor<2x6x5x16xf16>, tensor<32x2x2x16xf16>)
    outs(%zeros : tensor<2x5x4x32xf32>) -> tensor<2x5x4x32xf32>
  return %acc : tensor<2x5x4x32xf32>
}

// -----

// No kernel takes a precision that splits elements. What the windows see is copied.

// CHECK-NOT:   tcgemm.kernel
// CHECK-LABEL: func.func @split
// CHECK:         %[[P:.*]] = tensor.pad %arg0 low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK:         %[[C:.*]] = linalg.generic {indexing_maps = [#[[WINDOW:.*]], #{{.*}}], {{.*}}} ins(%[[P]] :
// CHECK:         tensor.collapse_shape %[[C]] {{\[}}[0], [1], [2], [3, 4, 5]]
// CHECK:         linalg.generic
func.func @split(%images: tensor<2x5x5x16xf32>, %filter: tensor<16x3x3x16xf32>, %e: tensor<2x5x5x16xf32>) -> tensor<2x5x5x16xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %images low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<2x5x5x16xf32> to tensor<2x7x7x16xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<2x5x5x16xf32>) -> tensor<2x5x5x16xf32>
  %acc = linalg.conv_2d_nhwc_fhwc {tcgemm.precision = "bf16x3"} ins(%padded, %filter : tensor<2x7x7x16xf32>, tensor<16x3x3x16xf32>)
    outs(%zeros : tensor<2x5x5x16xf32>) -> tensor<2x5x5x16xf32>
  return %acc : tensor<2x5x5x16xf32>
}
