// RUN: rm -rf %t.pack
// RUN: tcgemm-opt %s --tcgemm-write-pack="path=%t.pack" -o /dev/null
// RUN: %python -m json.tool --sort-keys %t.pack/manifest.json | FileCheck %s

// A plan's tensor maps and cluster, as the manifest has them.

// CHECK:      "variants": [
// CHECK:      "arguments": [
// CHECK:      "index": 0,
// CHECK-NEXT: "kind": "tensor_map"
// CHECK:      "cluster": [
// CHECK-NEXT: 2,
// CHECK-NEXT: 1,
// CHECK-NEXT: 1
// CHECK:      "tensor_maps": [
// CHECK:      "base": {
// CHECK-NEXT: "kind": "pointer",
// CHECK-NEXT: "operand": "A"
// CHECK-NEXT: },
// CHECK-NEXT: "box": [
// CHECK-NEXT: 64,
// CHECK-NEXT: 128
// CHECK-NEXT: ],
// CHECK-NEXT: "dims": [
// CHECK-NEXT: "K",
// CHECK-NEXT: "M"
// CHECK-NEXT: ],
// CHECK-NEXT: "l2_promotion": 256,
// CHECK-NEXT: "name": "A",
// CHECK-NEXT: "strides": [
// CHECK-NEXT: "A.stride0 * 2"
// CHECK-NEXT: ],
// CHECK-NEXT: "swizzle": 128,
// CHECK-NEXT: "type": "bf16"
// CHECK:      "kind": "workspace",
// CHECK-NEXT: "value": "128"
// CHECK:      "name": "packed"

#config = #tcgemm.config<cta = [128, 256, 64]>
module attributes {gpu.container_module} {
  gpu.binary @programs [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "// PTX">]
  tcgemm.kernel @k <1x?x?x64> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
  ^bb0(%acc: f32):
    tcgemm.yield %acc : f32
  } attributes {plan = [
    #tcgemm.variant<"tma", guard = "A.base % 16 == 0 && A.stride0 % 8 == 0", config = #config, workspace = "128 + N * K * 2",
      steps = [#tcgemm.step<@programs::@main, grid = ["ceildiv(M, 256) * 2", "1", "1"], cluster = [2, 1, 1],
        threads = 384, shared_memory = 196608, tensor_maps = [
          #tcgemm.tensor_map<"A", bf16, base = pointer A, dims = ["K", "M"], strides = ["A.stride0 * 2"],
                             box = [64, 128], swizzle = 128, l2_promotion = 256>,
          #tcgemm.tensor_map<"packed", bf16, base = workspace "128", dims = ["K", "N"], strides = ["K * 2"],
                             box = [64, 256], swizzle = 0, l2_promotion = 0>],
        arguments = [tensor_map 0, i32 "M", tensor_map 1]>]>]}
}
