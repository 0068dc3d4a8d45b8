// RUN: tcgemm-opt %s -verify-diagnostics -split-input-file

// expected-error@+1 {{offsets must be i32 with the dims 'b', but are 'i64' with 'b'}}
module attributes {test.o = #tcgemm.operand<offsets, i64, "b">} {}

// -----

// expected-error@+1 {{offsets must be i32 with the dims 'b', but are 'i32' with 'm'}}
module attributes {test.o = #tcgemm.operand<offsets, i32, "m">} {}

// -----

// expected-error@+1 {{operand 0: with offsets A's dims must be 'mk', but are 'bmk'}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "bmk">, #tcgemm.operand<b, bf16, "bnk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// Without the dimension b in B, the groups are along k.
// expected-error@+1 {{operand 3: with offsets along k an output's dims must be 'bmn', but are 'mn'}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 3: with offsets they must follow B, once}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "bnk">, #tcgemm.operand<input, f32, "n">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %x: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 3: with offsets they must follow B, once}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "bnk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 3: with offsets an output's dims must be 'mn', but are 'bmn'}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "bnk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "bmn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 0: with offsets there must be 4 sizes, but there are 5}}
tcgemm.kernel @kernel <?x?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "bnk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 3: with offsets they must follow B, once}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, f8E4M3FN, "mk">, #tcgemm.operand<b, f8E4M3FN, "bnk">, #tcgemm.operand<scale_a, f32, "mk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 3: with offsets the scales of A cannot have the dimension b, but the dims are 'bmk'}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, f8E4M3FN, "mk">, #tcgemm.operand<b, f8E4M3FN, "bnk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<scale_a, f32, "bmk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 4: with offsets the scales of B need the dimension b, but the dims are 'nk'}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, f8E4M3FN, "mk">, #tcgemm.operand<b, f8E4M3FN, "bnk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<scale_a, f32, "km">, #tcgemm.operand<scale_b, f32, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 4: the scales of A must follow B, and those of A come first}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, f8E4M3FN, "mk">, #tcgemm.operand<b, f8E4M3FN, "bnk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<scale_b, f32, "bnk">, #tcgemm.operand<scale_a, f32, "km">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 3: with offsets the scales of B need the dimension b, but the dims are 'nk'}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, i4, "bnk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<scale_b, f16, "nk", group = 64>, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 4: with offsets the zero points of B need the dimension b, but the dims are 'kn'}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, i4, "bnk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<scale_b, f16, "bnk", group = 64>, #tcgemm.operand<zero_b, i8, "kn", group = 64>, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 4: the zero points of B need scales with the same group}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, i4, "bnk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<scale_b, f16, "bnk", group = 64>, #tcgemm.operand<zero_b, i8, "bnk", group = 128>, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

// expected-error@+1 {{operand 3: only elements of 4 bits whose partner is f16, bf16 or FP8 have groups, but B is 'i8' and its partner 'bf16'}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, i8, "bnk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<scale_b, f16, "bnk", group = 64>, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

func.func @f(%a: tensor<32xbf16>, %b: tensor<4x32x64xbf16>, %o: tensor<4xi32>, %d: tensor<?x64xbf16>) {
  // expected-error@+1 {{a, b and the output have the ranks 1, 3 and 2, but they must be 2, 3 and 2 (contiguous); 3, 3 and 3 (padded) or 2, 2 and 3 (ragged-k)}}
  %0 = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<32xbf16>, tensor<4x32x64xbf16>, tensor<4xi32>) outs(%d : tensor<?x64xbf16>) -> tensor<?x64xbf16>
  return
}

// -----

func.func @f(%a: tensor<?x32xbf16>, %b: tensor<32x64xbf16>, %o: tensor<4xi32>, %d: tensor<?x64xbf16>) {
  // expected-error@+1 {{a, b and the output have the ranks 2, 2 and 2, but they must be 2, 3 and 2 (contiguous); 3, 3 and 3 (padded) or 2, 2 and 3 (ragged-k)}}
  %0 = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x32xbf16>, tensor<32x64xbf16>, tensor<4xi32>) outs(%d : tensor<?x64xbf16>) -> tensor<?x64xbf16>
  return
}

