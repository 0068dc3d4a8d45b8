// RUN: tcgemm-opt %s -verify-diagnostics -split-input-file

// expected-error@+1 {{operand dims 'mx' must be distinct letters of b, c, d, m, n, k}}
module attributes {test.o = #tcgemm.operand<a, bf16, "mx">} {}

// -----

// expected-error@+1 {{operand dims 'mkm' must be distinct letters of b, c, d, m, n, k}}
module attributes {test.o = #tcgemm.operand<a, bf16, "mkm">} {}

// -----

// expected-error@+1 {{dims of A must be m, k and perhaps b to d, the innermost none of these, but are 'm'}}
module attributes {test.o = #tcgemm.operand<a, bf16, "m">} {}

// -----

// expected-error@+1 {{dims of A must be m, k and perhaps b to d, the innermost none of these, but are 'mnk'}}
module attributes {test.o = #tcgemm.operand<a, bf16, "mnk">} {}

// -----

// expected-error@+1 {{dims of A must be m, k and perhaps b to d, the innermost none of these, but are 'mkb'}}
module attributes {test.o = #tcgemm.operand<a, bf16, "mkb">} {}

// -----

// expected-error@+1 {{dims of A must be m, k and perhaps b to d, the innermost none of these, but are ''}}
module attributes {test.o = #tcgemm.operand<a, bf16, "">} {}

// -----

// expected-error@+1 {{dims of B must be n, k and perhaps b to d, the innermost none of these, but are 'mk'}}
module attributes {test.o = #tcgemm.operand<b, bf16, "mk">} {}

// -----

// expected-error@+1 {{element type of A and B must be one of f16, bf16, tf32, i8, ui8, ui1, f8E4M3FN, f8E5M2, f64, f32, i32, tf32x3, bf16x3, bf16x6, f16acc16, i4, ui4, s4i, u4i, but is 'i64'}}
module attributes {test.o = #tcgemm.operand<a, i64, "mk">} {}

// -----

// expected-error@+1 {{element type of A and B must be one of f16, bf16, tf32, i8, ui8, ui1, f8E4M3FN, f8E5M2, f64, f32, i32, tf32x3, bf16x3, bf16x6, f16acc16, i4, ui4, s4i, u4i, but is 'i16'}}
module attributes {test.o = #tcgemm.operand<b, i16, "nk">} {}

// -----

// expected-error@+1 {{an output cannot have the dimension k}}
module attributes {test.o = #tcgemm.operand<output, f32, "mnk">} {}

// -----

// expected-error@+1 {{an output must have the dimensions m and n, but has 'm'}}
module attributes {test.o = #tcgemm.operand<output, f32, "m">} {}

// -----

// expected-error@+1 {{a scalar has no dimensions, but got 'm'}}
module attributes {test.o = #tcgemm.operand<scalar, f32, "m">} {}

// -----

// expected-error@+1 {{element type must be one of i1, i8, i16, i32, i64, index, f16, bf16, f32, f64, f8E4M3FN, f8E5M2, but is 'vector<4xf32>'}}
module attributes {test.o = #tcgemm.operand<input, vector<4xf32>, "m">} {}

// -----

// expected-error@+1 {{, f8E4M3FN, f8E5M2, but is 'i4'}}
module attributes {test.o = #tcgemm.operand<output, i4, "mn">} {}

// -----

// expected-error@+2 {{failed to parse OperandAttr parameter 'role'}}
// expected-error@+1 {{expected ::tcgemm::OperandRole to be one of: a, b, input, scalar, output}}
module attributes {test.o = #tcgemm.operand<c, f32, "mn">} {}

// -----

// expected-error@+1 {{needs 4 sizes (batch, M, N, K), or up to 6 with more outer dimensions, but has 3}}
tcgemm.kernel @k <1x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{has a negative size -5}}
"tcgemm.kernel"() <{operands = [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">], sizes = array<i64: 1, -5, 1, 1>, sym_name = "k"}> ({
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}, {}, {}) : () -> ()

// -----

// expected-error@+1 {{config must be a #tcgemm.config}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {config = "fast"}

// -----

// expected-error@+1 {{size_hint needs 4 sizes (batch, M, N, K), or the extent of a summed dimension behind them}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {size_hint = array<i64: 128>}

// -----

// expected-error@+1 {{plan must consist of #tcgemm.variant, but has 1 : i64}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {plan = [1]}

// -----

// expected-error@+1 {{operands must be #tcgemm.operand, but hold "b"}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, "b",
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 0: the first operand must be A, the second B, and no other}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<a, bf16, "mk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 2: the first operand must be A, the second B, and no other}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<a, bf16, "mk">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 3: outputs must come last}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">, #tcgemm.operand<input, f32, "n">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 2: an output needs the dimension b, since its size is not 1}}
tcgemm.kernel @k <?x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{needs operands A, B and at least one output}}
tcgemm.kernel @k <1x?x?x?> [] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{needs operands A, B and at least one output}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{needs operands A, B and at least one output}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<input, f32, "n">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{no instruction multiplies A's elements of type 'bf16' by B's of type 'f16'}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, f16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{transform_a has 'tcgemm.index', which is not scalar arith or math}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} transform_a {
^bb0(%a: bf16):
  %m = tcgemm.index "m"
  %0 = arith.negf %a : bf16
  tcgemm.yield %0 : bf16
}

// -----

// expected-error@+1 {{transform_b must have arguments of the types ('bf16')}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} transform_b {
^bb0(%b: bf16, %c: bf16):
  tcgemm.yield %c : bf16
}

// -----

// expected-error@+1 {{transform_b must end with a tcgemm.yield of one value of type 'bf16'}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} transform_b {
^bb0(%b: bf16):
  %0 = arith.extf %b : bf16 to f32
  tcgemm.yield %0 : f32
}

// -----

// expected-error@+1 {{transform_a computes elements of type 'i8', but it must be f16, bf16, f32 or f64}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, i8, "mk">, #tcgemm.operand<b, i8, "nk">,
    #tcgemm.operand<output, i32, "mn">] epilogue {
^bb0(%acc: i32):
  tcgemm.yield %acc : i32
} transform_a {
^bb0(%a: i8):
  %0 = arith.addi %a, %a : i8
  tcgemm.yield %0 : i8
}

// -----

// expected-error@+1 {{transform_a reads operand 2, which has the dimension n that A does not have}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "nk">,
    #tcgemm.operand<input, f32, "n">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %v: f32):
  tcgemm.yield %acc : f32
} transform_a {
^bb0(%a: f32, %v: f32):
  %0 = arith.addf %a, %v : f32
  tcgemm.yield %0 : f32
}

// -----

// expected-error@+1 {{epilogue reads operand 2, which has the dimension k}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "nk">,
    #tcgemm.operand<input, f32, "k">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %v: f32):
  %0 = arith.addf %acc, %v : f32
  tcgemm.yield %0 : f32
}

// -----

// expected-error@+1 {{epilogue must take the 'f32' accumulator and one argument per input and scalar operand, of its element type}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %other: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{epilogue must take the 'f32' accumulator and one argument per input and scalar operand, of its element type}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f16):
  %0 = arith.extf %acc : f16 to f32
  tcgemm.yield %0 : f32
}

// -----

// expected-error@+1 {{epilogue must end with tcgemm.yield}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.negf %acc : f32
}

// -----

tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
// expected-error@+1 {{must give one value per output operand, of its element type}}
  tcgemm.yield %acc, %acc : f32, f32
}

// -----

tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
// expected-error@+1 {{dim must be b, m or n, but is 'k'}}
  %k = tcgemm.index "k"
  tcgemm.yield %acc : f32
}

// -----

tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<scalar, f32, "">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %s: f32):
  tcgemm.yield %acc : f32
}
func.func @f(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %s: f32, %d: tensor<?x?xf32>, %e: memref<?x?xf32>) {
  // expected-error@+1 {{outputs must be all ranked tensors or all memrefs}}
  %r = tcgemm.launch @k ins(%a, %b, %s : tensor<?x?xbf16>, tensor<?x?xbf16>, f32)
      outs(%d, %e : tensor<?x?xf32>, memref<?x?xf32>) -> tensor<?x?xf32>
  return
}

