// RUN: tcgemm-opt %s -pass-pipeline='builtin.module(tcgemm.kernel(tcgemm-lower-epilogue-math))' | FileCheck %s
// RUN: tcgemm-opt %s -pass-pipeline='builtin.module(tcgemm.kernel(tcgemm-lower-epilogue-math{approx=true}))' | FileCheck %s --check-prefix=APPROX
// RUN: tcgemm-opt %s -tcgemm-lower-epilogue-math | FileCheck %s --check-prefix=MODULE

// On a kernel the epilogue is rewritten; on a module kernels stay as they are.

// CHECK-LABEL: tcgemm.kernel @gelu
// CHECK-NOT:     math.{{erf|tanh|exp}}
// CHECK:         math.fma
// CHECK:         tcgemm.yield
// APPROX-LABEL: tcgemm.kernel @gelu
// APPROX-NOT:    math.tanh
// APPROX:        llvm.inline_asm "tanh.approx.f32 $0, $1;", "=f,f"
// APPROX:        tcgemm.yield
// MODULE-LABEL: tcgemm.kernel @gelu
// MODULE:        math.erf
// MODULE:        math.tanh
tcgemm.kernel @gelu <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = math.erf %acc : f32
  %1 = math.tanh %acc : f32
  %2 = arith.addf %0, %1 : f32
  tcgemm.yield %2 : f32
}

// SiLU: exp over the whole range, by two powers of two. Approximately, with a
// reciprocal, since what divides is at least 1.

// CHECK-LABEL: tcgemm.kernel @silu
// CHECK:         %[[N:.*]] = math.roundeven
// CHECK-COUNT-9: math.fma
// CHECK:         arith.fptosi %[[N]]
// CHECK-COUNT-2: arith.shli
// CHECK:         arith.divf
// APPROX-LABEL: tcgemm.kernel @silu
// APPROX:        %[[NEG:.*]] = arith.negf %[[ACC:.*]] : f32
// APPROX:        %[[LOG2E:.*]] = arith.constant 1.442695
// APPROX:        %[[TWO:.*]] = arith.constant -2.0
// APPROX:        %[[X:.*]] = math.fma %[[NEG]], %[[LOG2E]], %[[TWO]]
// APPROX:        %[[QUARTER:.*]] = arith.constant 2.5
// APPROX:        %[[E:.*]] = llvm.inline_asm "ex2.approx.ftz.f32 $0, $1;", "=f,f" %[[X]]
// APPROX:        %[[S:.*]] = arith.addf %[[E]], %[[QUARTER]]
// APPROX:        %[[R:.*]] = llvm.inline_asm "rcp.approx.ftz.f32 $0, $1;", "=f,f" %[[S]]
// APPROX:        %[[Y:.*]] = arith.mulf %[[ACC]], %[[QUARTER]]
// APPROX:        arith.mulf %[[Y]], %[[R]]
tcgemm.kernel @silu <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  %one = arith.constant 1.0 : f32
  %0 = arith.negf %acc : f32
  %1 = math.exp %0 : f32
  %2 = arith.addf %1, %one : f32
  %3 = arith.divf %acc, %2 : f32
  tcgemm.yield %3 : f32
}

// A product with SiLU that is rounded to bf16: exp by one instruction, whose
// rounded argument is corrected, and a reciprocal.

// CHECK-LABEL: tcgemm.kernel @rounded_silu
// CHECK:         %[[NEG:.*]] = arith.negf %[[ACC:.*]] : f32
// CHECK:         arith.maximumf %[[NEG]]
// CHECK:         %[[X:.*]] = arith.minimumf
// CHECK:         %[[P:.*]] = arith.mulf %[[X]]
// CHECK:         %[[HIGH:.*]] = math.fma %[[P]], %{{.*}}, %[[X]]
// CHECK:         %[[REST:.*]] = math.fma %[[P]], %{{.*}}, %[[HIGH]]
// CHECK:         %[[E:.*]] = llvm.inline_asm "ex2.approx.ftz.f32 $0, $1;", "=f,f" %[[P]]
// CHECK:         %[[POWER:.*]] = math.fma %[[E]], %[[REST]], %[[E]]
// CHECK:         %[[QUARTER:.*]] = arith.constant 2.5
// CHECK:         %[[S:.*]] = math.fma %[[POWER]], %[[QUARTER]], %[[QUARTER]]
// CHECK:         %[[R:.*]] = llvm.inline_asm "rcp.approx.ftz.f32 $0, $1;", "=f,f" %[[S]]
// CHECK:         %[[Y:.*]] = arith.mulf %[[ACC]], %[[QUARTER]]
// CHECK:         %[[SILU:.*]] = arith.mulf %[[Y]], %[[R]]
// CHECK:         arith.mulf %[[SILU]], %[[ACC]]
// CHECK-NOT:     arith.divf
// APPROX-LABEL: tcgemm.kernel @rounded_silu
// APPROX-NOT:    arith.minimumf
tcgemm.kernel @rounded_silu <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %one = arith.constant 1.0 : f32
  %0 = arith.negf %acc : f32
  %1 = math.exp %0 : f32
  %2 = arith.addf %1, %one : f32
  %3 = arith.divf %acc, %2 : f32
  %4 = arith.mulf %3, %acc : f32
  %5 = arith.truncf %4 : f32 to bf16
  tcgemm.yield %5 : bf16
}