// -----

func.func @f(%a: tensor<?x32xbf16>, %b: tensor<4x32x64xbf16>, %o: tensor<5xi32>, %d: tensor<?x64xbf16>) {
  // expected-error@+1 {{offsets has 5 groups, but b has 4}}
  %0 = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x32xbf16>, tensor<4x32x64xbf16>, tensor<5xi32>) outs(%d : tensor<?x64xbf16>) -> tensor<?x64xbf16>
  return
}

// -----

func.func @f(%a: tensor<?x32xbf16>, %b: tensor<4x33x64xbf16>, %o: tensor<4xi32>, %d: tensor<?x64xbf16>) {
  // expected-error@+1 {{b has 33 terms (K), but a has 32}}
  %0 = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x32xbf16>, tensor<4x33x64xbf16>, tensor<4xi32>) outs(%d : tensor<?x64xbf16>) -> tensor<?x64xbf16>
  return
}

// -----

func.func @f(%a: tensor<?x32xbf16>, %b: tensor<4x32x64xbf16>, %o: tensor<4xi32>, %d: tensor<?x63xbf16>) {
  // expected-error@+1 {{the output has 63 columns (N), but b has 64}}
  %0 = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x32xbf16>, tensor<4x32x64xbf16>, tensor<4xi32>) outs(%d : tensor<?x63xbf16>) -> tensor<?x63xbf16>
  return
}

// -----

func.func @f(%a: tensor<7x32xbf16>, %b: tensor<4x32x64xbf16>, %o: tensor<4xi32>, %d: tensor<8x64xbf16>) {
  // expected-error@+1 {{the output has 8 rows, but a has 7}}
  %0 = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<7x32xbf16>, tensor<4x32x64xbf16>, tensor<4xi32>) outs(%d : tensor<8x64xbf16>) -> tensor<8x64xbf16>
  return
}

// -----

func.func @f(%a: tensor<?x32xbf16>, %b: tensor<4x32x64xbf16>, %o: tensor<4xi32>, %d: tensor<?x64xbf16>) {
  // expected-error@+1 {{b has 64 terms (K), but a has 32}}
  %0 = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x32xbf16>, tensor<4x32x64xbf16>, tensor<4xi32>) outs(%d : tensor<?x64xbf16>) transpose_b -> tensor<?x64xbf16>
  return
}

// -----

func.func @f(%a: tensor<?x32xbf16>, %b: tensor<4x32x64xbf16>, %o: tensor<4xi32>, %d: tensor<?x64xbf16>) {
  // expected-error@+1 {{the result has the type 'tensor<?x64xf32>', but the output has 'tensor<?x64xbf16>'}}
  %0 = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x32xbf16>, tensor<4x32x64xbf16>, tensor<4xi32>) outs(%d : tensor<?x64xbf16>) -> tensor<?x64xf32>
  return
}

// -----

func.func @f(%a: tensor<?x32xbf16>, %b: tensor<4x32x64xbf16>, %o: tensor<4xi32>, %d: tensor<?x64xbf16>) {
  // expected-error@+1 {{a has elements of type 'bf16', but with unsigned_a they must be integers}}
  %0 = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x32xbf16>, tensor<4x32x64xbf16>, tensor<4xi32>) outs(%d : tensor<?x64xbf16>) unsigned_a -> tensor<?x64xbf16>
  return
}

// -----

func.func @f(%a: tensor<?x32xbf16>, %b: tensor<4x32x64xf32>, %o: tensor<4xi32>, %d: tensor<?x64xbf16>) {
  // expected-error@+1 {{b has elements of type 'f32', but with unsigned_b they must be integers}}
  %0 = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x32xbf16>, tensor<4x32x64xf32>, tensor<4xi32>) outs(%d : tensor<?x64xbf16>) unsigned_b -> tensor<?x64xbf16>
  return
}

// -----

