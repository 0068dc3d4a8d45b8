// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -tcgemm-configure="chip=sm_90a records=none" -tcgemm-schedule -split-input-file | FileCheck %s

// TMA copies what the windows see. The product's last part along k is beyond the filter
// and has no channels. If the images are not aligned, A is written first.

// CHECK-LABEL: tcgemm.kernel @windows_0
// CHECK:         #tcgemm.variant<"aligned", guard = "{{[^"]*}}A.stride1 == 1{{[^"]*}}"
// CHECK-SAME:      "A", f16, base = pointer A, dims = ["64", "8", "6", "M / 15"], strides = ["A.stride0 * 2", "A.stride0 * 16", "A.stride0 * 96"], box = [64, 64], swizzle = 128, l2_promotion = 128, window = <lower = [0, -1], upper = [-2, -2], steps = [2, 1]>>
// CHECK:         "pack_a"
// CHECK-SAME:      @windows_0_unfold, grid = ["ceildiv(M * (ceildiv(K, 8) * 8), 2048)"
// CHECK-SAME:      @windows_0_main_packed
// CHECK:         "pack_ab"
// CHECK-LABEL: tcgemm.program @windows_0_main(
// CHECK:         tcgemm.role producer
// CHECK-DAG:       %[[IMAGE:.*]] = arith.divui %[[M:.*]], %c15{{.*}} : i32
// CHECK:           scf.for
// CHECK:             %[[TAP:.*]] = arith.minui %{{.*}}, %c8{{.*}} : i32
// CHECK:             tcgemm.tma.load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %[[IMAGE]]] offsets[%{{.*}}, %{{.*}}] to
// CHECK:             tcgemm.tma.load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %[[IMAGE]]] offsets[%{{.*}}, %{{.*}}] to
// CHECK-LABEL: tcgemm.program @windows_0_main_packed(
// CHECK-NOT:     offsets
// CHECK-LABEL: tcgemm.program @windows_0_unfold(
// CHECK:         vector.load
// CHECK:         memref.load
func.func @windows(%a: tensor<?x6x8x64xf16>, %b: tensor<32x3x3x64xf16>, %e: tensor<?x5x3x32xf32>) -> tensor<?x5x3x32xf32> {
  %zero = arith.constant 0.0 : f16
  %p = tensor.pad %a low[0, 1, 0, 0] high[0, 0, 0, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %zero : f16
  } : tensor<?x6x8x64xf16> to tensor<?x7x8x64xf16>
  %d = linalg.conv_2d_nhwc_fhwc {strides = dense<[1, 2]> : tensor<2xi64>, tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [64, 32, 128], warps = [4, 1, 1], instruction = [64, 32, 16]>}
    ins(%p, %b : tensor<?x7x8x64xf16>, tensor<32x3x3x64xf16>) outs(%e : tensor<?x5x3x32xf32>) -> tensor<?x5x3x32xf32>
  return %d : tensor<?x5x3x32xf32>
}

// -----

// Copies would cross from one element of the filter to the next. A is always written.

// CHECK-LABEL: tcgemm.kernel @few_0
// CHECK-NOT:     "aligned"
// CHECK:         "pack_a"
// CHECK:         "pack_ab"
// CHECK-NOT:     window =
// CHECK-LABEL: tcgemm.program @few_0_unfold(
// CHECK-NOT:     vector.load
// CHECK:         memref.load
// CHECK-NOT:     vector.load
// CHECK:         tcgemm.return
func.func @few(%a: tensor<2x6x8x3xf16>, %b: tensor<32x3x3x3xf16>, %e: tensor<2x4x6x32xf32>) -> tensor<2x4x6x32xf32> {
  %d = linalg.conv_2d_nhwc_fhwc {tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [64, 32, 64], warps = [4, 1, 1], instruction = [64, 32, 16]>}
    ins(%a, %b : tensor<2x6x8x3xf16>, tensor<32x3x3x3xf16>) outs(%e : tensor<2x4x6x32xf32>) -> tensor<2x4x6x32xf32>
  return %d : tensor<2x4x6x32xf32>
}

// -----

// An offset within the filter has 8 bits, and a step is at most 8.

// CHECK-LABEL: tcgemm.kernel @far_0
// CHECK-NOT:     window =
func.func @far(%a: tensor<2x6x300x64xf16>, %b: tensor<32x1x2x64xf16>, %e: tensor<2x6x44x32xf32>) -> tensor<2x6x44x32xf32> {
  %d = linalg.conv_2d_nhwc_fhwc {dilations = dense<[1, 256]> : tensor<2xi64>, tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [64, 32, 64], warps = [4, 1, 1], instruction = [64, 32, 16]>}
    ins(%a, %b : tensor<2x6x300x64xf16>, tensor<32x1x2x64xf16>) outs(%e : tensor<2x6x44x32xf32>) -> tensor<2x6x44x32xf32>
  return %d : tensor<2x6x44x32xf32>
}

// -----

// CHECK-LABEL: tcgemm.kernel @steps_0
// CHECK-NOT:     window =
func.func @steps(%a: tensor<2x9x9x64xf16>, %b: tensor<32x1x1x64xf16>, %e: tensor<2x1x1x32xf32>) -> tensor<2x1x1x32xf32> {
  %d = linalg.conv_2d_nhwc_fhwc {strides = dense<9> : tensor<2xi64>, tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [64, 32, 64], warps = [4, 1, 1], instruction = [64, 32, 16]>}
    ins(%a, %b : tensor<2x9x9x64xf16>, tensor<32x1x1x64xf16>) outs(%e : tensor<2x1x1x32xf32>) -> tensor<2x1x1x32xf32>
  return %d : tensor<2x1x1x32xf32>
}
