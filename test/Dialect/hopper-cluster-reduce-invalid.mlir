// RUN: tcgemm-opt %s -split-input-file -verify-diagnostics

// 24 columns are no multiple of 16.

tcgemm.program @unequal(%rank: i32)
    attributes {threads = 128 : i64, chip = "sm_90a", cluster = 4 : i64} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 24, wgmma>
    // expected-error @below {{must give an equal part, of a multiple of 8, of the columns of a wgmma accumulator, but takes a}}
    %sum = tcgemm.acc.cluster_reduce %acc rank %rank of 4 : !tcgemm.acc<64 x 24, wgmma> -> !tcgemm.acc<64 x 16, wgmma>
  }
  tcgemm.return
}

// -----

// Sums are over powers of two.

tcgemm.program @three(%rank: i32)
    attributes {threads = 128 : i64, chip = "sm_90a", cluster = 4 : i64} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    // expected-error @below {{must be over a power of two of CTAs, at least 2, whose ranks are a power of two apart, but is over 3, 1 apart}}
    %sum = tcgemm.acc.cluster_reduce %acc rank %rank of 3 : !tcgemm.acc<64 x 16, wgmma> -> !tcgemm.acc<64 x 8, wgmma>
  }
  tcgemm.return
}

// -----

// So are the distances of ranks.

tcgemm.program @apart(%rank: i32)
    attributes {threads = 128 : i64, chip = "sm_90a", cluster = 8 : i64} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    // expected-error @below {{but is over 2, 3 apart}}
    %sum = tcgemm.acc.cluster_reduce %acc rank %rank of 2 stride 3 : !tcgemm.acc<64 x 16, wgmma> -> !tcgemm.acc<64 x 8, wgmma>
  }
  tcgemm.return
}

// -----

// A part without an owner.

tcgemm.program @parts(%rank: i32)
    attributes {threads = 128 : i64, chip = "sm_90a", cluster = 4 : i64} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 32, wgmma>
    // expected-error @below {{has 4 parts, but 2 CTAs}}
    %sum = tcgemm.acc.cluster_reduce %acc rank %rank of 2 : !tcgemm.acc<64 x 32, wgmma> -> !tcgemm.acc<64 x 8, wgmma>
  }
  tcgemm.return
}

// -----

// Ranks beyond the cluster.

tcgemm.program @span(%rank: i32)
    attributes {threads = 128 : i64, chip = "sm_90a", cluster = 4 : i64} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    // expected-error @below {{is over 8 ranks of a cluster of 4}}
    %sum = tcgemm.acc.cluster_reduce %acc rank %rank of 4 stride 2 : !tcgemm.acc<64 x 16, wgmma> -> !tcgemm.acc<64 x 8, wgmma>
  }
  tcgemm.return
}

// -----

// Threads without a role.

tcgemm.program @everyone(%rank: i32)
    attributes {threads = 128 : i64, chip = "sm_90a", cluster = 4 : i64} {
  %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
  // expected-error @below {{must be for all threads of a consumer role}}
  %sum = tcgemm.acc.cluster_reduce %acc rank %rank of 4 : !tcgemm.acc<64 x 16, wgmma> -> !tcgemm.acc<64 x 8, wgmma>
  tcgemm.return
}

// -----

// A producer has one thread.

tcgemm.program @producer(%rank: i32)
    attributes {threads = 128 : i64, chip = "sm_90a", cluster = 4 : i64} {
  tcgemm.role producer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    // expected-error @below {{must be for all threads of a consumer role}}
    %sum = tcgemm.acc.cluster_reduce %acc rank %rank of 4 : !tcgemm.acc<64 x 16, wgmma> -> !tcgemm.acc<64 x 8, wgmma>
  }
  tcgemm.return
}

// -----

// So has this.

tcgemm.program @elect(%rank: i32)
    attributes {threads = 128 : i64, chip = "sm_90a", cluster = 4 : i64} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    tcgemm.elect {
      // expected-error @below {{must be for all threads of a consumer role}}
      %sum = tcgemm.acc.cluster_reduce %acc rank %rank of 4 : !tcgemm.acc<64 x 16, wgmma> -> !tcgemm.acc<64 x 8, wgmma>
    }
  }
  tcgemm.return
}

// -----

// The barrier of the exchange has one phase.

tcgemm.program @loop(%rank: i32)
    attributes {threads = 128 : i64, chip = "sm_90a", cluster = 4 : i64} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    scf.for %i = %rank to %rank step %rank : i32 {
      // expected-error @below {{must run once, but is in a loop or a branch}}
      %sum = tcgemm.acc.cluster_reduce %acc rank %rank of 4 : !tcgemm.acc<64 x 16, wgmma> -> !tcgemm.acc<64 x 8, wgmma>
    }
  }
  tcgemm.return
}

// -----

// Those who send do not know who takes the branch.

tcgemm.program @branch(%rank: i32, %runs: i1)
    attributes {threads = 128 : i64, chip = "sm_90a", cluster = 4 : i64} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    scf.if %runs {
      // expected-error @below {{must run once, but is in a loop or a branch}}
      %sum = tcgemm.acc.cluster_reduce %acc rank %rank of 4 : !tcgemm.acc<64 x 16, wgmma> -> !tcgemm.acc<64 x 8, wgmma>
    }
  }
  tcgemm.return
}
