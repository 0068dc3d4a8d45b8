// RUN: tcgemm-opt %s --transform-interpreter --split-input-file | FileCheck %s

// A kernel that a matcher accepts gets the matcher's configuration. Others, and
// kernels that have one already, are not changed.
// CHECK-LABEL: tcgemm.kernel @matched
// CHECK: attributes {config = #tcgemm.config<schedule = mma_sync, stages = 4>, provided}
tcgemm.kernel @matched <1x40x72x96> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}
// CHECK-LABEL: tcgemm.kernel @other_layout
// CHECK-NOT: config
tcgemm.kernel @other_layout <1x40x72x96> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}
// CHECK-LABEL: tcgemm.kernel @other_epilogue
// CHECK-NOT: config
tcgemm.kernel @other_epilogue <1x40x72x96> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.mulf %acc, %acc : f32
  %1 = arith.truncf %0 : f32 to bf16
  tcgemm.yield %1 : bf16
}
// CHECK-LABEL: tcgemm.kernel @hinted
// CHECK: config = #tcgemm.config<schedule = mma_sync, stages = 4>
tcgemm.kernel @hinted <1x?x?x96> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {size_hint = array<i64: 1, 40, 72, 96>}
// CHECK-LABEL: tcgemm.kernel @unknown
// CHECK-NOT: config
tcgemm.kernel @unknown <1x?x?x96> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}
// CHECK-LABEL: tcgemm.kernel @configured
// CHECK: attributes {config = #tcgemm.config<schedule = simt>}
tcgemm.kernel @configured <1x40x72x96> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {config = #tcgemm.config<schedule = simt>}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @configure(%kernel: !transform.any_op {transform.readonly}, %config: !transform.any_param {transform.readonly}) {
    // CHECK: transform.tcgemm.configure_op %{{.*}} with %{{.*}} : !transform.any_op, !transform.any_param
    transform.tcgemm.configure_op %kernel with %config : !transform.any_op, !transform.any_param
    transform.yield
  }
  transform.named_sequence @match(%kernel: !transform.any_op {transform.readonly}) -> (!transform.any_op, !transform.any_param) {
    // CHECK: transform.tcgemm.match_product %{{.*}} "bf16 tn bf16 none" sizes [1, 40, 72, 96] : !transform.any_op
    transform.tcgemm.match_product %kernel "bf16 tn bf16 none" sizes [1, 40, 72, 96] : !transform.any_op
    %config = transform.param.constant #tcgemm.config<stages = 4> -> !transform.any_param
    transform.yield %kernel, %config : !transform.any_op, !transform.any_param
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.consumed}) {
    transform.foreach_match in %module @match -> @configure : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// The same by a table, of which the first entry for a kernel counts.
// CHECK-LABEL: tcgemm.kernel @in_table
// CHECK: attributes {config = #tcgemm.config<schedule = mma_sync, stages = 5>, provided}
tcgemm.kernel @in_table <1x40x72x96> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}
// CHECK-LABEL: tcgemm.kernel @not_in_table
// CHECK-NOT: config =
// CHECK: module attributes
tcgemm.kernel @not_in_table <1x40x72x97> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    transform.tcgemm.configure_products %module from [
      {kernel = "f16 tn f16 none", sizes = array<i64: 1, 40, 72, 96>, config = #tcgemm.config<stages = 2>},
      {kernel = "bf16 tn bf16 none", sizes = array<i64: 1, 40, 72, 96>, config = #tcgemm.config<stages = 5>},
      {kernel = "bf16 tn bf16 none", sizes = array<i64: 1, 40, 72, 96>, config = #tcgemm.config<stages = 6>}
    ] : !transform.any_op
    transform.yield
  }
}

// -----

// An operation of linalg gets the attribute that tcgemm-raise reads.
// CHECK-LABEL: func.func @linalg
// CHECK: linalg.matmul {tcgemm.config = #tcgemm.config<schedule = mma_sync, stages = 4>}
func.func @linalg(%a: tensor<8x8xf16>, %b: tensor<8x8xf16>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %product = transform.structured.match ops{["linalg.matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    // CHECK: transform.tcgemm.configure_op %{{.*}} config = <schedule = mma_sync, stages = 4> : !transform.any_op
    transform.tcgemm.configure_op %product config = <stages = 4> : !transform.any_op
    transform.yield
  }
}
