// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file | FileCheck %s

// The function of an element is computed in registers, just before the product. Its
// values beyond K need no zeros: 0 + 1 is finite, and B has zeros there.

// CHECK-LABEL: tcgemm.kernel @finite
// CHECK: plan = [{{.*}}"empty_k"
// CHECK-SAME:    "aligned"
// CHECK-SAME:    "pack_ab"
// CHECK: tcgemm.program @finite_main
// CHECK: scf.for
// CHECK:   %[[MAPPED:.*]] = tcgemm.fragment.map %{{.*}} {
// CHECK-NEXT: ^bb0(%[[X:.*]]: bf16):
// CHECK:     arith.addf %[[X]],
// CHECK:   tcgemm.mma %[[MAPPED]], %{{.*}}, %{{.*}} :
// CHECK-NOT: fragment.map %{{.*}} : <b
// Elements are packed as they are.
// CHECK: tcgemm.program @finite_pack
// CHECK-NOT: arith.addf
// CHECK: tcgemm.return
tcgemm.kernel @finite <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} transform_a {
^bb0(%x: bf16):
  %one = arith.constant 1.0 : bf16
  %0 = arith.addf %x, %one : bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90", config = #tcgemm.config<schedule = mma_sync, cta = [32, 32, 32], warps = [1, 1, 1], stages = 2>}

// -----

// 1 / 0 is infinite. What lies beyond K becomes zero, also in the padding of packed
// operands: the whole K is an argument of its own. With two warps along K, each has
// its own part of the tile.

// CHECK-LABEL: tcgemm.kernel @infinite
// CHECK: tcgemm.program @infinite_main
// CHECK-SAME:  %[[WHOLE:[^:]*]]: i32 {tcgemm.binding = #tcgemm.binding<i32 "whole_k">}
// CHECK: scf.for
// CHECK:   arith.minsi %[[WHOLE]],
// CHECK:   %[[PART:.*]] = arith.muli
// CHECK:   %[[VALID:.*]] = arith.subi %{{.*}}, %[[PART]]
// CHECK-NEXT: tcgemm.fragment.map %{{.*}} scalars(%{{.*}} : f32) valid %[[VALID]] {
// CHECK-NEXT: ^bb0(%[[X:.*]]: f16, %[[S:.*]]: f32):
tcgemm.kernel @infinite <1x?x?x?> [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "nk">,
    #tcgemm.operand<scalar, f32, "">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %unused: f32):
  tcgemm.yield %acc : f32
} transform_b {
^bb0(%x: f16, %s: f32):
  %w = arith.extf %x : f16 to f32
  %0 = arith.divf %s, %w : f32
  %1 = arith.truncf %0 : f32 to f16
  tcgemm.yield %1 : f16
} attributes {chip = "sm_90", config = #tcgemm.config<schedule = mma_sync, cta = [32, 32, 32], warps = [1, 1, 2], stages = 2>}

// -----

// If both operands have functions, A's has zeros beyond K, and B's is finite. The
// fragments of simt are mapped, too.

// CHECK-LABEL: tcgemm.kernel @both
// CHECK: tcgemm.program @both_main
// CHECK:   tcgemm.fragment.map %{{.*}} valid %{{.*}} {
// CHECK:   } : <a, {{.*}} x f32, runs
// CHECK:   tcgemm.fragment.map %{{.*}} {
// CHECK:   } : <b, {{.*}} x f32, runs
tcgemm.kernel @both <1x?x?x?> [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} transform_a {
^bb0(%x: f32):
  %0 = math.exp %x : f32
  tcgemm.yield %0 : f32
} transform_b {
^bb0(%x: f32):
  %0 = math.exp %x : f32
  tcgemm.yield %0 : f32
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = simt>}

// -----

// A K that the tiles divide needs no zeros.

// CHECK-LABEL: tcgemm.kernel @divided
// CHECK: tcgemm.program @divided_main
// CHECK: tcgemm.fragment.map %{{[0-9]+}} {
// CHECK-NOT: fragment.map {{.*}}valid
// CHECK: tcgemm.return
tcgemm.kernel @divided <1x?x?x128> [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "nk">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} transform_a {
^bb0(%x: f16):
  %one = arith.constant 1.0 : f16
  %0 = arith.divf %one, %x : f16
  tcgemm.yield %0 : f16
} attributes {chip = "sm_90", config = #tcgemm.config<schedule = mma_sync, cta = [32, 32, 32], warps = [1, 1, 1], stages = 2>}

// -----

// A vector along k, and one along m: the program that packs A computes the function,
// and there are no variants without it. B is packed by a program of its own.

// CHECK-LABEL: tcgemm.kernel @vectors
// CHECK: plan = [{{.*}}"empty_k"
// CHECK-NOT:     "aligned"
// CHECK-NOT:     "pack_b"
// CHECK-SAME:    "pack_a"
// CHECK-SAME:    "pack_ab"
// CHECK: tcgemm.program @vectors_main
// CHECK-NOT: fragment.map
// CHECK: tcgemm.return
// CHECK: tcgemm.program @vectors_pack{{.*}}(
// CHECK-DAG:   %[[ROWS:[^ ]*]]: memref<?xf32, #gpu.address_space<global>> {tcgemm.binding = #tcgemm.binding<pointer in0>}
// CHECK-DAG:   %[[DEPTH:[^ ]*]]: memref<?xf32, #gpu.address_space<global>> {tcgemm.binding = #tcgemm.binding<pointer in1>}
// The row's value is loaded once.
// CHECK: %[[ROW:.*]] = memref.load %[[ROWS]]
// CHECK-NOT: memref.load %[[ROWS]]
// CHECK: %[[K:.*]] = memref.load %[[DEPTH]]
// CHECK: %[[SUM:.*]] = arith.addf %{{.*}}, %[[ROW]] : f32
// CHECK: arith.mulf %[[SUM]], %[[K]] : f32
tcgemm.kernel @vectors <1x?x?x?> [#tcgemm.operand<a, f32, "mk">, #tcgemm.operand<b, f32, "nk">,
    #tcgemm.operand<input, f32, "m">, #tcgemm.operand<input, f32, "k">,
    #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %r: f32, %k: f32):
  tcgemm.yield %acc : f32
} transform_a {
^bb0(%x: f32, %r: f32, %k: f32):
  %0 = arith.addf %x, %r : f32
  %1 = arith.mulf %0, %k : f32
  tcgemm.yield %1 : f32
} attributes {chip = "sm_80", config = #tcgemm.config<schedule = simt>}

// -----

// wgmma takes A from registers: the function is computed there.

// CHECK-LABEL: tcgemm.kernel @registers
// CHECK: plan = [{{.*}}"aligned"
// CHECK: tcgemm.program @registers_main
// CHECK: %[[LOADED:.*]] = tcgemm.fragment.load {{.*}} k_step 0 {{.*}} -> <a, 64 x 16 x bf16 for wgmma>
// CHECK: tcgemm.fragment.load {{.*}} k_step 1
// CHECK: %[[MAPPED:.*]] = tcgemm.fragment.map %[[LOADED]] {
// CHECK: } : <a, 64 x 16 x bf16 for wgmma>
// CHECK: tcgemm.fragment.load {{.*}} k_step 2
// CHECK: tcgemm.mma.async_fragment %[[MAPPED]] by {{.*}} k_step 0 new into
// CHECK-NOT: tcgemm.mma.async %
tcgemm.kernel @registers <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} transform_a {
^bb0(%x: bf16):
  %one = arith.constant 1.0 : bf16
  %0 = arith.addf %x, %one : bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], stages = 3>}

// -----

// The function of 0 is infinite, and K has a residue: A is packed.

// CHECK-LABEL: tcgemm.kernel @residue
// CHECK: plan = [{{.*}}"empty_k"
// CHECK-NOT:     "aligned"
// CHECK-SAME:    "pack_a"
// CHECK-NOT: fragment.map
tcgemm.kernel @residue <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} transform_a {
^bb0(%x: bf16):
  %one = arith.constant 1.0 : bf16
  %0 = arith.divf %one, %x : bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], stages = 3>}

