// RUN: tcgemm-opt %s -split-input-file -verify-diagnostics

// A read ahead of the wait.

!out = memref<?xf32, #gpu.address_space<global>>
tcgemm.program @early(%in: !out) attributes {threads = 32 : i64, chip = "sm_90"} {
  %at = arith.constant 0 : index
  // expected-error @below {{accesses global memory before the grid.wait: the grids that this one depends on may still run}}
  %x = memref.load %in[%at] : !out
  tcgemm.grid.wait
  memref.store %x, %in[%at] : !out
  tcgemm.return
}

// -----

// Another role's wait does not count.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a]>
!out = memref<?xf32, #gpu.address_space<global>>
tcgemm.program @other(%out: !out) attributes {threads = 256 : i64, chip = "sm_90a"} {
  tcgemm.role producer warps [0, 4] registers 24 {
    tcgemm.grid.wait
  }
  tcgemm.role consumer warps [4, 8] registers 240 {
    %at = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    // expected-error @below {{accesses global memory before the grid.wait}}
    memref.store %one, %out[%at] : !out
  }
  tcgemm.return
}

// -----

// Not all threads come past a wait in a branch.

tcgemm.program @branch(%runs: i1) attributes {threads = 32 : i64, chip = "sm_90"} {
  scf.if %runs {
    // expected-error @below {{must be in the program's own block, or a role's}}
    tcgemm.grid.wait
  }
  tcgemm.return
}

// -----

// Whoever waits for this grid's end would take it for that of those ahead.

tcgemm.program @chain() attributes {threads = 32 : i64, chip = "sm_90"} {
  // expected-error @below {{lets other grids start, but the program has no grid.wait: it might end before the preceding grids}}
  tcgemm.grid.launch_dependents
  tcgemm.return
}
