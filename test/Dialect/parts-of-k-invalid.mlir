// RUN: tcgemm-opt %s -split-input-file -verify-diagnostics

// A part of its own.

tcgemm.program @one()
    attributes {threads = 128 : i64, chip = "sm_90a"} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    // expected-error @below {{must be of at least 2 parts, but is of 1}}
    %sum = tcgemm.acc.receive %acc of 1 : !tcgemm.acc<64 x 16, wgmma>
  }
  tcgemm.return
}

// -----

// Part 0 receives.

tcgemm.program @first()
    attributes {threads = 128 : i64, chip = "sm_90a"} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    // expected-error @below {{sends part 0, but the parts that send are 1 to 1}}
    tcgemm.acc.send %acc part 0 of 2 : !tcgemm.acc<64 x 16, wgmma>
  }
  tcgemm.return
}

// -----

// Accumulators of mma_sync have other owners.

tcgemm.program @layout()
    attributes {threads = 128 : i64, chip = "sm_90a"} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<16 x 8, mma_sync>
    // expected-error @below {{takes a complete wgmma accumulator of 32 bits, but not a}}
    tcgemm.acc.send %acc part 1 of 2 : !tcgemm.acc<16 x 8, mma_sync>
  }
  tcgemm.return
}

// -----

// No role receives.

tcgemm.program @unheard()
    attributes {threads = 128 : i64, chip = "sm_90a"} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    // expected-error @below {{has no acc.receive in its program}}
    tcgemm.acc.send %acc part 1 of 2 : !tcgemm.acc<64 x 16, wgmma>
  }
  tcgemm.return
}

// -----

// No role sends.

tcgemm.program @silent()
    attributes {threads = 128 : i64, chip = "sm_90a"} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    // expected-error @below {{adds 2 parts, but 1 roles have one}}
    %sum = tcgemm.acc.receive %acc of 2 : !tcgemm.acc<64 x 16, wgmma>
  }
  tcgemm.return
}

// -----

// Two roles send the same part.

tcgemm.program @twice()
    attributes {threads = 384 : i64, chip = "sm_90a"} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    %sum = tcgemm.acc.receive %acc of 3 : !tcgemm.acc<64 x 16, wgmma>
  }
  tcgemm.role consumer warps [4, 8] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    tcgemm.acc.send %acc part 1 of 3 : !tcgemm.acc<64 x 16, wgmma>
  }
  tcgemm.role consumer warps [8, 12] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    // expected-error @below {{sends part 1, which another one sends}}
    tcgemm.acc.send %acc part 1 of 3 : !tcgemm.acc<64 x 16, wgmma>
  }
  tcgemm.return
}

// -----

// A role has one part.

tcgemm.program @both()
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    %sum = tcgemm.acc.receive %acc of 3 : !tcgemm.acc<64 x 16, wgmma>
  }
  tcgemm.role consumer warps [4, 8] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    tcgemm.acc.send %acc part 1 of 3 : !tcgemm.acc<64 x 16, wgmma>
    // expected-error @below {{is in a role of another part}}
    tcgemm.acc.send %acc part 2 of 3 : !tcgemm.acc<64 x 16, wgmma>
  }
  tcgemm.return
}

// -----

// Two roles receive.

tcgemm.program @receivers()
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    %sum = tcgemm.acc.receive %acc of 2 : !tcgemm.acc<64 x 16, wgmma>
  }
  tcgemm.role consumer warps [4, 8] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    // expected-error @below {{is the program's second one}}
    %sum = tcgemm.acc.receive %acc of 2 : !tcgemm.acc<64 x 16, wgmma>
  }
  tcgemm.return
}

// -----

// Roles that differ in size.

tcgemm.program @sizes()
    attributes {threads = 384 : i64, chip = "sm_90a"} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    %sum = tcgemm.acc.receive %acc of 2 : !tcgemm.acc<64 x 16, wgmma>
  }
  tcgemm.role consumer warps [4, 12] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    // expected-error @below {{is in a role of 8 warps, but the role that receives has 4}}
    tcgemm.acc.send %acc part 1 of 2 : !tcgemm.acc<64 x 16, wgmma>
  }
  tcgemm.return
}

// -----

// Accumulators that differ.

tcgemm.program @types()
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    %sum = tcgemm.acc.receive %acc of 2 : !tcgemm.acc<64 x 16, wgmma>
  }
  tcgemm.role consumer warps [4, 8] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 8, wgmma>
    // expected-error @below {{sends a }}
    tcgemm.acc.send %acc part 1 of 2 : !tcgemm.acc<64 x 8, wgmma>
  }
  tcgemm.return
}

// -----

// The barrier and the memory are for one exchange.

tcgemm.program @loop()
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    %sum = tcgemm.acc.receive %acc of 2 : !tcgemm.acc<64 x 16, wgmma>
  }
  tcgemm.role consumer warps [4, 8] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    scf.for %i = %c0 to %c1 step %c1 : i32 {
      // expected-error @below {{must run once, but is in a loop or a branch}}
      tcgemm.acc.send %acc part 1 of 2 : !tcgemm.acc<64 x 16, wgmma>
    }
  }
  tcgemm.return
}

// -----

// No role.

tcgemm.program @no_role()
    attributes {threads = 128 : i64, chip = "sm_90a"} {
  %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
  // expected-error @below {{must be for all threads of a consumer role}}
  %sum = tcgemm.acc.receive %acc of 2 : !tcgemm.acc<64 x 16, wgmma>
  tcgemm.return
}

// -----

// Order barriers use the barrier of the exchange.

tcgemm.program @order()
    attributes {threads = 256 : i64, chip = "sm_90a"} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    tcgemm.order.wait turn 0 threads 256
    // expected-error @below {{cannot be in a program with order barriers}}
    %sum = tcgemm.acc.receive %acc of 2 : !tcgemm.acc<64 x 16, wgmma>
  }
  tcgemm.role consumer warps [4, 8] {
    tcgemm.order.arrive turn 0 threads 256
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
    tcgemm.acc.send %acc part 1 of 2 : !tcgemm.acc<64 x 16, wgmma>
  }
  tcgemm.return
}
