// RUN: tcgemm-opt %s | FileCheck %s
// RUN: tcgemm-opt %s --mlir-print-op-generic | tcgemm-opt | FileCheck %s
// RUN: tcgemm-opt %s --emit-bytecode | tcgemm-opt | FileCheck %s

// CHECK-LABEL: tcgemm.kernel @plain <1x?x?x4096>
// CHECK-SAME: #tcgemm.operand<a, bf16, "mk">
// CHECK-SAME: #tcgemm.operand<b, bf16, "nk">
// CHECK-SAME: #tcgemm.operand<output, bf16, "mn">
// CHECK-SAME: epilogue {
// CHECK: ^bb0(%[[ACC:.*]]: f32):
// CHECK: %[[D:.*]] = arith.truncf %[[ACC]] : f32 to bf16
// CHECK: tcgemm.yield %[[D]] : bf16
tcgemm.kernel @plain <1x?x?x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">]
    epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}

// CHECK-LABEL: tcgemm.kernel @fused <?x128x256x?>
// CHECK-SAME: #tcgemm.operand<a, f16, "bkm">
// CHECK-SAME: #tcgemm.operand<b, f16, "kn">
// CHECK-SAME: #tcgemm.operand<input, f32, "n">
// CHECK-SAME: #tcgemm.operand<scalar, f32, "">
// CHECK-SAME: #tcgemm.operand<output, f32, "bmn">
// CHECK-SAME: #tcgemm.operand<output, f16, "bnm">
// CHECK: tcgemm.index "m"
// CHECK: transform_a {
// CHECK-NEXT: ^bb0(%[[X:.*]]: f16, %{{.*}}: f32, %[[S:.*]]: f32):
// CHECK: transform_b {
// CHECK: attributes {chip = "sm_90"
// CHECK-SAME: config = #tcgemm.config<
// CHECK-SAME: stages = 4
// CHECK-SAME: size_hint = array<i64: 1, 128, 256, 4096>
tcgemm.kernel @fused <?x128x256x?>
    [#tcgemm.operand<a, f16, "bkm">, #tcgemm.operand<b, f16, "kn">,
     #tcgemm.operand<input, f32, "n">, #tcgemm.operand<scalar, f32, "">,
     #tcgemm.operand<output, f32, "bmn">, #tcgemm.operand<output, f16, "bnm">]
    epilogue {
^bb0(%acc: f32, %bias: f32, %alpha: f32):
  %m = tcgemm.index "m"
  %0 = arith.mulf %acc, %alpha : f32
  %1 = arith.addf %0, %bias : f32
  %2 = arith.truncf %1 : f32 to f16
  tcgemm.yield %1, %2 : f32, f16
} transform_a {
^bb0(%a: f16, %bias: f32, %alpha: f32):
  %0 = arith.extf %a : f16 to f32
  %1 = arith.mulf %0, %alpha : f32
  %2 = arith.truncf %1 : f32 to f16
  tcgemm.yield %2 : f16
} transform_b {
^bb0(%b: f16, %bias: f32, %alpha: f32):
  tcgemm.yield %b : f16
} attributes {chip = "sm_90", config = #tcgemm.config<stages = 4>,
              size_hint = array<i64: 1, 128, 256, 4096>}

// CHECK-LABEL: tcgemm.kernel @planned
// CHECK: plan = [#tcgemm.variant<"aligned", guard = "K >= 1",
// CHECK-SAME: workspace = "0",
// CHECK-SAME: steps = [<@programs::@main, grid = ["ceildiv(M, 128)", "1", "1"],
// CHECK-SAME: threads = 128, shared_memory = 49152,
// CHECK-SAME: arguments = [pointer A, i32 "M"], when = "M >= 1">]>]
tcgemm.kernel @planned <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">]
    epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {plan = [#tcgemm.variant<"aligned", guard = "K >= 1",
    config = <>, workspace = "0",
    steps = [<@programs::@main, grid = ["ceildiv(M, 128)", "1", "1"],
              threads = 128, shared_memory = 49152,
              arguments = [pointer A, i32 "M"], when = "M >= 1">]>]}

// CHECK-LABEL: func.func @on_tensors
// CHECK: tcgemm.launch @plain ins(%{{.*}}, %{{.*}} : tensor<?x4096xbf16>, tensor<?x4096xbf16>)
// CHECK-SAME: outs(%{{.*}} : tensor<?x?xbf16>) -> tensor<?x?xbf16>
func.func @on_tensors(%a: tensor<?x4096xbf16>, %b: tensor<?x4096xbf16>,
                      %d: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %0 = tcgemm.launch @plain ins(%a, %b : tensor<?x4096xbf16>, tensor<?x4096xbf16>)
      outs(%d : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}

// CHECK-LABEL: func.func @on_buffers
// CHECK: tcgemm.launch @plain
// CHECK-SAME: outs(%{{.*}} : memref<?x?xbf16>){{$}}
func.func @on_buffers(%a: memref<?x4096xbf16>, %b: memref<?x4096xbf16>,
                      %d: memref<?x?xbf16>) {
  tcgemm.launch @plain ins(%a, %b : memref<?x4096xbf16>, memref<?x4096xbf16>)
      outs(%d : memref<?x?xbf16>)
  return
}

// CHECK-LABEL: tcgemm.kernel @scaled <1x?x?x?>
// CHECK-SAME: #tcgemm.operand<scale_a, f32, "km">
// CHECK-SAME: #tcgemm.operand<scale_b, f32, "nk">
tcgemm.kernel @scaled <1x?x?x?>
    [#tcgemm.operand<a, f8E4M3FN, "mk">, #tcgemm.operand<b, f8E5M2, "nk">,
     #tcgemm.operand<scale_a, f32, "km">, #tcgemm.operand<scale_b, f32, "nk">,
     #tcgemm.operand<output, f32, "mn">]
    epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// CHECK-LABEL: tcgemm.kernel @groups <1x?x?x?>
// CHECK-SAME: #tcgemm.operand<scale_b, f16, "nk", group = 128>
// CHECK-SAME: #tcgemm.operand<zero_b, ui8, "kn", group = 128>
tcgemm.kernel @groups <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, ui4, "nk">,
     #tcgemm.operand<scale_b, f16, "nk", group = 128>,
     #tcgemm.operand<zero_b, ui8, "kn", group = 128>,
     #tcgemm.operand<output, f32, "mn">]
    epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// The last outer dimension is summed over.
// CHECK-LABEL: tcgemm.kernel @summed <?x?x?x64x?>
// CHECK-SAME: #tcgemm.operand<a, f16, "bmck">
tcgemm.kernel @summed <?x?x?x64x?>
    [#tcgemm.operand<a, f16, "bmck">, #tcgemm.operand<b, f16, "cnk">,
     #tcgemm.operand<output, f32, "bmn">, #tcgemm.operand<output, f32, "bm", reduction = <addf, 0.0 : f32>>]
    epilogue {
^bb0(%acc: f32):
  %0 = tcgemm.index "b"
  tcgemm.yield %acc, %acc : f32, f32
} attributes {size_hint = array<i64: 1, 512, 256, 384, 6>}