// -----

tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<scalar, f32, "">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %s: f32):
  tcgemm.yield %acc : f32
}
func.func @f(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %s: f32, %d: tensor<*xf32>) {
  // expected-error@+1 {{outputs must be all ranked tensors or all memrefs}}
  tcgemm.launch @k ins(%a, %b, %s : tensor<?x?xbf16>, tensor<?x?xbf16>, f32)
      outs(%d : tensor<*xf32>)
  return
}

// -----

tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<scalar, f32, "">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %s: f32):
  tcgemm.yield %acc : f32
}
func.func @f(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %s: f32, %d: memref<?x?xf32>) {
  // expected-error@+1 {{on memrefs has no results}}
  %r = tcgemm.launch @k ins(%a, %b, %s : memref<?x?xbf16>, memref<?x?xbf16>, f32)
      outs(%d : memref<?x?xf32>) -> tensor<?x?xf32>
  return
}

// -----

tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<scalar, f32, "">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %s: f32):
  tcgemm.yield %acc : f32
}
func.func @f(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %s: f32, %d: tensor<?x?xf32>) {
  // expected-error@+1 {{results must have the types of the outputs}}
  %r = tcgemm.launch @k ins(%a, %b, %s : tensor<?x?xbf16>, tensor<?x?xbf16>, f32)
      outs(%d : tensor<?x?xf32>) -> tensor<?x?xbf16>
  return
}

