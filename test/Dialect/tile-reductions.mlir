// RUN: tcgemm-opt %s | FileCheck %s
// RUN: tcgemm-opt %s --mlir-print-op-generic | tcgemm-opt | FileCheck %s

!global = memref<?xf32, #gpu.address_space<global>>
!acc = !tcgemm.acc<16 x 16, mma_sync>

// CHECK-LABEL: tcgemm.kernel @kernel
// CHECK-SAME: #tcgemm.operand<output, f32, "mn">, #tcgemm.operand<output, f32, "mb", reduction = <addf, 1.000000e+00 : f32>>, #tcgemm.operand<output, i32, "", reduction = <maxsi, -7 : i32>>]
tcgemm.kernel @kernel <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, f32, "mn">,
     #tcgemm.operand<output, f32, "mb", reduction = <addf, 1.0 : f32>>,
     #tcgemm.operand<output, i32, "", reduction = <maxsi, -7 : i32>>] epilogue {
^bb0(%acc: f32):
  %i = arith.fptosi %acc : f32 to i32
  tcgemm.yield %acc, %acc, %i : f32, f32, i32
}

// CHECK-LABEL: tcgemm.program @epilogue
// CHECK: reductions [#tcgemm.partial<maxnumf, "m">, #tcgemm.partial<addf, "">] to %{{.*}}, %{{.*}} strides %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} :
tcgemm.program @epilogue(%d: !global, %p: !global, %q: !global, %s: i64, %m: i32, %n: i32)
    attributes {threads = 32 : i64, chip = "sm_80"} {
  %c0 = arith.constant 0 : i32
  %acc = tcgemm.acc.zero : !acc
  tcgemm.epilogue %acc at (%c0, %c0, %c0) of (%m, %n) outputs(%d : !global) strides(%s) dims ["mn"]
      arguments [] guards [] reductions [#tcgemm.partial<maxnumf, "m">, #tcgemm.partial<addf, "">]
      to %p, %q strides %s, %s, %s, %s : !global, !global {
  ^bb0(%x: f32):
    tcgemm.yield %x, %x, %x : f32, f32, f32
  } : !acc
  tcgemm.return
}

// CHECK-LABEL: tcgemm.program @combine
// CHECK: tcgemm.partials.combine %{{.*}}[%{{.*}}] by #tcgemm.reduction<minimumf, 0x7F800000 : f32> count %{{.*}} stride %{{.*}} to %{{.*}}[%{{.*}}] stride %{{.*}} results %{{.*}} of 32
tcgemm.program @combine(%p: !global, %r: !global, %s: i64, %i: i32)
    attributes {threads = 256 : i64, chip = "sm_80"} {
  tcgemm.partials.combine %p[%s] by #tcgemm.reduction<minimumf, 0x7F800000 : f32> count %s stride %s
    to %r[%s] stride %s results %i of 32 : !global, !global
  tcgemm.return
}

// States that are no values, in kernels, epilogues and the last step.

// CHECK-LABEL: tcgemm.kernel @states
// CHECK-SAME: #tcgemm.operand<output, i64, "m", reduction = <argmaximumf, -1 : i64>>, #tcgemm.operand<output, f32, "", reduction = <variancef, 0.000000e+00 : f32>>]
tcgemm.kernel @states <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, f32, "mn">,
     #tcgemm.operand<output, i64, "m", reduction = <argmaximumf, -1 : i64>>,
     #tcgemm.operand<output, f32, "", reduction = <variancef, 0.0 : f32>>] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc, %acc, %acc : f32, f32, f32
}

!indices = memref<?xi64, #gpu.address_space<global>>
!pairs = memref<?xvector<2xf32>, #gpu.address_space<global>>

// CHECK-LABEL: tcgemm.program @states_of_rows
// CHECK: reductions [#tcgemm.partial<argmaxnumf, "m">, #tcgemm.partial<sumexpf, "m">] to
tcgemm.program @states_of_rows(%d: !global, %p: !indices, %q: !pairs, %s: i64, %m: i32, %n: i32)
    attributes {threads = 32 : i64, chip = "sm_80"} {
  %c0 = arith.constant 0 : i32
  %acc = tcgemm.acc.zero : !acc
  tcgemm.epilogue %acc at (%c0, %c0, %c0) of (%m, %n) outputs(%d : !global) strides(%s) dims ["mn"]
      arguments [] guards [] reductions [#tcgemm.partial<argmaxnumf, "m">, #tcgemm.partial<sumexpf, "m">]
      to %p, %q strides %s, %s, %s, %s : !indices, !pairs {
  ^bb0(%x: f32):
    tcgemm.yield %x, %x, %x : f32, f32, f32
  } : !acc
  tcgemm.return
}

!i32s = memref<?xi32, #gpu.address_space<global>>

// CHECK-LABEL: tcgemm.program @combine_indices
// CHECK: tcgemm.partials.combine %{{.*}} by #tcgemm.reduction<argmaxsi, 0 : i32>
tcgemm.program @combine_indices(%p: !indices, %r: !i32s, %s: i64, %i: i32)
    attributes {threads = 256 : i64, chip = "sm_80"} {
  tcgemm.partials.combine %p[%s] by #tcgemm.reduction<argmaxsi, 0 : i32> count %s stride %s
    to %r[%s] stride %s results %i of 32 : !indices, !i32s
  tcgemm.return
}
