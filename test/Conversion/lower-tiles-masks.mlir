// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles))' \
// RUN:   | FileCheck %s

// 128 threads take the 512 chunks of a tile in four rounds. Of each chunk, the elements
// beyond the diagonal become zero, and those on it one; then products may read it.

!ring = !tcgemm.ring<2, mbarrier, [<64 x 64 x bf16, b128>]>
gpu.module @module {
  // CHECK-LABEL: tcgemm.program @mask
  // CHECK: scf.for %{{.*}} = %{{.*}} to %c4
  // CHECK: %[[OLD:.*]] = llvm.load %[[AT:.*]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xi16>
  // CHECK: vector.extract %[[OLD]][0]
  // CHECK: arith.cmpi sle
  // CHECK: arith.select
  // CHECK: arith.constant 16256 : i16
  // CHECK: arith.cmpi eq
  // CHECK-COUNT-7: vector.extract %[[OLD]]
  // CHECK: %[[NEW:.*]] = vector.from_elements
  // CHECK: llvm.store %[[NEW]], %[[AT]] {alignment = 16 : i64}
  // CHECK: nvvm.fence.proxy
  // CHECK-NEXT: %[[ID:.*]] = arith.constant 13 : i32
  // CHECK-NEXT: %[[THREADS:.*]] = arith.constant 128 : i32
  // CHECK-NEXT: nvvm.barrier id = %[[ID]] number_of_threads = %[[THREADS]]
  tcgemm.program @mask(%m: i32, %k: i32) attributes {threads = 256 : i64, chip = "sm_90a"} {
    %ring = tcgemm.ring.create empty_arrivals 4 : !ring
    tcgemm.role producer warps [0, 4] {
      %state = tcgemm.ring.start %ring : !ring
      %write = tcgemm.ring.acquire %ring, %state : !ring -> <write>
      tcgemm.ring.commit %ring, %write : !ring, <write>
    }
    tcgemm.role consumer warps [4, 8] {
      %state = tcgemm.ring.start %ring : !ring
      %read = tcgemm.ring.wait %ring, %state : !ring -> <read>
      tcgemm.ring.mask %ring, %state, %read tile 0 at %m, %k <"unit-lower"> : !ring, <read>
      tcgemm.ring.release %ring, %read arrivals 4 : !ring, <read>
    }
    tcgemm.return
  }
}
