// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles))' \
// RUN:   | FileCheck %s

// If k runs along columns, each element of a chunk is compared with the number of elements
// that are left. If k runs along the rows of boxes, each chunk is compared as a whole.

!ring = !tcgemm.ring<2, mbarrier, [<64 x 64 x bf16, b128>, <128 x 64 x bf16, b128>]>
gpu.module @module {
  // CHECK-LABEL: tcgemm.program @trim(
  // CHECK-SAME:    %[[LEFT:.*]]: i32
  // CHECK: scf.for %{{.*}} = %{{.*}} to %c4
  // CHECK: %[[OLD:.*]] = llvm.load %[[AT:.*]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xi16>
  // CHECK: arith.cmpi slt, %{{.*}}, %[[LEFT]]
  // CHECK: vector.extract %[[OLD]][0]
  // CHECK-COUNT-7: vector.extract %[[OLD]]
  // CHECK: %[[NEW:.*]] = vector.from_elements
  // CHECK: llvm.store %[[NEW]], %[[AT]] {alignment = 16 : i64}
  // CHECK: nvvm.fence.proxy
  // CHECK: nvvm.barrier
  // CHECK: scf.for %{{.*}} = %{{.*}} to %c8
  // CHECK: %[[OLD2:.*]] = llvm.load %[[AT2:.*]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xi16>
  // CHECK-NOT: vector.extract
  // CHECK: %[[IS:.*]] = arith.cmpi slt, %{{.*}}, %[[LEFT]]
  // CHECK: %[[NEW2:.*]] = arith.select %[[IS]], %[[OLD2]], %{{.*}} : vector<8xi16>
  // CHECK: llvm.store %[[NEW2]], %[[AT2]] {alignment = 16 : i64}
  // CHECK: nvvm.fence.proxy
  // CHECK: nvvm.barrier
  tcgemm.program @trim(%left: i32) attributes {threads = 256 : i64, chip = "sm_90a"} {
    %ring = tcgemm.ring.create empty_arrivals 4 : !ring
    tcgemm.role producer warps [0, 4] {
      %state = tcgemm.ring.start %ring : !ring
      %write = tcgemm.ring.acquire %ring, %state : !ring -> <write>
      tcgemm.ring.commit %ring, %write : !ring, <write>
    }
    tcgemm.role consumer warps [4, 8] {
      %state = tcgemm.ring.start %ring : !ring
      %read = tcgemm.ring.wait %ring, %state : !ring -> <read>
      tcgemm.ring.trim %ring, %state, %read tile 0 left %left : !ring, <read>
      tcgemm.ring.trim %ring, %state, %read tile 1 stack 64 left %left : !ring, <read>
      tcgemm.ring.release %ring, %read arrivals 4 : !ring, <read>
    }
    tcgemm.return
  }

  // Elements before the first one become zeros, too.
  // CHECK-LABEL: tcgemm.program @both_ends(
  // CHECK-SAME:    %[[LEFT:.*]]: i32, %[[FIRST:.*]]: i32
  // CHECK: %[[OLD:.*]] = llvm.load %{{.*}} -> vector<8xi16>
  // CHECK: %[[BEFORE:.*]] = arith.cmpi slt, %[[K:.*]], %[[LEFT]]
  // CHECK: %[[BEHIND:.*]] = arith.cmpi sge, %[[K]], %[[FIRST]]
  // CHECK: %[[KEPT:.*]] = arith.andi %[[BEFORE]], %[[BEHIND]]
  // CHECK: %[[VALUE:.*]] = vector.extract %[[OLD]][0]
  // CHECK: arith.select %[[KEPT]], %[[VALUE]], %{{.*}} : i16
  tcgemm.program @both_ends(%left: i32, %first: i32) attributes {threads = 256 : i64, chip = "sm_90a"} {
    %ring = tcgemm.ring.create empty_arrivals 4 : !ring
    tcgemm.role producer warps [0, 4] {
      %state = tcgemm.ring.start %ring : !ring
      %write = tcgemm.ring.acquire %ring, %state : !ring -> <write>
      tcgemm.ring.commit %ring, %write : !ring, <write>
    }
    tcgemm.role consumer warps [4, 8] {
      %state = tcgemm.ring.start %ring : !ring
      %read = tcgemm.ring.wait %ring, %state : !ring -> <read>
      tcgemm.ring.trim %ring, %state, %read tile 0 left %left from %first : !ring, <read>
      tcgemm.ring.release %ring, %read arrivals 4 : !ring, <read>
    }
    tcgemm.return
  }
}
