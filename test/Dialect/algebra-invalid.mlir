// RUN: tcgemm-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// expected-error @below {{has the algebra max-plus for 'bf16' and 'bf16', but A and B must have the same of f32, f64 and i32}}
tcgemm.kernel @type <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {algebra = #tcgemm.algebra<reduce = max, combine = plus>}

// -----

// expected-error @below {{has another algebra, and so it cannot have a function of A's elements: kernels of other algebras combine the elements that are in memory}}
tcgemm.kernel @function <1x?x?x?>
    [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} transform_a {
^bb0(%x: f32):
  %0 = arith.negf %x : f32
  tcgemm.yield %0 : f32
} attributes {algebra = #tcgemm.algebra<reduce = min, combine = plus>}

// -----

// expected-error @below {{no type has both the reduction maxnum and the combination and}}
#pair = #tcgemm.algebra<reduce = maxnum, combine = and>

// -----

// expected-error @below {{'sum' is no operation of an algebra}}
#word = #tcgemm.algebra<reduce = sum, combine = plus>

// -----

!fragment_a = !tcgemm.fragment<a, 16 x 16 x f64>
!fragment_b = !tcgemm.fragment<b, 16 x 16 x f64>
!acc = !tcgemm.acc<16 x 16 of f64, mma_sync>
!ring = !tcgemm.ring<2, cp_async, [!tcgemm.tile<16 x 16 x f64, pad>, !tcgemm.tile<16 x 16 x f64, pad>]>
tcgemm.program @tensor_cores() attributes {threads = 32, chip = "sm_90", algebra = #tcgemm.algebra<reduce = max, combine = plus>} {
  %acc = tcgemm.acc.zero : !acc
  %a, %b = "test.fragments"() : () -> (!fragment_a, !fragment_b)
  // expected-error @below {{multiplies or adds, but its program has the algebra max-plus}}
  %x = tcgemm.mma %a, %b, %acc : !fragment_a, !fragment_b, !acc
  tcgemm.return
}
