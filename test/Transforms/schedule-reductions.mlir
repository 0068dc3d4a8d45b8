// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tcgemm-opt %t.mlir --split-input-file | FileCheck %s

// A warp of 32 x 32 stores a partial result for each of its rows, in the slot of
// its columns. A last step combines the slots.

// CHECK-LABEL: tcgemm.kernel @rows
// CHECK: "empty_k"
// CHECK-SAME: steps = [<@rows_module::@rows_reduce,
// CHECK-SAME: <@rows_module::@rows_combine_out1, grid = ["ceildiv(M, 32)", "1", "1"], threads = 256, shared_memory = 1024,
// CHECK-SAME: "aligned"
// CHECK-SAME: workspace = "0 + 4 * ceildiv(N, 32) * batch * M"
// CHECK-SAME: steps = [<@rows_module::@rows_main,
// CHECK-SAME: <@rows_module::@rows_combine_out1,
// CHECK-SAME: i64 "ceildiv(N, 32)"
// CHECK: tcgemm.program @rows_combine_out1(%[[M:[^:]*]]: i32 {{[^%]*}}, %[[SLOTS:[^:]*]]: i64 {{[^%]*}}i64 "slots_out1">}, %[[P:[^:]*]]: {{[^%]*}}<workspace "partials_out1">}, %[[R:[^:]*]]: {{[^%]*}}<pointer out1>})
// CHECK: tcgemm.partials.combine %[[P]]{{.*}} by #tcgemm.reduction<addf, 0.000000e+00 : f32>{{.*}} to %[[R]]{{.*}} of 32
// CHECK: tcgemm.program @rows_main(
// CHECK: tcgemm.epilogue {{.*}} dims ["mn"] arguments [] guards [] reductions [#tcgemm.partial<addf, "m">]
// CHECK: tcgemm.yield %{{.*}}, %{{.*}} : bf16, f32
tcgemm.kernel @rows <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, bf16, "mn">,
     #tcgemm.operand<output, f32, "m", reduction = <addf, 0.0 : f32>>] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0, %acc : bf16, f32
} attributes {chip = "sm_80", config = #tcgemm.config<cta = [64, 64, 32], warps = [2, 2, 1]>}

// -----

// With split-K the program that adds the slices has the epilogue; each of its
// threads has a slot. The steps wait for each other.

// CHECK-LABEL: tcgemm.kernel @split
// CHECK: "aligned"
// CHECK-SAME: steps = [<@split_module::@split_main, {{[^<]*}}dependent = true
// CHECK-SAME: <@split_module::@split_reduce, {{[^<]*}}dependent = true
// CHECK-SAME: <@split_module::@split_combine_out1, grid = ["batch", "1", "1"], dependent = true, threads = 1024,
// CHECK-SAME: i64 "M * N"
// CHECK: tcgemm.program @split_reduce
// CHECK: tcgemm.epilogue {{.*}} reductions [#tcgemm.partial<maximumf, "">]
// CHECK: tcgemm.program @split_combine_out1
// CHECK: tcgemm.grid.wait
// CHECK-NEXT: tcgemm.partials.combine {{.*}} of 1
// CHECK-NEXT: tcgemm.grid.launch_dependents
// CHECK: tcgemm.program @split_main
// CHECK-NOT: reductions
tcgemm.kernel @split <?x?x?x?>
    [#tcgemm.operand<a, bf16, "bmk">, #tcgemm.operand<b, bf16, "bnk">, #tcgemm.operand<output, bf16, "bmn">,
     #tcgemm.operand<output, f32, "b", reduction = <maximumf, 0.0 : f32>>] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  %1 = math.absf %acc : f32
  tcgemm.yield %0, %1 : bf16, f32
} attributes {chip = "sm_90", config = #tcgemm.config<cta = [64, 64, 32], split_k = 2, dependent_launch = true>}

// -----

// The four warps of a warpgroup have rows of their own: one slot for all rows of
// an accumulator along n, but four slots along m.

// CHECK-LABEL: tcgemm.kernel @columns
// CHECK: steps = [<@columns_module::@columns_main,
// CHECK-SAME: i64 "ceildiv(M, 64) * 4"
// CHECK: tcgemm.role consumer
// CHECK: tcgemm.epilogue {{.*}} reductions [#tcgemm.partial<maximumf, "n">]
tcgemm.kernel @columns <1x?x?x64>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, bf16, "mn">,
     #tcgemm.operand<output, f32, "n", reduction = <maximumf, 0.0 : f32>>] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0, %acc : bf16, f32
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma, cta = [128, 128, 64], warps = [8, 1, 1], instruction = [64, 128, 16], stages = 3>}
