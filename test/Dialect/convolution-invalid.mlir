// RUN: tcgemm-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{a convolution needs the field 'filter'}}
#c = #tcgemm.convolution<image = [8, 8], channels = [64]>

// -----

// expected-error @+1 {{'image' is no field of a convolution, or given twice}}
#c = #tcgemm.convolution<image = [8, 8], image = [8, 8], channels = [64], filter = [3, 3]>

// -----

// expected-error @+1 {{expected 2 numbers, but there are 1}}
#c = #tcgemm.convolution<image = [8], channels = [64], filter = [3, 3]>

// -----

// expected-error @+1 {{convolution: the filter reaches over 9 rows, but the image and its padding have only 8}}
#c = #tcgemm.convolution<image = [8, 8], channels = [64], filter = [5, 3], dilations = [2, 1]>

// -----

// expected-error @+1 {{convolution is for an A with the dims 'mk' and elements of f16, bf16, f32 or tf32, but not for b with 'nk' and 'f16'}}
#o = #tcgemm.operand<b, f16, "nk", convolution = <image = [8, 8], channels = [64], filter = [3, 3]>>

// -----

// expected-error @+1 {{tensor map 'A': window.steps[1]: 9, must be 1 to 8}}
#m = #tcgemm.tensor_map<"A", bf16, base = pointer A, dims = ["64", "56", "56", "M"], strides = ["16", "16", "16"],
                        box = [64, 128], swizzle = 128, l2_promotion = 256, window = <lower = [-1, -1], upper = [0, -1], steps = [2, 9]>>

// -----

// expected-error @+1 {{has a convolution whose filter has 576 elements, but K is 577}}
tcgemm.kernel @depth <1x36x32x577>
    [#tcgemm.operand<a, f16, "mk", convolution = <image = [8, 8], channels = [64], filter = [3, 3]>>,
     #tcgemm.operand<b, f16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error @+1 {{has a convolution whose outputs have 36 pixels, but M, 37, is no multiple of it}}
tcgemm.kernel @pixels <1x37x32x576>
    [#tcgemm.operand<a, f16, "mk", convolution = <image = [8, 8], channels = [64], filter = [3, 3]>>,
     #tcgemm.operand<b, f16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error @+1 {{has a convolution, and so the size of b must be 1, without other outer dimensions}}
tcgemm.kernel @batch <2x36x32x576>
    [#tcgemm.operand<a, f16, "mk", convolution = <image = [8, 8], channels = [64], filter = [3, 3]>>,
     #tcgemm.operand<b, f16, "bnk">, #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error @+1 {{has a convolution, and so it cannot have a function of A's elements: the function of a zero around an image may be another number}}
tcgemm.kernel @transform <1x36x32x576>
    [#tcgemm.operand<a, f16, "mk", convolution = <image = [8, 8], channels = [64], filter = [3, 3]>>,
     #tcgemm.operand<b, f16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} transform_a {
^bb0(%a: f16):
  %0 = arith.negf %a : f16
  tcgemm.yield %0 : f16
}

// -----

func.func @result(%images: tensor<?x8x8x64xf16>) -> tensor<?x6x7x576xf16> {
  // expected-error @below {{the result has the type 'tensor<?x6x7x576xf16>', but behind the first dimension it must have 6x6x576}}
  %a = tcgemm.im2col %images <image = [8, 8], channels = [64], filter = [3, 3]> : tensor<?x8x8x64xf16> -> tensor<?x6x7x576xf16>
  return %a : tensor<?x6x7x576xf16>
}

// -----

func.func @images(%images: tensor<?x8x8x64xf16>) -> tensor<2x6x6x576xf16> {
  // expected-error @below {{but it must have as many images as 'tensor<?x8x8x64xf16>'}}
  %a = tcgemm.im2col %images <image = [8, 8], channels = [64], filter = [3, 3]> : tensor<?x8x8x64xf16> -> tensor<2x6x6x576xf16>
  return %a : tensor<2x6x6x576xf16>
}

// -----

func.func @type(%images: tensor<?x8x8x64xf16>) -> tensor<?x6x6x576xf32> {
  // expected-error @below {{the result has elements of 'f32', but the images have 'f16'}}
  %a = tcgemm.im2col %images <image = [8, 8], channels = [64], filter = [3, 3]> : tensor<?x8x8x64xf16> -> tensor<?x6x6x576xf32>
  return %a : tensor<?x6x6x576xf32>
}
