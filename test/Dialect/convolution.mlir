// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s

// CHECK: tcgemm.kernel @kernel
// CHECK-SAME: #tcgemm.operand<a, f16, "mk", convolution = <image = [8, 9], channels = [64], filter = [3, 2], strides = [2, 1], dilations = [1, 2], before = [1, 0], after = [0, 3]>>
tcgemm.kernel @kernel <1x?x32x384>
    [#tcgemm.operand<a, f16, "mk", convolution = <image = [8, 9], channels = [64], filter = [3, 2], strides = [2, 1], dilations = [1, 2], before = [1, 0], after = [0, 3]>>,
     #tcgemm.operand<b, f16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// Fields with their defaults are left out.
// CHECK-LABEL: func.func @windows
// CHECK: tcgemm.im2col %{{.*}} <image = [8, 8], channels = [64], filter = [3, 3]> : tensor<?x8x8x64xf16> -> tensor<?x6x6x576xf16>
func.func @windows(%images: tensor<?x8x8x64xf16>) -> tensor<?x6x6x576xf16> {
  %a = tcgemm.im2col %images <image = [8, 8], channels = [64], filter = [3, 3], strides = [1, 1], after = [0, 0]>
      : tensor<?x8x8x64xf16> -> tensor<?x6x6x576xf16>
  return %a : tensor<?x6x6x576xf16>
}

// CHECK-LABEL: func.func private @map
// CHECK-SAME: box = [64, 128], swizzle = 128, l2_promotion = 256, window = <lower = [-1, -1], upper = [0, -1], steps = [2, 1]>>
func.func private @map() attributes {test.map =
  #tcgemm.tensor_map<"A", bf16, base = pointer A, dims = ["64", "56", "56", "M / 3136"],
                     strides = ["A.stride0 * 2", "A.stride0 * 112", "A.stride0 * 6272"],
                     box = [64, 128], swizzle = 128, l2_promotion = 256,
                     window = <lower = [-1, -1], upper = [0, -1], steps = [2, 1]>>}
