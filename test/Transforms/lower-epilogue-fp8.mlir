// RUN: tcgemm-opt %s -pass-pipeline='builtin.module(tcgemm.kernel(tcgemm-lower-epilogue-math,canonicalize))' | FileCheck %s

// The instruction saturates; arith.truncf does not: e4m3 becomes NaN and e5m2 infinite.

// CHECK-LABEL: tcgemm.kernel @results
// CHECK:       ^bb0(%[[ACC:.*]]: f32):
// CHECK-DAG:     %[[NAN:.*]] = arith.constant 127 : i8
// CHECK-DAG:     %[[LIMIT:.*]] = arith.constant 4.640000e+02 : f32
// CHECK-DAG:     %[[INF:.*]] = arith.constant 124 : i8
// CHECK-DAG:     %[[LIMIT2:.*]] = arith.constant 6.144000e+04 : f32
// CHECK:         %[[PAIR:.*]] = llvm.inline_asm "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f" %{{.*}}, %[[ACC]] : (f32, f32) -> i16
// CHECK:         %[[BITS:.*]] = arith.trunci %[[PAIR]] : i16 to i8
// CHECK:         %[[OVER:.*]] = arith.cmpf ogt, %{{.*}}, %[[LIMIT]] : f32
// CHECK:         %[[BYTE:.*]] = arith.select %[[OVER]], %[[NAN]], %[[BITS]] : i8
// CHECK:         %[[E4M3:.*]] = arith.bitcast %[[BYTE]] : i8 to f8E4M3FN
// CHECK:         llvm.inline_asm "cvt.rn.satfinite.e5m2x2.f32
// CHECK:         arith.cmpf oge, %{{.*}}, %[[LIMIT2]] : f32
// CHECK:         arith.ori %{{.*}}, %[[INF]] : i8
// CHECK:         %[[E5M2:.*]] = arith.bitcast %{{.*}} : i8 to f8E5M2
// CHECK:         tcgemm.yield %[[E4M3]], %[[E5M2]]
tcgemm.kernel @results <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f8E4M3FN, "mn">, #tcgemm.operand<output, f8E5M2, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to f8E4M3FN
  %1 = arith.truncf %acc : f32 to f8E5M2
  tcgemm.yield %0, %1 : f8E4M3FN, f8E5M2
}

// Arithmetic on FP8 is done in f32.

// CHECK-LABEL: tcgemm.kernel @inputs
// CHECK:       ^bb0(%{{.*}}: f32, %[[IN:.*]]: f8E5M2):
// CHECK:         %[[BYTE:.*]] = arith.bitcast %[[IN]] : f8E5M2 to i8
// CHECK:         %[[WIDE:.*]] = arith.extui %[[BYTE]] : i8 to i16
// CHECK:         llvm.inline_asm "cvt.rn.f16x2.e5m2x2 $0, $1;", "=r,h" %[[WIDE]]
// CHECK:         arith.extf %{{.*}} : f16 to f32
// CHECK:         arith.mulf %{{.*}} : f32
tcgemm.kernel @inputs <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<input, f8E5M2, "mn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32, %in: f8E5M2):
  %0 = arith.mulf %in, %in : f8E5M2
  %1 = arith.extf %0 : f8E5M2 to f32
  %2 = arith.addf %acc, %1 : f32
  tcgemm.yield %2 : f32
}

// A clamp to the largest numbers is what the instructions do, and one to smaller numbers
// leaves nothing to check.

// CHECK-LABEL: tcgemm.kernel @clamped
// CHECK:       ^bb0(%[[ACC:.*]]: f32):
// CHECK-NOT:     arith.maximumf
// CHECK:         llvm.inline_asm "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f" %{{.*}}, %[[ACC]]
// CHECK-NOT:     arith.cmpf
// CHECK:         %[[LOW:.*]] = arith.minimumf
// CHECK:         %[[SMALL:.*]] = arith.maximumf %[[LOW]]
// CHECK:         llvm.inline_asm "cvt.rn.satfinite.e5m2x2.f32 $0, $1, $2;", "=h,f,f" %{{.*}}, %[[SMALL]]
// CHECK-NOT:     arith.cmpf
// CHECK:         tcgemm.yield
tcgemm.kernel @clamped <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f8E4M3FN, "mn">, #tcgemm.operand<output, f8E5M2, "mn">] epilogue {
^bb0(%acc: f32):
  %low = arith.constant -448.0 : f32
  %high = arith.constant 448.0 : f32
  %0 = arith.maximumf %acc, %low : f32
  %1 = arith.minimumf %0, %high : f32
  %2 = arith.truncf %1 : f32 to f8E4M3FN
  %3 = arith.minimumf %acc, %high : f32
  %4 = arith.maximumf %3, %low : f32
  %5 = arith.truncf %4 : f32 to f8E5M2
  tcgemm.yield %2, %5 : f8E4M3FN, f8E5M2
}

// A clamp to larger numbers does not keep NaN and infinity away.

// CHECK-LABEL: tcgemm.kernel @too_wide
// CHECK:         arith.maximumf
// CHECK:         arith.minimumf
// CHECK:         arith.cmpf ogt
tcgemm.kernel @too_wide <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f8E4M3FN, "mn">] epilogue {
^bb0(%acc: f32):
  %low = arith.constant -448.0 : f32
  %high = arith.constant 480.0 : f32
  %0 = arith.maximumf %acc, %low : f32
  %1 = arith.minimumf %0, %high : f32
  %2 = arith.truncf %1 : f32 to f8E4M3FN
  tcgemm.yield %2 : f8E4M3FN
}
