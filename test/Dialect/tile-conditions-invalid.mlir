// RUN: tcgemm-opt %s -split-input-file -verify-diagnostics

// Copies into a stage that a condition may leave out, and what may not be. The
// acquire announces the bytes, so that it must know the condition.

!map = !tcgemm.tensor_map<!tcgemm.tile<64 x 64 x bf16, b128>>
!ring = !tcgemm.ring<1, mbarrier, [!tcgemm.tile<128 x 64 x bf16, b128>, !tcgemm.tile<64 x 64 x bf16, b128>]>
!read = !tcgemm.token<read>
!write = !tcgemm.token<write>

tcgemm.program @good(%map: !map, %beta: f32) attributes {threads = 128 : i64, chip = "sm_90a"} {
  %zero = arith.constant 0 : i32
  %row = arith.constant 64 : i32
  %none = arith.constant 0.0 : f32
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role consumer warps [0, 4] {
    %first = tcgemm.ring.start %ring : !ring
    tcgemm.elect {
      %used = arith.cmpf une, %beta, %none : f32
      %w = tcgemm.ring.acquire %ring, %first : !ring -> !write
      scf.if %used {
        tcgemm.tma.load %map[%zero, %zero] to %ring, %first, %w tile 0 : !map, !ring, !write
        tcgemm.tma.load %map[%row, %zero] to %ring, %first, %w tile 0 row %row : !map, !ring, !write
      }
      tcgemm.tma.load %map[%zero, %zero] to %ring, %first, %w tile 1 : !map, !ring, !write
      tcgemm.ring.commit %ring, %w : !ring, !write
    }
    %r = tcgemm.ring.wait %ring, %first : !ring -> !read
    tcgemm.ring.release %ring, %r arrivals 4 : !ring, !read
  }
  tcgemm.return
}

// -----

!map = !tcgemm.tensor_map<!tcgemm.tile<64 x 64 x bf16, b128>>
!ring = !tcgemm.ring<1, mbarrier, [!tcgemm.tile<128 x 64 x bf16, b128>]>
!read = !tcgemm.token<read>
!write = !tcgemm.token<write>

tcgemm.program @half_of_a_tile(%map: !map, %used: i1) attributes {threads = 128 : i64, chip = "sm_90a"} {
  %zero = arith.constant 0 : i32
  %row = arith.constant 64 : i32
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role consumer warps [0, 4] {
    %first = tcgemm.ring.start %ring : !ring
    tcgemm.elect {
      %w = tcgemm.ring.acquire %ring, %first : !ring -> !write
      // expected-error @below {{transaction count is unknown: its condition is not that of other copies into tile 0}}
      tcgemm.tma.load %map[%zero, %zero] to %ring, %first, %w tile 0 : !map, !ring, !write
      scf.if %used {
        tcgemm.tma.load %map[%row, %zero] to %ring, %first, %w tile 0 row %row : !map, !ring, !write
      }
      tcgemm.ring.commit %ring, %w : !ring, !write
    }
    %r = tcgemm.ring.wait %ring, %first : !ring -> !read
    tcgemm.ring.release %ring, %r arrivals 4 : !ring, !read
  }
  tcgemm.return
}

// -----

!map = !tcgemm.tensor_map<!tcgemm.tile<64 x 64 x bf16, b128>>
!ring = !tcgemm.ring<1, mbarrier, [!tcgemm.tile<128 x 64 x bf16, b128>]>
!read = !tcgemm.token<read>
!write = !tcgemm.token<write>

tcgemm.program @few_bytes(%map: !map, %used: i1) attributes {threads = 128 : i64, chip = "sm_90a"} {
  %zero = arith.constant 0 : i32
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role consumer warps [0, 4] {
    %first = tcgemm.ring.start %ring : !ring
    tcgemm.elect {
      %w = tcgemm.ring.acquire %ring, %first : !ring -> !write
      scf.if %used {
        tcgemm.tma.load %map[%zero, %zero] to %ring, %first, %w tile 0 : !map, !ring, !write
      }
      // expected-error @below {{transaction count is wrong: tile 0 of the stage has 16384 bytes, but its copies bring 8192}}
      tcgemm.ring.commit %ring, %w : !ring, !write
    }
    %r = tcgemm.ring.wait %ring, %first : !ring -> !read
    tcgemm.ring.release %ring, %r arrivals 4 : !ring, !read
  }
  tcgemm.return
}

