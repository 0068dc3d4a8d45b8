// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles))' \
// RUN:   --split-input-file --verify-diagnostics

// Masks of clusters that the tile level allows and the lowering does not.

!a = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<2, mbarrier, [<96 x 64 x bf16, b128>, <96 x 64 x bf16, b128>]>
gpu.module @module {
  tcgemm.program @span(%map: !tcgemm.tensor_map<!a>, %m: i32) attributes {threads = 256 : i64, chip = "sm_90a", cluster = 4 : i64} {
    %c0 = arith.constant 0 : i32
    %ring = tcgemm.ring.create empty_arrivals 12 : !ring
    tcgemm.role producer warps [0, 4] {
      %start = tcgemm.ring.start %ring : !ring
      %w = tcgemm.ring.acquire %ring, %start : !ring -> !tcgemm.token<write>
      // expected-error @below {{multicast 7 cannot be lowered yet: its CTAs must differ in any combination of some bits of their rank}}
      tcgemm.tma.load %map[%c0, %m] to %ring, %start, %w tile 0 row %c0 multicast 7 : !tcgemm.tensor_map<!a>, !ring, !tcgemm.token<write>
      tcgemm.tma.load %map[%c0, %m] to %ring, %start, %w tile 1 row %c0 multicast 7 : !tcgemm.tensor_map<!a>, !ring, !tcgemm.token<write>
      tcgemm.ring.commit %ring, %w : !ring, !tcgemm.token<write>
      %end = tcgemm.ring.advance %ring, %start : !ring
      tcgemm.ring.await_releases %ring, %end : !ring
    }
    tcgemm.role consumer warps [4, 8] {
      %start = tcgemm.ring.start %ring : !ring
      %r = tcgemm.ring.wait %ring, %start : !ring -> !tcgemm.token<read>
      tcgemm.ring.release %ring, %r arrivals 4 multicast 7 : !ring, !tcgemm.token<read>
    }
    tcgemm.return
  }
}

// -----

// Arrivals that threads cannot be divided into.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<2, mbarrier, [<64 x 64 x bf16, b128>, <64 x 64 x bf16, b128>]>
gpu.module @module {
  tcgemm.program @arrivals(%map: !tcgemm.tensor_map<!a>, %m: i32) attributes {threads = 256 : i64, chip = "sm_90a"} {
    %c0 = arith.constant 0 : i32
    %ring = tcgemm.ring.create empty_arrivals 3 : !ring
    tcgemm.role producer warps [0, 4] {
      %start = tcgemm.ring.start %ring : !ring
      %w = tcgemm.ring.acquire %ring, %start : !ring -> !tcgemm.token<write>
      tcgemm.tma.load %map[%c0, %m] to %ring, %start, %w tile 0 row %c0 : !tcgemm.tensor_map<!a>, !ring, !tcgemm.token<write>
      tcgemm.tma.load %map[%c0, %m] to %ring, %start, %w tile 1 row %c0 : !tcgemm.tensor_map<!a>, !ring, !tcgemm.token<write>
      tcgemm.ring.commit %ring, %w : !ring, !tcgemm.token<write>
    }
    tcgemm.role consumer warps [4, 8] {
      %start = tcgemm.ring.start %ring : !ring
      %r = tcgemm.ring.wait %ring, %start : !ring -> !tcgemm.token<read>
      // expected-error @below {{cannot be lowered yet: 3 arrivals do not divide 128 threads}}
      tcgemm.ring.release %ring, %r arrivals 3 : !ring, !tcgemm.token<read>
    }
    tcgemm.return
  }
}