// -----

// wgmma reads B from shared memory as it is: the function is computed by the program
// that packs it.

// CHECK-LABEL: tcgemm.kernel @hopper
// CHECK: plan = [{{.*}}"empty_k"
// CHECK-NOT:     "aligned"
// CHECK-NOT:     "pack_a"
// CHECK-SAME:    "pack_b"
// CHECK-SAME:    "pack_ab"
// CHECK: tcgemm.program @hopper_pack
// CHECK: math.exp
tcgemm.kernel @hopper <1x?x?x?> [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "nk">,
    #tcgemm.operand<output, f16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to f16
  tcgemm.yield %0 : f16
} transform_b {
^bb0(%x: f16):
  %0 = math.exp %x : f16
  tcgemm.yield %0 : f16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], stages = 2>}

// -----

// ptxas compiles a division to code with branches: no product is in flight there.

// CHECK-LABEL: tcgemm.kernel @branches
// CHECK: tcgemm.program @branches_main
// CHECK: tcgemm.fragment.map
// CHECK: arith.divf
// CHECK: tcgemm.mma.async_fragment
// CHECK-NEXT: tcgemm.mma.await %{{.*}} : <64 x 64, wgmma, in_flight = true> -> <64 x 64, wgmma>
tcgemm.kernel @branches <1x?x?x64> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
    #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} transform_a {
^bb0(%x: bf16):
  %one = arith.constant 1.0 : bf16
  %0 = arith.addf %x, %one : bf16
  %1 = arith.divf %x, %0 : bf16
  tcgemm.yield %1 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], stages = 3>}