// -----

!map = !tcgemm.tensor_map<!tcgemm.tile<64 x 64 x bf16, b128>>
!ring = !tcgemm.ring<1, mbarrier, [!tcgemm.tile<64 x 64 x bf16, b128>]>
!read = !tcgemm.token<read>
!write = !tcgemm.token<write>

tcgemm.program @late(%map: !map, %beta: f32) attributes {threads = 128 : i64, chip = "sm_90a"} {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0.0 : f32
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role consumer warps [0, 4] {
    %first = tcgemm.ring.start %ring : !ring
    tcgemm.elect {
      %w = tcgemm.ring.acquire %ring, %first : !ring -> !write
      %used = arith.cmpf une, %beta, %none : f32
      scf.if %used {
        // expected-error @below {{has a condition that is defined after the ring.acquire, which announces its bytes}}
        tcgemm.tma.load %map[%zero, %zero] to %ring, %first, %w tile 0 : !map, !ring, !write
      }
      tcgemm.ring.commit %ring, %w : !ring, !write
    }
    %r = tcgemm.ring.wait %ring, %first : !ring -> !read
    tcgemm.ring.release %ring, %r arrivals 4 : !ring, !read
  }
  tcgemm.return
}

// -----

!map = !tcgemm.tensor_map<!tcgemm.tile<64 x 64 x bf16, b128>>
!ring = !tcgemm.ring<1, mbarrier, [!tcgemm.tile<64 x 64 x bf16, b128>]>
!read = !tcgemm.token<read>
!write = !tcgemm.token<write>

tcgemm.program @otherwise(%map: !map, %used: i1) attributes {threads = 128 : i64, chip = "sm_90a"} {
  %zero = arith.constant 0 : i32
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role consumer warps [0, 4] {
    %first = tcgemm.ring.start %ring : !ring
    tcgemm.elect {
      %w = tcgemm.ring.acquire %ring, %first : !ring -> !write
      scf.if %used {
      } else {
        // expected-error @below {{is in an else branch, but the ring.acquire announces the bytes of then branches only}}
        tcgemm.tma.load %map[%zero, %zero] to %ring, %first, %w tile 0 : !map, !ring, !write
      }
      tcgemm.ring.commit %ring, %w : !ring, !write
    }
    %r = tcgemm.ring.wait %ring, %first : !ring -> !read
    tcgemm.ring.release %ring, %r arrivals 4 : !ring, !read
  }
  tcgemm.return
}

// -----

!map = !tcgemm.tensor_map<!tcgemm.tile<64 x 64 x bf16, b128>>
!ring = !tcgemm.ring<2, mbarrier, [!tcgemm.tile<128 x 64 x bf16, b128>]>
!read = !tcgemm.token<read>
!write = !tcgemm.token<write>

tcgemm.program @of_others(%map: !map, %used: i1) attributes {threads = 256 : i64, cluster = 2 : i64, chip = "sm_90a"} {
  %zero = arith.constant 0 : i32
  %ring = tcgemm.ring.create empty_arrivals 8 : !ring
  tcgemm.role producer warps [0, 4] {
    %first = tcgemm.ring.start %ring : !ring
    %w = tcgemm.ring.acquire %ring, %first : !ring -> !write
    scf.if %used {
      // expected-error @below {{has a condition, but multicast 3: other CTAs expect its bytes}}
      tcgemm.tma.load %map[%zero, %zero] to %ring, %first, %w tile 0 multicast 3 : !map, !ring, !write
    }
    tcgemm.ring.commit %ring, %w : !ring, !write
    %end = tcgemm.ring.advance %ring, %first : !ring
    tcgemm.ring.await_releases %ring, %end : !ring
  }
  tcgemm.role consumer warps [4, 8] {
    %first = tcgemm.ring.start %ring : !ring
    %r = tcgemm.ring.wait %ring, %first : !ring -> !read
    tcgemm.ring.release %ring, %r arrivals 4 multicast 3 : !ring, !read
  }
  tcgemm.return
}
