// RUN: tcgemm-opt %s --tcgemm-configure --tcgemm-schedule --tcgemm-trace-programs --split-input-file --verify-diagnostics
// RUN: not tcgemm-opt %s --tcgemm-trace-programs 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not tcgemm-opt --tcgemm-trace-programs="ctas=1,1" %s 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tcgemm-opt --tcgemm-trace-programs="events=0" %s 2>&1 | FileCheck %s --check-prefix=NONE

// EARLY: error: 'tcgemm.kernel' op has no configuration: run tcgemm-configure and tcgemm-schedule before tcgemm-trace-programs
// TWICE: error: tcgemm-trace-programs: the CTA 1 of a trace is given twice
// NONE: error: tcgemm-trace-programs: a trace has room for 1 to 65536 events of a role, but 0 is given

// expected-error @below {{has schedule mma_sync, whose programs write no trace; schedules that do: wgmma}}
tcgemm.kernel @without <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
}