// -----

tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<scalar, f32, "">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %s: f32):
  tcgemm.yield %acc : f32
}
func.func @f(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %s: f32, %d: tensor<?x?xf32>) {
  // expected-error@+1 {{'f' is not a tcgemm.kernel}}
  %r = tcgemm.launch @f ins(%a, %b, %s : tensor<?x?xbf16>, tensor<?x?xbf16>, f32)
      outs(%d : tensor<?x?xf32>) -> tensor<?x?xf32>
  return
}

// -----

tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<scalar, f32, "">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %s: f32):
  tcgemm.yield %acc : f32
}
func.func @f(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %d: tensor<?x?xf32>) {
  // expected-error@+1 {{has 3 operands, but @k has 4}}
  %r = tcgemm.launch @k ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%d : tensor<?x?xf32>) -> tensor<?x?xf32>
  return
}

// -----

tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<scalar, f32, "">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %s: f32):
  tcgemm.yield %acc : f32
}
func.func @f(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %s: f32, %d: tensor<?x?xbf16>) {
  // expected-error@+1 {{operand 3 (out0) has element type 'bf16', but the kernel says 'f32'}}
  %r = tcgemm.launch @k ins(%a, %b, %s : tensor<?x?xbf16>, tensor<?x?xbf16>, f32)
      outs(%d : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return
}

// -----

tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<scalar, f32, "">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %s: f32):
  tcgemm.yield %acc : f32
}
func.func @f(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %s: tensor<f32>, %d: tensor<?x?xf32>) {
  // expected-error@+1 {{operand 2 (in0) must be a scalar}}
  %r = tcgemm.launch @k ins(%a, %b, %s : tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<f32>)
      outs(%d : tensor<?x?xf32>) -> tensor<?x?xf32>
  return
}

// -----

tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<scalar, f32, "">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %s: f32):
  tcgemm.yield %acc : f32
}
func.func @f(%a: tensor<?x?xbf16>, %b: bf16, %s: f32, %d: tensor<?x?xf32>) {
  // expected-error@+1 {{operand 1 (B) must be a tensor or memref}}
  %r = tcgemm.launch @k ins(%a, %b, %s : tensor<?x?xbf16>, bf16, f32)
      outs(%d : tensor<?x?xf32>) -> tensor<?x?xf32>
  return
}

// -----

tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<scalar, f32, "">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %s: f32):
  tcgemm.yield %acc : f32
}
func.func @f(%a: tensor<?xbf16>, %b: tensor<?x?xbf16>, %s: f32, %d: tensor<?x?xf32>) {
  // expected-error@+1 {{operand 0 (A) has rank 1, but the kernel says 2}}
  %r = tcgemm.launch @k ins(%a, %b, %s : tensor<?xbf16>, tensor<?x?xbf16>, f32)
      outs(%d : tensor<?x?xf32>) -> tensor<?x?xf32>
  return
}

// -----

