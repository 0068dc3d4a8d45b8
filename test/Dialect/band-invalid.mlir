// RUN: tcgemm-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{band: 'low' is none of lower, upper, strict-lower, strict-upper, unit-lower, unit-upper and band:L:U}}
#b = #tcgemm.band<"low">

// -----

// expected-error @+1 {{band: 'band:-3:2' has no diagonal: it needs L + U of at least 0}}
#b = #tcgemm.band<"band:-3:2">

// -----

// expected-error @+1 {{band: 'band:*:*' has no limit}}
#b = #tcgemm.band<"band:*:*">

// -----

// expected-error @+1 {{each a number up to 1073741824 or *}}
#b = #tcgemm.band<"band:1073741825:0">

// -----

// expected-error @+1 {{band: 'unit-lower:zeros' has ones on the diagonal, which the memory need not hold: it cannot have zeros}}
#b = #tcgemm.band<"unit-lower:zeros">

// -----

// expected-error @+1 {{band is for A and B, but not for input}}
#o = #tcgemm.operand<input, f32, "mn", band = <"lower">>

// -----

func.func @vector(%a: tensor<?xbf16>) {
  // expected-error @+1 {{needs a matrix with two dimensions or more, but it has the type 'tensor<?xbf16>'}}
  %0 = tcgemm.band %a <"lower"> : tensor<?xbf16>
  return
}

// -----

// expected-error @+1 {{operand 0: it has a band, but elements of 'i4' share bytes or are split into parts}}
tcgemm.kernel @packed <1x?x?x?>
    [#tcgemm.operand<a, i4, "mk", band = <"lower">>, #tcgemm.operand<b, f16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32):
  tcgemm.yield %x : f32
}

// -----

// expected-error @+1 {{has a band of B, and so it cannot have a function of B's elements: the function of a zero outside the band may be another number}}
tcgemm.kernel @function <1x?x?x?>
    [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "nk", band = <"lower">>,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32):
  tcgemm.yield %x : f32
} transform_b {
^bb0(%x: f16):
  %0 = arith.negf %x : f16
  tcgemm.yield %0 : f16
}

// -----

// expected-error @+1 {{has two bands with ones on the diagonal, but at most one may be such}}
tcgemm.kernel @units <1x?x?x?>
    [#tcgemm.operand<a, f16, "mk", band = <"unit-lower">>, #tcgemm.operand<b, f16, "nk", band = <"unit-upper">>,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32):
  tcgemm.yield %x : f32
}

// -----

// expected-error @+1 {{has a band of A, and so it cannot have a second B: a stage of such a kernel has one B}}
tcgemm.kernel @dual <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk", band = <"lower">>, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<b2, bf16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %y: f32):
  tcgemm.yield %x : f32
}

// -----

// expected-error @+1 {{has another algebra, and so it cannot have a symmetric result: only kernels for tensor cores have it, which multiply and add}}
tcgemm.kernel @algebra <1x8x8x?>
    [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32):
  tcgemm.yield %x : f32
} attributes {symmetric, algebra = #tcgemm.algebra<reduce = max, combine = plus>}

// -----

// expected-error @+1 {{is symmetric, but M is 64 and N is 32}}
tcgemm.kernel @sizes <1x64x32x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32):
  tcgemm.yield %x : f32
} attributes {symmetric}

// -----

// expected-error @+1 {{has a symmetric result, and so it cannot have an epilogue that reads tensors: an element and its reflection may get different values}}
tcgemm.kernel @bias <1x64x64x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<input, f32, "n">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %y: f32):
  tcgemm.yield %x : f32
} attributes {symmetric}

// -----

// expected-error @+1 {{is symmetric, but its epilogue reads a coordinate}}
tcgemm.kernel @coordinate <1x64x64x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32):
  %m = tcgemm.index "m"
  tcgemm.yield %x : f32
} attributes {symmetric}

// -----

// expected-error @+1 {{has a symmetric result, and so it cannot have reductions: the values of one half are stored, but not computed}}
tcgemm.kernel @reduction <1x64x64x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">, #tcgemm.operand<output, f32, "m", reduction = <addf, 0.0 : f32>>] epilogue {
^bb0(%x: f32):
  tcgemm.yield %x, %x : f32, f32
} attributes {symmetric}

// -----

// expected-error @+1 {{operand 2: outputs of a symmetric kernel have dimensions that end with 'mn', but this has 'nm'}}
tcgemm.kernel @order <1x64x64x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "nm">] epilogue {
^bb0(%x: f32):
  tcgemm.yield %x : f32
} attributes {symmetric}
