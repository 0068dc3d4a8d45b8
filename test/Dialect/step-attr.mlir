// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s

#config = #tcgemm.config<cta = [128, 256, 64]>

// CHECK: <@m::@p, grid = ["2", "1", "1"], cluster = [2, 1, 1], threads = 384, shared_memory = 1024, tensor_maps = [
// CHECK-SAME: <"A", bf16, base = pointer A, dims = ["K", "M"], strides = ["A.stride0 * 2"], box = [64, 128], swizzle = 128, l2_promotion = 256>,
// CHECK-SAME: <"B", bf16, base = workspace "0", dims = ["K", "N", "batch"], strides = ["K * 2", "K * N * 2"], box = [8, 64, 1], swizzle = 0, l2_promotion = 0>]
// CHECK-SAME: arguments = [tensor_map 0, tensor_map 1, i32 "M"], when = "M > 1">
// CHECK-SAME: <@m::@p, grid = ["1", "1", "1"], threads = 32, shared_memory = 0, arguments = [i32 "M"]>
tcgemm.kernel @k <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {plan = [#tcgemm.variant<"v", guard = "1", config = #config, workspace = "0", steps = [
  #tcgemm.step<@m::@p, grid = ["2", "1", "1"], cluster = [2, 1, 1], threads = 384, shared_memory = 1024,
    tensor_maps = [
      #tcgemm.tensor_map<"A", bf16, base = pointer A, dims = ["K", "M"], strides = ["A.stride0 * 2"],
                         box = [64, 128], swizzle = 128, l2_promotion = 256>,
      #tcgemm.tensor_map<"B", bf16, base = workspace "0", dims = ["K", "N", "batch"], strides = ["K * 2", "K * N * 2"],
                         box = [8, 64, 1], swizzle = 0, l2_promotion = 0>],
    arguments = [tensor_map 0, tensor_map 1, i32 "M"], when = "M > 1">,
  #tcgemm.step<@m::@p, grid = ["1", "1", "1"], threads = 32, shared_memory = 0, arguments = [i32 "M"]>]>]}
