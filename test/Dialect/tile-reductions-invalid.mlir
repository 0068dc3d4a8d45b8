// RUN: tcgemm-opt %s -split-input-file -verify-diagnostics

// expected-error@+2 {{combiner must be one of maximumf, minimumf, maxnumf, minnumf, addf, maxsi, minsi, maxui, minui, addi, argmaximumf, argmaxnumf, argmaxsi, sumexpf, meanf, variancef, but is mulf}}
// expected-error@+1 {{failed to parse ReductionAttr parameter 'combiner'}}
#r = #tcgemm.reduction<mulf, 1.0 : f32>

// -----

// expected-error@+1 {{'addf' does not combine values of type 'i32'}}
#r = #tcgemm.reduction<addf, 0 : i32>

// -----

// expected-error@+1 {{'addf' does not combine values of type 'bf16'}}
#r = #tcgemm.reduction<addf, 0.0 : bf16>

// -----

// expected-error@+1 {{'argmaxsi' has a result of type i32 or i64, but not 'f32'}}
#r = #tcgemm.reduction<argmaxsi, 0.0 : f32>

// -----

// expected-error@+1 {{'sumexpf' does not combine values of type 'f64'}}
#r = #tcgemm.reduction<sumexpf, 0.0 : f64>

// -----

// expected-error@+1 {{'sumexpf' starts with a sum, which is 0 or more}}
#r = #tcgemm.reduction<sumexpf, -1.0 : f32>

// -----

// expected-error@+1 {{'variancef' starts with no values, so that its initial value is 0}}
#r = #tcgemm.reduction<variancef, 1.0 : f64>

// -----

// expected-error@+1 {{meanf cannot start with "text": it is no number of a known type}}
#r = #tcgemm.reduction<meanf, "text">

// -----

// expected-error@+1 {{operand 3: an index is that of one batch, so that the output needs b unless its size is 1, but it has ''}}
tcgemm.kernel @all <4x?x?x?> [#tcgemm.operand<a, bf16, "bmk">, #tcgemm.operand<b, bf16, "bnk">,
    #tcgemm.operand<output, f32, "bmn">, #tcgemm.operand<output, i64, "", reduction = <argmaxnumf, 0 : i64>>] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc, %acc : f32, f32
}

// -----

// expected-error@+1 {{operand 3: an index is that of one batch, so that the output needs b unless its size is 1, but it has 'm'}}
tcgemm.kernel @batches <4x?x?x?> [#tcgemm.operand<a, bf16, "bmk">, #tcgemm.operand<b, bf16, "bnk">,
    #tcgemm.operand<output, f32, "bmn">, #tcgemm.operand<output, i32, "m", reduction = <argmaxnumf, 0 : i32>>] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc, %acc : f32, f32
}

// -----

tcgemm.kernel @type <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">, #tcgemm.operand<output, i32, "m", reduction = <argmaxnumf, 0 : i32>>] epilogue {
^bb0(%acc: f32):
  %0 = arith.constant 0 : i32
  // expected-error@+1 {{must give one value per output operand, of its element type or the type that its reduction combines}}
  tcgemm.yield %acc, %0 : f32, i32
}

// -----

// expected-error@+1 {{partial results are along m, n or neither, but not 'b'}}
#p = #tcgemm.partial<addf, "b">

// -----

// expected-error@+1 {{an output with a reduction may have b, and m or n, but has 'mn'}}
#o = #tcgemm.operand<output, f32, "mn", reduction = <addf, 0.0 : f32>>

// -----

// expected-error@+1 {{an output with a reduction may have b, and m or n, but has 'k'}}
#o = #tcgemm.operand<output, f32, "k", reduction = <addf, 0.0 : f32>>

// -----

// expected-error@+1 {{reduction is for outputs, but not for input}}
#o = #tcgemm.operand<input, f32, "m", reduction = <addf, 0.0 : f32>>

// -----

// expected-error@+1 {{the reduction's initial value has the type 'f32', but the output has 'f64'}}
#o = #tcgemm.operand<output, f64, "m", reduction = <addf, 0.0 : f32>>

// -----

// expected-error@+1 {{expected 'reduction'}}
#o = #tcgemm.operand<output, f32, "m", initial = <addf, 0.0 : f32>>

// -----

// expected-error@+1 {{expected '>' behind the reduction}}
#o = #tcgemm.operand<output, f32, "m", reduction = <addf, 0.0 : f32>, reduction = <addf, 0.0 : f32>>

