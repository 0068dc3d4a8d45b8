// RUN: tcgemm-opt %s \
// RUN:   --pass-pipeline='builtin.module(tcgemm-schedule,gpu.module(tcgemm-lower-tiles,canonicalize,cse))' | FileCheck %s

// The components of the block, two bits each, and its signs are constants that a lane shifts by its place in the block.
// [[1, 2], [-2, 1]]: components 0, 1, 1, 0 are 0b00010100, and the third element is negated.

// CHECK-LABEL: @rows_main
// CHECK-DAG: %[[COMPONENTS:.*]] = arith.constant 20 : i32
// CHECK-DAG: %[[SIGNS:.*]] = arith.constant 4 : i32
// CHECK-DAG: %[[TOP:.*]] = arith.constant 63 : i64
// CHECK: %[[SHIFTED:.*]] = arith.shrui %[[COMPONENTS]], %{{.*}} : i32
// CHECK: arith.andi %[[SHIFTED]], %{{.*}} : i32
// CHECK: %[[SHIFTED_SIGNS:.*]] = arith.shrui %[[SIGNS]], %{{.*}} : i32
// CHECK: %[[BIT:.*]] = arith.andi %[[SHIFTED_SIGNS]], %{{.*}} : i32
// CHECK: %[[WIDE:.*]] = arith.extui %[[BIT]] : i32 to i64
// CHECK: %[[SIGN:.*]] = arith.shli %[[WIDE]], %[[TOP]] : i64
// CHECK: %[[LOADED:.*]] = memref.load
// CHECK: %[[BITS:.*]] = arith.bitcast %[[LOADED]] : f64 to i64
// CHECK: arith.xori %[[BITS]], %[[SIGN]] : i64
tcgemm.kernel @rows <1x?x?x?>
    [#tcgemm.operand<a, f64, "mk">, #tcgemm.operand<b, f64, "kn", representation = <[[1, 2], [-2, 1]]>>,
     #tcgemm.operand<output, f64, "mn">] epilogue {
^bb0(%acc: f64):
  tcgemm.yield %acc : f64
} attributes {chip = "sm_90", config = #tcgemm.config<cta = [64, 64, 16], instruction = [16, 8, 4]>}

// Without signs nothing is negated.
// CHECK-LABEL: @split_main
// CHECK-NOT: arith.xori %{{.*}}, %{{.*}} : i64
// CHECK: memref.load
// CHECK-NOT: arith.xori %{{.*}}, %{{.*}} : i64
tcgemm.kernel @split <1x?x?x?>
    [#tcgemm.operand<a, f64, "mk">, #tcgemm.operand<b, f64, "kn", representation = <[[1, 2], [2, 1]]>>,
     #tcgemm.operand<output, f64, "mn">] epilogue {
^bb0(%acc: f64):
  tcgemm.yield %acc : f64
} attributes {chip = "sm_90", config = #tcgemm.config<cta = [64, 64, 16], instruction = [16, 8, 4]>}
