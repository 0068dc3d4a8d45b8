// RUN: tcgemm-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{operand 3: a second B must be operand 2}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<input, bf16, "n">, #tcgemm.operand<b2, bf16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %bias: bf16, %y: f32):
  tcgemm.yield %x : f32
}

// -----

// expected-error@+1 {{operand 2: a second B must have the type and the dims of B, 'bf16' and 'nk', but has 'bf16' and 'kn'}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<b2, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %y: f32):
  tcgemm.yield %x : f32
}

// -----

// expected-error@+1 {{operand 2: a second B must have the type and the dims of B, 'bf16' and 'nk', but has 'f16' and 'nk'}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<b2, f16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %y: f32):
  tcgemm.yield %x : f32
}

// -----

// expected-error@+1 {{operand 3: a second B must be operand 2}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<b2, bf16, "nk">, #tcgemm.operand<b2, bf16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %y: f32, %z: f32):
  tcgemm.yield %x : f32
}

// -----

// expected-error@+1 {{has another algebra, and so it cannot have a second B: only kernels for tensor cores have it, which multiply and add}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "nk">, #tcgemm.operand<b2, f32, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %y: f32):
  tcgemm.yield %x : f32
} attributes {algebra = #tcgemm.algebra<reduce = max, combine = plus>}

// -----

// expected-error@+1 {{has a second B, and so it cannot have groups of rows: the tiles of a group have one B}}
tcgemm.kernel @kernel <?x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "bnk">, #tcgemm.operand<b2, bf16, "bnk">, #tcgemm.operand<offsets, i32, "b">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %y: f32):
  tcgemm.yield %x : f32
}

// -----

// expected-error@+1 {{has a second B, and so it cannot have a function of A's elements: kernels of two products multiply the elements that are in memory}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<b2, bf16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %y: f32):
  tcgemm.yield %x : f32
} transform_a {
^bb0(%a: bf16, %y: f32):
  %0 = arith.addf %a, %a : bf16
  tcgemm.yield %0 : bf16
}

// -----

// expected-error@+1 {{epilogue must take the 'f32' accumulator, that of b2 and one argument per input and scalar operand, of its element type}}
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<b2, bf16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%x: f32, %y: bf16):
  tcgemm.yield %x : f32
}

// -----

gpu.module @module {
  tcgemm.program @split() attributes {threads = 128 : i64, chip = "sm_90a"} {
    %sum = tcgemm.acc.zero : <64 x 24, wgmma>
    // expected-error@+1 {{but they must be halves, of a multiple of 8 columns, of a wgmma accumulator}}
    %left, %right = tcgemm.acc.split %sum : <64 x 24, wgmma> -> <64 x 12, wgmma>
    tcgemm.return
  }
}

// -----

gpu.module @module {
  tcgemm.program @split() attributes {threads = 128 : i64, chip = "sm_80"} {
    %sum = tcgemm.acc.zero : <16 x 32, mma_sync>
    // expected-error@+1 {{but they must be halves, of a multiple of 8 columns, of a wgmma accumulator}}
    %left, %right = tcgemm.acc.split %sum : <16 x 32, mma_sync> -> <16 x 16, mma_sync>
    tcgemm.return
  }
}

// -----

gpu.module @module {
  tcgemm.program @epilogue(%out: memref<?xf32, #gpu.address_space<global>>, %m: i32, %stride: i64) attributes {threads = 128 : i64, chip = "sm_90a"} {
    %x = tcgemm.acc.zero : <64 x 32, wgmma>
    %y = tcgemm.acc.zero : <64 x 16, wgmma>
    // expected-error@+1 {{but it must have the type of the first}}
    tcgemm.epilogue %x with %y : !tcgemm.acc<64 x 16, wgmma> at(%m, %m, %m) of(%m, %m) outputs(%out : memref<?xf32, #gpu.address_space<global>>) strides(%stride) dims ["mn"] arguments [] guards [] {
    ^bb0(%a: f32, %b: f32):
      tcgemm.yield %a : f32
    } : <64 x 32, wgmma>
    tcgemm.return
  }
}

// -----

gpu.module @module {
  tcgemm.program @epilogue(%out: memref<?xf32, #gpu.address_space<global>>, %m: i32, %stride: i64) attributes {threads = 128 : i64, chip = "sm_90a"} {
    %x = tcgemm.acc.zero : <64 x 32, wgmma>
    // expected-error@+1 {{evaluates a body without arguments for two accumulators}}
    tcgemm.epilogue %x with %x : !tcgemm.acc<64 x 32, wgmma> at(%m, %m, %m) of(%m, %m) outputs(%out : memref<?xf32, #gpu.address_space<global>>) strides(%stride) dims ["mn"] arguments [] guards [] {
    ^bb0(%a: f32):
      tcgemm.yield %a : f32
    } : <64 x 32, wgmma>
    tcgemm.return
  }
}
