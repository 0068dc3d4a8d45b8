// RUN: tcgemm-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{a representation has as many columns as rows, but there are 1 and 2}}
#r = #tcgemm.representation<[[1, 2], [2]]>

// -----

// expected-error @+1 {{a representation has 2 x 2 or 4 x 4 elements, but here are 9}}
#r = #tcgemm.representation<[[1, 2, 3], [1, 2, 3], [1, 2, 3]]>

// -----

// expected-error @+1 {{element 3 of a representation is 3, but it must be the number of a component, 1 to 2, perhaps negated}}
#r = #tcgemm.representation<[[1, 2], [-2, 3]]>

// -----

// expected-error @+1 {{representation is for a B of floats whose innermost dims are k and n, but not for a with 'mk' and 'f64'}}
#o = #tcgemm.operand<a, f64, "mk", representation = <[[1, 2], [-2, 1]]>>

// -----

// expected-error @+1 {{representation is for a B of floats whose innermost dims are k and n, but not for b with 'nk' and 'i8'}}
#o = #tcgemm.operand<b, i8, "nk", representation = <[[1, 2], [-2, 1]]>>

// -----

// expected-error @+1 {{representation is for a B of floats whose innermost dims are k and n, but not for b with 'kbn' and 'f64'}}
#o = #tcgemm.operand<b, f64, "kbn", representation = <[[1, 2], [-2, 1]]>>

// -----

// expected-error @+1 {{has a representation of numbers with 2 components, but K, 33, is no multiple of it}}
tcgemm.kernel @odd <1x32x32x33>
    [#tcgemm.operand<a, f64, "mk">, #tcgemm.operand<b, f64, "kn", representation = <[[1, 2], [-2, 1]]>>,
     #tcgemm.operand<output, f64, "mn">] epilogue {
^bb0(%acc: f64):
  tcgemm.yield %acc : f64
}

// -----

// expected-error @+1 {{has a representation of numbers, and so it cannot have a function of B's elements: a function of an element may not be that of its component}}
tcgemm.kernel @function <1x32x32x32>
    [#tcgemm.operand<a, f64, "mk">, #tcgemm.operand<b, f64, "kn", representation = <[[1, 2], [-2, 1]]>>,
     #tcgemm.operand<output, f64, "mn">] epilogue {
^bb0(%acc: f64):
  tcgemm.yield %acc : f64
} transform_b {
^bb0(%x: f64):
  %0 = arith.negf %x : f64
  tcgemm.yield %0 : f64
}

// -----

func.func @components(%b: tensor<8x8x3xf64>) -> tensor<8x2x8x2xf64> {
  // expected-error @+1 {{numbers have the type 'tensor<8x8x3xf64>', but need rows, columns and 2 components}}
  %0 = tcgemm.represent %b <[[1, 2], [-2, 1]]> : tensor<8x8x3xf64> -> tensor<8x2x8x2xf64>
  return %0 : tensor<8x2x8x2xf64>
}

// -----

func.func @result(%b: tensor<8x8x2xf64>) -> tensor<2x8x2x8xf64> {
  // expected-error @+1 {{the result has the type 'tensor<2x8x2x8xf64>', but it must be 'tensor<8x2x8x2xf64>'}}
  %0 = tcgemm.represent %b <[[1, 2], [-2, 1]]> : tensor<8x8x2xf64> -> tensor<2x8x2x8xf64>
  return %0 : tensor<2x8x2x8xf64>
}
