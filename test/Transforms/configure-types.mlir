// RUN: tcgemm-opt %s --tcgemm-configure --split-input-file | FileCheck %s
// RUN: not tcgemm-opt %s --tcgemm-configure="config=schedule=simt" --split-input-file 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SIMT
// RUN: not tcgemm-opt %s --tcgemm-configure="config=schedule=wmma" --split-input-file 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WMMA

// Schedules that only a user chooses, for types that other schedules multiply faster.

// SIMT: error: illegal config: elements of A and B are tf32 and tf32, but schedule simt takes
// WMMA: error: illegal config: elements of A and B are i8 and ui8, but schedule wmma takes

// Tensor cores multiply integers faster. Who asks for schedule simt gets tiles that
// are not transposed, whose rows are whole vectors.
// CHECK-LABEL: tcgemm.kernel @bytes
// CHECK: schedule = mma_sync
// SIMT-LABEL: tcgemm.kernel @bytes
// SIMT: config = #tcgemm.config<schedule = simt, cta = [{{[0-9]+}}, {{[0-9]+}}, {{32|64}}]
// SIMT-SAME: transpose_staging = false
tcgemm.kernel @bytes <1x1024x1024x1024>
    [#tcgemm.operand<a, i8, "mk">, #tcgemm.operand<b, ui8, "nk">,
     #tcgemm.operand<output, i32, "mn">] epilogue {
^bb0(%acc: i32):
  tcgemm.yield %acc : i32
}

// -----

// The instruction of tf32 has a depth of its own.
// CHECK-LABEL: tcgemm.kernel @rounded
// CHECK: schedule = mma_sync
// WMMA-LABEL: tcgemm.kernel @rounded
// WMMA: config = #tcgemm.config<schedule = wmma,
// WMMA-SAME: instruction = [16, 16, 8]
tcgemm.kernel @rounded <1x1024x1024x1024>
    [#tcgemm.operand<a, tf32, "mk">, #tcgemm.operand<b, tf32, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}