func.func @f(%a: tensor<?x32xi32>, %b: tensor<4x32x64xi32>, %o: tensor<4xi32>, %d: tensor<?x64xi32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of floating-point or 1-bit signless integer or 4-bit signless integer or 8-bit signless integer values}}
  %0 = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x32xi32>, tensor<4x32x64xi32>, tensor<4xi32>) outs(%d : tensor<?x64xi32>) -> tensor<?x64xi32>
  return
}

// -----

func.func @f(%a: tensor<?x32xf32>, %b: tensor<4x32x64xf32>, %o: tensor<4xi32>, %d: tensor<?x64xf32>) {
  // expected-error@+1 {{precision: 'bf8' is none of ieee, tf32}}
  %0 = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x32xf32>, tensor<4x32x64xf32>, tensor<4xi32>) outs(%d : tensor<?x64xf32>) {tcgemm.precision = "bf8"} -> tensor<?x64xf32>
  return
}

// -----

func.func @f(%v: tensor<4x64xf32>, %o: tensor<4xi32>, %e: tensor<?x64xf32>) {
  // expected-error@+1 {{the result has the type 'tensor<?x64xf16>', but the output has 'tensor<?x64xf32>'}}
  %0 = tcgemm.group_broadcast ins(%v, %o : tensor<4x64xf32>, tensor<4xi32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf16>
  return
}

// -----

func.func @f(%v: tensor<4x64xf32>, %o: tensor<4x1xi32>, %e: tensor<?x64xf32>) {
  // expected-error@+1 {{offsets has rank 2, but it must be 1}}
  %0 = tcgemm.group_broadcast ins(%v, %o : tensor<4x64xf32>, tensor<4x1xi32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @f(%v: tensor<4xf32>, %o: tensor<4xi32>, %e: tensor<?x64xf32>) {
  // expected-error@+1 {{values has rank 1, but it must be that of the output, 2, and 1 or more}}
  %0 = tcgemm.group_broadcast ins(%v, %o : tensor<4xf32>, tensor<4xi32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @f(%v: tensor<f32>, %o: tensor<4xi32>, %e: tensor<f32>) {
  // expected-error@+1 {{values has rank 0, but it must be that of the output, 0, and 1 or more}}
  %0 = tcgemm.group_broadcast ins(%v, %o : tensor<f32>, tensor<4xi32>) outs(%e : tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @f(%v: tensor<4x64xf16>, %o: tensor<4xi32>, %e: tensor<?x64xf32>) {
  // expected-error@+1 {{values has elements of type 'f16', but the output of 'f32'}}
  %0 = tcgemm.group_broadcast ins(%v, %o : tensor<4x64xf16>, tensor<4xi32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @f(%v: tensor<4x63xf32>, %o: tensor<4xi32>, %e: tensor<?x64xf32>) {
  // expected-error@+1 {{dimension 1 of values is 63, but that of the output is 64}}
  %0 = tcgemm.group_broadcast ins(%v, %o : tensor<4x63xf32>, tensor<4xi32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @f(%v: tensor<5x64xf32>, %o: tensor<4xi32>, %e: tensor<?x64xf32>) {
  // expected-error@+1 {{the number of groups of values is 5, but that of offsets is 4}}
  %0 = tcgemm.group_broadcast ins(%v, %o : tensor<5x64xf32>, tensor<4xi32>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @f(%v: tensor<4x64xf32>, %o: tensor<4xi64>, %e: tensor<?x64xf32>) {
  // expected-error@+1 {{operand #1 must be ranked tensor of 32-bit signless integer values}}
  %0 = tcgemm.group_broadcast ins(%v, %o : tensor<4x64xf32>, tensor<4xi64>) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @f(%v: tensor<4xf32>, %o: tensor<4xi32>, %e: tensor<?xf32>) {
  // expected-error@+1 {{has the attribute 'tcgemm.skip', which only linalg operations may have}}
  %0 = tcgemm.group_broadcast ins(%v, %o : tensor<4xf32>, tensor<4xi32>) outs(%e : tensor<?xf32>) {tcgemm.skip} -> tensor<?xf32>
  return
}
