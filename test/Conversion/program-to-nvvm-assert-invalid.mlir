// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-program-to-nvvm))' \
// RUN:   --split-input-file --verify-diagnostics

// A call of another function of this name would not end the launch.

gpu.module @other {
  llvm.func @__assertfail(i32)
  tcgemm.program @other(%holds: i1) attributes {threads = 32 : i64, chip = "sm_90a"} {
    // expected-error @below {{failed to legalize operation 'cf.assert'}}
    cf.assert %holds, "the argument"
    tcgemm.return
  }
}
