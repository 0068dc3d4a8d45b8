// RUN: tcgemm-opt %s -split-input-file -verify-diagnostics

!ring = !tcgemm.ring<2, mbarrier, [<64 x 64 x bf16, b128>, <64 x 64 x bf16, b128>]>
tcgemm.program @tile(%k: i32) attributes {threads = 256 : i64, chip = "sm_90a"} {
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role consumer warps [4, 8] {
    %state = tcgemm.ring.start %ring : !ring
    %read = tcgemm.ring.wait %ring, %state : !ring -> <read>
    // expected-error @+1 {{has the tile 2, but a stage has 2}}
    tcgemm.ring.mask %ring, %state, %read tile 2 at %k, %k <"lower"> : !ring, <read>
    tcgemm.ring.release %ring, %read arrivals 4 : !ring, <read>
  }
  tcgemm.return
}

// -----

!ring = !tcgemm.ring<2, mbarrier, [<64 x 64 x bf16, b128>]>
tcgemm.program @stack(%k: i32) attributes {threads = 256 : i64, chip = "sm_90a"} {
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role consumer warps [4, 8] {
    %state = tcgemm.ring.start %ring : !ring
    %read = tcgemm.ring.wait %ring, %state : !ring -> <read>
    // expected-error @+1 {{has boxes of 48 rows, but the tile has 64}}
    tcgemm.ring.mask %ring, %state, %read tile 0 stack 48 at %k, %k <"lower"> : !ring, <read>
    tcgemm.ring.release %ring, %read arrivals 4 : !ring, <read>
  }
  tcgemm.return
}

// -----

!ring = !tcgemm.ring<2, mbarrier, [<64 x 64 x bf16, b128>]>
tcgemm.program @writer(%k: i32) attributes {threads = 256 : i64, chip = "sm_90a"} {
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role producer warps [0, 4] {
    %state = tcgemm.ring.start %ring : !ring
    %write = tcgemm.ring.acquire %ring, %state : !ring -> <write>
    // expected-error @+1 {{needs a token of kind read, but got write}}
    tcgemm.ring.mask %ring, %state, %write tile 0 at %k, %k <"lower"> : !ring, <write>
    tcgemm.ring.commit %ring, %write : !ring, <write>
  }
  tcgemm.return
}

// -----

// tcgemm.ring.trim has the same rules.
!ring = !tcgemm.ring<2, mbarrier, [<64 x 64 x bf16, b128>]>
tcgemm.program @trim(%left: i32) attributes {threads = 256 : i64, chip = "sm_90a"} {
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role consumer warps [4, 8] {
    %state = tcgemm.ring.start %ring : !ring
    %read = tcgemm.ring.wait %ring, %state : !ring -> <read>
    // expected-error @+1 {{has boxes of 48 rows, but the tile has 64}}
    tcgemm.ring.trim %ring, %state, %read tile 0 stack 48 left %left : !ring, <read>
    tcgemm.ring.release %ring, %read arrivals 4 : !ring, <read>
  }
  tcgemm.return
}

// -----

!ring = !tcgemm.ring<2, mbarrier, [<64 x 64 x bf16, b128>]>
tcgemm.program @trim_writer(%left: i32) attributes {threads = 256 : i64, chip = "sm_90a"} {
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role producer warps [0, 4] {
    %state = tcgemm.ring.start %ring : !ring
    %write = tcgemm.ring.acquire %ring, %state : !ring -> <write>
    // expected-error @+1 {{needs a token of kind read, but got write}}
    tcgemm.ring.trim %ring, %state, %write tile 0 left %left : !ring, <write>
    tcgemm.ring.commit %ring, %write : !ring, <write>
  }
  tcgemm.return
}
