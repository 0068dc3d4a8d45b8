// RUN: tcgemm-opt %s -pass-pipeline='builtin.module(tcgemm.kernel(tcgemm-lower-epilogue-math,canonicalize))' | FileCheck %s

// An addition rounds what is clamped to integers of few bits: 1.5 * 2^23. Its place
// is behind the clamp, whose limits are integers.

// CHECK-LABEL: tcgemm.kernel @signed
// CHECK:       ^bb0(%[[ACC:.*]]: i32):
// CHECK-DAG:     %[[LOW:.*]] = arith.constant -1.280000e+02 : f32
// CHECK-DAG:     %[[HIGH:.*]] = arith.constant 1.270000e+02 : f32
// CHECK-DAG:     %[[ADDEND:.*]] = arith.constant 0x4B400000 : f32
// CHECK:         %[[FLOAT:.*]] = arith.sitofp %[[ACC]]
// CHECK-NOT:     math.roundeven
// CHECK:         %[[MAX:.*]] = arith.maximumf %[[FLOAT]], %[[LOW]]
// CHECK:         %[[MIN:.*]] = arith.minimumf %[[MAX]], %[[HIGH]]
// CHECK:         %[[SUM:.*]] = arith.addf %[[MIN]], %[[ADDEND]]
// CHECK:         %[[BITS:.*]] = llvm.inline_asm "mov.b32 $0, $1;", "=r,f" %[[SUM]] : (f32) -> i32
// CHECK:         %[[BYTE:.*]] = arith.trunci %[[BITS]] : i32 to i8
// CHECK:         tcgemm.yield %[[BYTE]]
tcgemm.kernel @signed <1x?x?x?> [#tcgemm.operand<a, i8, "mk">, #tcgemm.operand<b, i8, "nk">, #tcgemm.operand<output, i8, "mn">] epilogue {
^bb0(%acc: i32):
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %0 = arith.sitofp %acc : i32 to f32
  %1 = math.roundeven %0 : f32
  %2 = arith.maximumf %1, %low : f32
  %3 = arith.minimumf %2, %high : f32
  %4 = arith.fptosi %3 : f32 to i8
  tcgemm.yield %4 : i8
}

// The other order of the limits, and an unsigned result.

// CHECK-LABEL: tcgemm.kernel @unsigned
// CHECK-NOT:     math.roundeven
// CHECK:         arith.addf
// CHECK:         arith.trunci
// CHECK-NOT:     arith.fptoui
tcgemm.kernel @unsigned <1x?x?x?> [#tcgemm.operand<a, i8, "mk">, #tcgemm.operand<b, i8, "nk">, #tcgemm.operand<output, i8, "mn">] epilogue {
^bb0(%acc: i32):
  %low = arith.constant 0.0 : f32
  %high = arith.constant 255.0 : f32
  %0 = arith.sitofp %acc : i32 to f32
  %1 = math.roundeven %0 : f32
  %2 = arith.minimumf %1, %high : f32
  %3 = arith.maximumf %2, %low : f32
  %4 = arith.fptoui %3 : f32 to i8
  tcgemm.yield %4 : i8
}

// Other forms stay as they are: a limit that is no integer, one that is too large, a value
// that is not rounded, and a result of 32 bits.

// CHECK-LABEL: tcgemm.kernel @others
// CHECK-COUNT-2: arith.fptosi {{.*}} to i8
// CHECK:         arith.fptosi {{.*}} to i8
// CHECK:         arith.fptosi {{.*}} to i32
// CHECK:         tcgemm.yield
tcgemm.kernel @others <1x?x?x?> [#tcgemm.operand<a, i8, "mk">, #tcgemm.operand<b, i8, "nk">, #tcgemm.operand<output, i8, "mn">, #tcgemm.operand<output, i8, "mn">, #tcgemm.operand<output, i8, "mn">, #tcgemm.operand<output, i32, "mn">] epilogue {
^bb0(%acc: i32):
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %half = arith.constant 126.5 : f32
  %large = arith.constant 8388608.0 : f32
  %0 = arith.sitofp %acc : i32 to f32
  %1 = math.roundeven %0 : f32
  %2 = arith.maximumf %1, %low : f32
  %3 = arith.minimumf %2, %half : f32
  %4 = arith.fptosi %3 : f32 to i8
  %5 = arith.minimumf %2, %large : f32
  %6 = arith.fptosi %5 : f32 to i8
  %7 = arith.maximumf %0, %low : f32
  %8 = arith.minimumf %7, %high : f32
  %9 = arith.fptosi %8 : f32 to i8
  %10 = arith.minimumf %2, %high : f32
  %11 = arith.fptosi %10 : f32 to i32
  tcgemm.yield %4, %6, %9, %11 : i8, i8, i8, i32
}

// Divisions that round otherwise than the instruction become instructions.

// CHECK-LABEL: tcgemm.kernel @divisions
// CHECK-NOT:     arith.ceildiv
// CHECK-NOT:     arith.floordiv
// CHECK:         arith.divsi
// CHECK:         tcgemm.yield
tcgemm.kernel @divisions <1x?x?x?> [#tcgemm.operand<a, i8, "mk">, #tcgemm.operand<b, i8, "nk">, #tcgemm.operand<output, i32, "mn">] epilogue {
^bb0(%acc: i32):
  %three = arith.constant 3 : i32
  %0 = arith.ceildivsi %acc, %three : i32
  %1 = arith.floordivsi %acc, %three : i32
  %2 = arith.ceildivui %acc, %three : i32
  %3 = arith.addi %0, %1 : i32
  %4 = arith.xori %3, %2 : i32
  tcgemm.yield %4 : i32
}
