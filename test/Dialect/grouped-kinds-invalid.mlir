// RUN: tcgemm-opt %s -verify-diagnostics -split-input-file

// expected-error@+1 {{counts must be i32 with the dims 'b', but are 'i64' with 'b'}}
module attributes {test.o = #tcgemm.operand<counts, i64, "b">} {}

// -----

// expected-error@+1 {{operand 0: with counts A's dims must be 'bmk', but are 'mk'}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "bnk">, #tcgemm.operand<counts, i32, "b">, #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 1: with counts B's dims must begin with b, but are 'nk'}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "bmk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<counts, i32, "b">, #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 3: with counts an output's dims must be 'bmn', but are 'mn'}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "bmk">, #tcgemm.operand<b, bf16, "bnk">, #tcgemm.operand<counts, i32, "b">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 3: with counts they must follow B, once}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "bmk">, #tcgemm.operand<b, bf16, "bnk">, #tcgemm.operand<counts, i32, "b">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 0: with offsets along k A's dims must be 'mk', but are 'bmk'}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "bmk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 0: with offsets along k A's elements must not share bytes}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, i4, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{has groups along k, and so it cannot have a function of A's elements: the function of a zero behind a group's end may be another number}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "km">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} transform_a {
^bb0(%a: bf16):
  %0 = math.exp %a : bf16
  tcgemm.yield %0 : bf16
}

// -----

func.func @f(%a: tensor<4x?x32xbf16>, %b: tensor<4x32x64xbf16>, %o: tensor<4xi32>, %d: tensor<4x?x64xbf16>) {
  // expected-error@+1 {{has transpose_a, but with padded groups K must be innermost in a}}
  %0 = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<4x?x32xbf16>, tensor<4x32x64xbf16>, tensor<4xi32>) outs(%d : tensor<4x?x64xbf16>) transpose_a -> tensor<4x?x64xbf16>
  return
}

// -----

func.func @f(%a: tensor<4x?x32xbf16>, %b: tensor<4x32x64xbf16>, %o: tensor<4x1xi32>, %d: tensor<4x?x64xbf16>) {
  // expected-error@+1 {{offsets has rank 2, but it must be 1}}
  %0 = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<4x?x32xbf16>, tensor<4x32x64xbf16>, tensor<4x1xi32>) outs(%d : tensor<4x?x64xbf16>) -> tensor<4x?x64xbf16>
  return
}

// -----

func.func @f(%a: tensor<5x?x32xbf16>, %b: tensor<4x32x64xbf16>, %o: tensor<4xi32>, %d: tensor<4x?x64xbf16>) {
  // expected-error@+1 {{b has 4 groups, but a has 5}}
  %0 = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<5x?x32xbf16>, tensor<4x32x64xbf16>, tensor<4xi32>) outs(%d : tensor<4x?x64xbf16>) -> tensor<4x?x64xbf16>
  return
}

// -----

func.func @f(%a: tensor<32x8xbf16>, %b: tensor<33x64xbf16>, %o: tensor<4xi32>, %d: tensor<4x8x64xbf16>) {
  // expected-error@+1 {{b has 33 terms (K), but a has 32}}
  %0 = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<32x8xbf16>, tensor<33x64xbf16>, tensor<4xi32>) outs(%d : tensor<4x8x64xbf16>) transpose_a -> tensor<4x8x64xbf16>
  return
}

// -----

func.func @f(%a: tensor<32x8xbf16>, %b: tensor<32x64xbf16>, %o: tensor<4xi32>, %d: tensor<5x8x64xbf16>) {
  // expected-error@+1 {{the output has 5 groups, but offsets has 4}}
  %0 = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<32x8xbf16>, tensor<32x64xbf16>, tensor<4xi32>) outs(%d : tensor<5x8x64xbf16>) transpose_a -> tensor<5x8x64xbf16>
  return
}

// -----

// expected-error@+1 {{has check_offsets, but no operand offsets or counts}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "bmk">, #tcgemm.operand<b, bf16, "bnk">, #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {check_offsets}