// expected-error@+1 {{dims of the scales of A must be m, k and perhaps b, but are 'nk'}}
module attributes {test.o = #tcgemm.operand<scale_a, f32, "nk">} {}

// -----

// expected-error@+1 {{dims of the scales of B must be n, k and perhaps b, but are 'nkm'}}
module attributes {test.o = #tcgemm.operand<scale_b, f32, "nkm">} {}

// -----

// expected-error@+1 {{scales of blocks must be f32, but are 'f16'}}
module attributes {test.o = #tcgemm.operand<scale_a, f16, "mk">} {}

// -----

// expected-error@+1 {{operand 3: the scales of A must follow B, and those of A come first}}
tcgemm.kernel @order <1x?x?x?>
    [#tcgemm.operand<a, f8E4M3FN, "mk">, #tcgemm.operand<b, f8E4M3FN, "nk">,
     #tcgemm.operand<scale_b, f32, "nk">, #tcgemm.operand<scale_a, f32, "mk">,
     #tcgemm.operand<output, f32, "mn">]
    epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 2: only FP8 has scales of blocks, but A is 'i8'}}
tcgemm.kernel @integers <1x?x?x?>
    [#tcgemm.operand<a, i8, "mk">, #tcgemm.operand<b, i8, "nk">,
     #tcgemm.operand<scale_b, f32, "nk">, #tcgemm.operand<output, f32, "mn">]
    epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{group is for scales and zero points, but not for a}}
module attributes {test.o = #tcgemm.operand<a, bf16, "mk", group = 128>} {}

// -----

// expected-error@+1 {{a group must have 32, 64, 128 or 256 elements, but has 48}}
module attributes {test.o = #tcgemm.operand<scale_b, f32, "nk", group = 48>} {}

// -----

// expected-error@+1 {{scales of groups must be f32, f16 or bf16, but are 'f64'}}
module attributes {test.o = #tcgemm.operand<scale_b, f64, "nk", group = 128>} {}

// -----

// expected-error@+1 {{zero points need a group}}
module attributes {test.o = #tcgemm.operand<zero_b, i8, "nk">} {}

// -----

// expected-error@+1 {{zero points must be i8 or ui8, but are 'f32'}}
module attributes {test.o = #tcgemm.operand<zero_b, f32, "nk", group = 128>} {}

// -----

// expected-error@+1 {{dims of the zero points of B must be n, k and perhaps b, but are 'mk'}}
module attributes {test.o = #tcgemm.operand<zero_b, i8, "mk", group = 128>} {}

// -----

// expected-error@+1 {{operand 2: only elements of 4 bits whose partner is f16, bf16 or FP8 have groups, but B is 'i8' and its partner 'bf16'}}
tcgemm.kernel @bytes <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, i8, "nk">,
     #tcgemm.operand<scale_b, f32, "nk", group = 128>, #tcgemm.operand<output, f32, "mn">]
    epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 3: the zero points of B need scales with the same group}}
tcgemm.kernel @groups <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, i4, "nk">,
     #tcgemm.operand<scale_b, f32, "nk", group = 128>,
     #tcgemm.operand<zero_b, i8, "nk", group = 64>, #tcgemm.operand<output, f32, "mn">]
    epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 3: B is 'ui4' and its partner 'f8E5M2', so that it has no zero points: f8E4M3FN would not represent the differences}}
tcgemm.kernel @fp8 <1x?x?x?>
    [#tcgemm.operand<a, f8E5M2, "mk">, #tcgemm.operand<b, ui4, "nk">,
     #tcgemm.operand<scale_b, f32, "nk", group = 128>,
     #tcgemm.operand<zero_b, ui8, "nk", group = 128>, #tcgemm.operand<output, f32, "mn">]
    epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 3: the zero points of signed elements must be signed}}
tcgemm.kernel @signs <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, i4, "nk">,
     #tcgemm.operand<scale_b, f32, "nk", group = 128>,
     #tcgemm.operand<zero_b, ui8, "nk", group = 128>, #tcgemm.operand<output, f32, "mn">]
    epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{needs 4 sizes (batch, M, N, K), or up to 6 with more outer dimensions, but has 7}}
tcgemm.kernel @k <1x?x?x?x2x2x2> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 0: the dimension c has no size}}
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "cmk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 2: an output needs the dimension c, since its size is not 1}}
tcgemm.kernel @k <1x?x?x?x2> [#tcgemm.operand<a, bf16, "cmk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{epilogue reads the coordinate b, but there are 2 outer dimensions}}
tcgemm.kernel @k <3x?x?x?x2> [#tcgemm.operand<a, bf16, "bcmk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, index, "bcmn">] epilogue {
^bb0(%acc: f32):
  %0 = tcgemm.index "b"
  tcgemm.yield %0 : index
}

// -----

// expected-error@+1 {{operand 3: an output with a reduction needs one outer dimension, but there are 2}}
tcgemm.kernel @k <1x?x?x?x2> [#tcgemm.operand<a, bf16, "cmk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "cmn">, #tcgemm.operand<output, f32, "m", reduction = <maxnumf, 0xFF800000 : f32>>]
    epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc, %acc : f32, f32
}

// -----

// expected-error@+1 {{has a summed dimension, and so it cannot have a function of A's elements: TMA copies both parts of k to shared memory as they are}}
tcgemm.kernel @k <1x?x?x64x6> [#tcgemm.operand<a, f16, "mck">, #tcgemm.operand<b, f16, "cnk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} transform_a {
^bb0(%a: f16):
  %0 = arith.addf %a, %a : f16
  tcgemm.yield %0 : f16
}

// -----

// B lacks the dimension, so that it is none of k.
// expected-error@+1 {{operand 2: an output needs the dimension c, since its size is not 1}}
tcgemm.kernel @k <1x?x?x64x6> [#tcgemm.operand<a, f16, "mck">, #tcgemm.operand<b, f16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operands must be #tcgemm.operand, but hold 3 : i64}}
tcgemm.kernel @k <1x?x?x64x6> [#tcgemm.operand<a, f16, "mck">, 3] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}