// Not 1 but -2 is added: the divisor may be small or 0.

// CHECK-LABEL: tcgemm.kernel @not_a_sigmoid
// APPROX-LABEL: tcgemm.kernel @not_a_sigmoid
// APPROX:        llvm.inline_asm "ex2.approx.f32 $0, $1;", "=f,f"
// APPROX:        llvm.inline_asm "div.full.f32 $0, $1, $2;", "=f,f,f"
tcgemm.kernel @not_a_sigmoid <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  %two = arith.constant -2.0 : f32
  %0 = arith.negf %acc : f32
  %1 = math.exp %0 : f32
  %2 = arith.addf %1, %two : f32
  %3 = arith.divf %acc, %2 : f32
  tcgemm.yield %3 : f32
}

// Arithmetic on bf16 is done in f32; casts and selections stay.

// CHECK-LABEL: tcgemm.kernel @narrow
// CHECK:         %[[X:.*]] = arith.truncf %{{.*}} : f32 to bf16
// CHECK:         %[[XF:.*]] = arith.extf %[[X]] : bf16 to f32
// CHECK:         %[[BF:.*]] = arith.extf %{{.*}} : bf16 to f32
// CHECK:         %[[S:.*]] = arith.addf %[[XF]], %[[BF]] : f32
// CHECK:         %[[SB:.*]] = arith.truncf %[[S]] : f32 to bf16
// CHECK:         arith.cmpf ogt, %{{.*}}, %{{.*}} : f32
// CHECK:         arith.select %{{.*}}, %{{.*}}, %{{.*}} : bf16
// CHECK-NOT:     math.exp
// CHECK:         tcgemm.yield
tcgemm.kernel @narrow <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<input, bf16, "n">, #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32, %bias: bf16):
  %0 = arith.truncf %acc : f32 to bf16
  %1 = arith.addf %0, %bias : bf16
  %2 = arith.cmpf ogt, %1, %bias : bf16
  %3 = arith.select %2, %1, %bias : bf16
  %4 = math.exp %3 : bf16
  tcgemm.yield %4 : bf16
}

// Everything at once: only what the GPU has instructions for is left.

// CHECK-LABEL: tcgemm.kernel @all
// CHECK-NOT:     math.{{acos|asin|atan|cbrt|clampf|cos|erf|exp|log|pow|rsqrt|sin|tan}}
// CHECK:         tcgemm.yield
tcgemm.kernel @all <1x?x?x?> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = math.acos %acc : f32
  %1 = math.acosh %0 : f32
  %2 = math.asin %1 : f32
  %3 = math.asinh %2 : f32
  %4 = math.atan %3 : f32
  %5 = math.atan2 %4, %acc : f32
  %6 = math.atanh %5 : f32
  %7 = math.cbrt %6 : f32
  %8 = math.cos %7 : f32
  %9 = math.cosh %8 : f32
  %10 = math.erf %9 : f32
  %11 = math.erfc %10 : f32
  %12 = math.exp %11 : f32
  %13 = math.exp2 %12 : f32
  %14 = math.expm1 %13 : f32
  %15 = math.log %14 : f32
  %16 = math.log10 %15 : f32
  %17 = math.log1p %16 : f32
  %18 = math.log2 %17 : f32
  %19 = math.powf %18, %acc : f32
  %20 = math.rsqrt %19 : f32
  %21 = math.sin %20 : f32
  %22 = math.sinh %21 : f32
  %23 = math.tan %22 : f32
  %24 = math.tanh %23 : f32
  %25, %26 = math.sincos %24 : f32
  %27 = math.clampf %25 to [%26, %acc] : f32
  tcgemm.yield %27 : f32
}

// A device module's math is rewritten, whatever holds it; the host's is not.

// MODULE-LABEL: gpu.module @programs
// MODULE-NOT:    math.exp
// MODULE-LABEL: func.func @host
// MODULE:        math.exp
gpu.module @programs {
  gpu.func @program(%x: f32, %p: memref<f32>) kernel {
    %0 = math.exp %x : f32
    memref.store %0, %p[] : memref<f32>
    gpu.return
  }
}
func.func @host(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  return %0 : f32
}
