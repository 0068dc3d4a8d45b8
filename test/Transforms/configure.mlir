// RUN: tcgemm-opt %s --tcgemm-configure | FileCheck %s
// RUN: tcgemm-opt %s --tcgemm-configure="chip=sm_86" \
// RUN:   | FileCheck %s --check-prefix=SM86
// RUN: tcgemm-opt %s --tcgemm-configure="config=cta=64x64x32,warps=2x2x1 size-hint=128x256x512" \
// RUN:   | FileCheck %s --check-prefix=FIXED
// RUN: tcgemm-opt %s --tcgemm-configure --remarks-filter-analyse=tcgemm-configure \
// RUN:   --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// The default model: large tiles where they fill the chip, small ones and
// slices of k where they do not.

// CHECK-LABEL: tcgemm.kernel @square
// CHECK: chip = "sm_90"
// CHECK-SAME: cta = [128, 256, 64], warps = [2, 4, 1]
// CHECK-SAME: stages = 4
// CHECK-SAME: provided
// SM86-LABEL: tcgemm.kernel @square
// SM86: chip = "sm_86"
// SM86-SAME: config = #tcgemm.config<schedule = mma_sync, epilogue = staged>
// FIXED-LABEL: tcgemm.kernel @square
// FIXED: cta = [64, 64, 32]
// FIXED-NOT: provided
// REMARK: Provider="default model"
tcgemm.kernel @square <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}

// Sizes that are not known count as 4096, or as the hint says.
// CHECK-LABEL: tcgemm.kernel @dynamic
// CHECK: cta = [128, 256, 64]
// FIXED-LABEL: tcgemm.kernel @dynamic
// FIXED: size_hint = array<i64: 1, 128, 256, 512>
tcgemm.kernel @dynamic <1x?x?x?>
    [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "kn">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// CHECK-LABEL: tcgemm.kernel @hinted
// CHECK: cta = [64, 64, 64]
// CHECK-SAME: split_k = 8
tcgemm.kernel @hinted <1x?x?x?>
    [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "kn">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {size_hint = array<i64: 1, 256, 256, 8192>}

// CHECK-LABEL: tcgemm.kernel @skinny
// CHECK: cta = [128, 16, 64], warps = [4, 1, 1]
// CHECK-SAME: split_k = {{[0-9]+}}
tcgemm.kernel @skinny <1x1024x16x500000>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// CHECK-LABEL: tcgemm.kernel @row
// CHECK: cta = [16, {{64|128}}, {{64|128}}], warps = [1, 4, 1]
tcgemm.kernel @row <1x5x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// A kernel's own configuration and chip stay.
// CHECK-LABEL: tcgemm.kernel @given
// CHECK: chip = "sm_80"
// CHECK-SAME: stages = 2
// SM86-LABEL: tcgemm.kernel @given
// SM86: chip = "sm_80"
tcgemm.kernel @given <1x64x64x64>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_80", config = #tcgemm.config<stages = 2>}

// Rows of an odd multiple of 16 bytes.
// CHECK-LABEL: tcgemm.kernel @odd_rows
// CHECK: shared = sectors
tcgemm.kernel @odd_rows <1x1000x1000x1000>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}

// Rows across k do not start where K puts them.
// CHECK-LABEL: tcgemm.kernel @odd_k
// CHECK-NOT: shared = sectors
// CHECK: tcgemm.yield
tcgemm.kernel @odd_k <1x1000x1000x1000>
    [#tcgemm.operand<a, bf16, "km">, #tcgemm.operand<b, bf16, "kn">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}