// -----

// expected-error@+1 {{operand 3: outputs with a reduction must come last}}
tcgemm.kernel @order <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "m", reduction = <addf, 0.0 : f32>>, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc, %acc : f32, f32
}

// -----

// expected-error@+1 {{needs operands A, B and at least one output with all elements}}
tcgemm.kernel @alone <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "m", reduction = <addf, 0.0 : f32>>] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>
tcgemm.program @strides(%d: !global, %s: i64, %m: i32) attributes {threads = 32 : i64, chip = "sm_80"} {
  %acc = tcgemm.acc.zero : !tcgemm.acc<16 x 16, mma_sync>
  // expected-error@+1 {{has 1 buffers of partial results, but 1 reductions and 1 strides of them}}
  tcgemm.epilogue %acc at (%m, %m, %m) of (%m, %m) outputs(%d : !global) strides(%s) dims ["mn"]
      arguments [] guards [] reductions [#tcgemm.partial<addf, "m">] to %d strides %s : !global {
  ^bb0(%x: f32):
    tcgemm.yield %x, %x : f32, f32
  } : !tcgemm.acc<16 x 16, mma_sync>
  tcgemm.return
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>
tcgemm.program @yields(%d: !global, %s: i64, %m: i32) attributes {threads = 32 : i64, chip = "sm_80"} {
  %acc = tcgemm.acc.zero : !tcgemm.acc<16 x 16, mma_sync>
  // expected-error@+1 {{yields 1 values for 1 outputs and 1 reductions}}
  tcgemm.epilogue %acc at (%m, %m, %m) of (%m, %m) outputs(%d : !global) strides(%s) dims ["mn"]
      arguments [] guards [] reductions [#tcgemm.partial<addf, "m">] to %d strides %s, %s : !global {
  ^bb0(%x: f32):
    tcgemm.yield %x : f32
  } : !tcgemm.acc<16 x 16, mma_sync>
  tcgemm.return
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>
tcgemm.program @types(%d: !global, %s: i64, %m: i32) attributes {threads = 32 : i64, chip = "sm_80"} {
  %acc = tcgemm.acc.zero : !tcgemm.acc<16 x 16, mma_sync>
  // expected-error@+1 {{cannot store maxsi of values of type 'f32' to 'memref<?xf32, #gpu.address_space<global>>'}}
  tcgemm.epilogue %acc at (%m, %m, %m) of (%m, %m) outputs(%d : !global) strides(%s) dims ["mn"]
      arguments [] guards [] reductions [#tcgemm.partial<maxsi, "m">] to %d strides %s, %s : !global {
  ^bb0(%x: f32):
    tcgemm.yield %x, %x : f32, f32
  } : !tcgemm.acc<16 x 16, mma_sync>
  tcgemm.return
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>
tcgemm.program @kind(%d: !global, %s: i64, %m: i32) attributes {threads = 32 : i64, chip = "sm_80"} {
  %acc = tcgemm.acc.zero : !tcgemm.acc<16 x 16, mma_sync>
  // expected-error@+1 {{reductions must be #tcgemm.partial, but have "m"}}
  tcgemm.epilogue %acc at (%m, %m, %m) of (%m, %m) outputs(%d : !global) strides(%s) dims ["mn"]
      arguments [] guards [] reductions ["m"] to %d strides %s, %s : !global {
  ^bb0(%x: f32):
    tcgemm.yield %x, %x : f32, f32
  } : !tcgemm.acc<16 x 16, mma_sync>
  tcgemm.return
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>
tcgemm.program @lanes(%d: !global, %s: i64, %m: i32) attributes {threads = 96 : i64, chip = "sm_80"} {
  // expected-error@+1 {{needs a power of two of threads for each of 32 lanes, but has 96 threads}}
  tcgemm.partials.combine %d[%s] by #tcgemm.reduction<addf, 0.0 : f32> count %s stride %s
    to %d[%s] stride %s results %m of 32 : !global, !global
  tcgemm.return
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>
!narrow = memref<?xbf16, #gpu.address_space<global>>
tcgemm.program @buffers(%d: !global, %r: !narrow, %s: i64, %m: i32) attributes {threads = 64 : i64, chip = "sm_80"} {
  // expected-error@+1 {{has a result of type 'f32', but a buffer of type 'memref<?xbf16, #gpu.address_space<global>>'}}
  tcgemm.partials.combine %d[%s] by #tcgemm.reduction<addf, 0.0 : f32> count %s stride %s
    to %r[%s] stride %s results %m of 32 : !global, !narrow
  tcgemm.return
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>
!result = memref<?xi64, #gpu.address_space<global>>
tcgemm.program @states(%d: !global, %r: !result, %s: i64, %m: i32) attributes {threads = 64 : i64, chip = "sm_80"} {
  // expected-error@+1 {{combines states of argmaxnumf, which a buffer of type 'memref<?xf32, #gpu.address_space<global>>' does not have}}
  tcgemm.partials.combine %d[%s] by #tcgemm.reduction<argmaxnumf, 0 : i64> count %s stride %s
    to %r[%s] stride %s results %m of 32 : !global, !result
  tcgemm.return
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>
!states = memref<?xi64, #gpu.address_space<global>>
tcgemm.program @narrow(%d: !global, %p: !states, %s: i64, %m: i32) attributes {threads = 32 : i64, chip = "sm_80"} {
  %acc = tcgemm.acc.zero : !tcgemm.acc<16 x 16, mma_sync>
  // expected-error@+1 {{cannot store argmaxnumf of values of type 'f32' to 'memref<?xi64, #gpu.address_space<global>>'}}
  tcgemm.epilogue %acc at (%m, %m, %m) of (%m, %m) outputs(%d : !global) strides(%s) dims ["mn"]
      arguments [] guards [] reductions [#tcgemm.partial<argmaxnumf, "">] to %p strides %s, %s : !states {
  ^bb0(%x: f32):
    tcgemm.yield %x, %x : f32, f32
  } : !tcgemm.acc<16 x 16, mma_sync>
  tcgemm.return
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>
tcgemm.program @attribute(%d: !global, %s: i64, %m: i32) attributes {threads = 64 : i64, chip = "sm_80"} {
  // expected-error@+1 {{reduction must be a #tcgemm.reduction, but is "addf"}}
  tcgemm.partials.combine %d[%s] by "addf" count %s stride %s
    to %d[%s] stride %s results %m of 32 : !global, !global
  tcgemm.return
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>
tcgemm.program @branch(%d: !global, %s: i64, %m: i32, %c: i1) attributes {threads = 64 : i64, chip = "sm_80"} {
  scf.if %c {
    // expected-error@+1 {{must be in the program's own block}}
    tcgemm.partials.combine %d[%s] by #tcgemm.reduction<addf, 0.0 : f32> count %s stride %s
      to %d[%s] stride %s results %m of 32 : !global, !global
  }
  tcgemm.return
}

// -----

!ring = !tcgemm.ring<2, cp_async, [!tcgemm.tile<8 x 64 x f32, none>]>
!acc = !tcgemm.acc<2 x 2, simt runs = [1, 8, 1, 4]>
tcgemm.program @one_part(%k: i32) attributes {threads = 64 : i64, chip = "sm_80"} {
  %ring = tcgemm.ring.create : !ring
  %acc = tcgemm.acc.zero : !acc
  // expected-error @below {{divides 64 threads into 1 parts, but they must be at least 2 and equal}}
  %sum = tcgemm.acc.reduce %acc over %k of 1 through %ring : !acc, !ring -> !acc
  tcgemm.return
}

// -----

!ring = !tcgemm.ring<2, cp_async, [!tcgemm.tile<8 x 64 x f32, none>]>
!acc = !tcgemm.acc<16 x 16, mma_sync>
tcgemm.program @unequal_parts(%k: i32) attributes {threads = 64 : i64, chip = "sm_80"} {
  %ring = tcgemm.ring.create : !ring
  %acc = tcgemm.acc.zero : !acc
  // expected-error @below {{divides 64 threads into 3 parts, but they must be at least 2 and equal}}
  %sum = tcgemm.acc.reduce %acc over %k of 3 through %ring : !acc, !ring -> !acc
  tcgemm.return
}

// -----

!ring = !tcgemm.ring<2, cp_async, [!tcgemm.tile<8 x 64 x f32, none>]>
!acc = !tcgemm.acc<16 x 16, wmma_m16n16>
tcgemm.program @other_layout(%k: i32) attributes {threads = 64 : i64, chip = "sm_80"} {
  %ring = tcgemm.ring.create : !ring
  %acc = tcgemm.acc.zero : !acc
  // expected-error @below {{adds accumulators of mma_sync or simt, but takes}}
  %sum = tcgemm.acc.reduce %acc over %k of 2 through %ring : !acc, !ring -> !acc
  tcgemm.return
}
