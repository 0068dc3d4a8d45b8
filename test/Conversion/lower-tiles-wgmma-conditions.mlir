// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,canonicalize,cse))' | FileCheck %s

// Two inputs of an epilogue that come by TMA, of which a scalar leaves the first one
// out: the full barrier expects the bytes of those that are copied, and the threads read
// the others only.

!map = !tcgemm.tensor_map<!tcgemm.tile<64 x 64 x bf16, b128>>
!ring = !tcgemm.ring<1, mbarrier, [!tcgemm.tile<64 x 64 x bf16, b128>, !tcgemm.tile<64 x 64 x bf16, b128>]>

gpu.module @module {
  // CHECK-LABEL: tcgemm.program @guarded
  // CHECK-SAME: %[[BETA:[^ ]*]]: f32
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i32
  // CHECK-DAG: %[[NONE:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK-DAG: %[[TILE:.*]] = arith.constant 8192 : i32
  // CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<2xbf16>
  // CHECK: nvvm.elect.sync
  // CHECK: %[[USED:.*]] = arith.cmpf une, %[[BETA]], %[[NONE]]
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK: %[[OPTIONAL:.*]] = arith.select %[[USED]], %[[TILE]], %[[C0]]
  // CHECK: %[[BYTES:.*]] = arith.addi %[[OPTIONAL]], %[[TILE]]
  // CHECK: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %[[BYTES]]
  // CHECK: scf.if %[[USED]] {
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
  // CHECK: }
  // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
  // CHECK: nvvm.mbarrier.try_wait.parity
  // CHECK: %[[READS:.*]] = arith.cmpf une, %[[BETA]], %[[NONE]]
  // CHECK: %[[C:.*]]:16 = scf.if %[[READS]]
  // CHECK-COUNT-4: nvvm.ldmatrix
  // CHECK: } else {
  // CHECK-NEXT: scf.yield %[[ZEROS]], %[[ZEROS]]
  // CHECK: }
  // CHECK-NOT: scf.if
  // CHECK-COUNT-4: nvvm.ldmatrix
  // CHECK: vector.extract %[[C]]#0[0]
  // CHECK: nvvm.stmatrix
  tcgemm.program @guarded(%beta: f32, %map: !map, %in: memref<?xbf16, 1>, %pitch: i64, %n: i32) attributes {threads = 128 : i64, chip = "sm_90a"} {
    %zero = arith.constant 0 : i32
    %ring = tcgemm.ring.create empty_arrivals 4 : !ring
    tcgemm.role consumer warps [0, 4] {
      %state = tcgemm.ring.start %ring : !ring
      tcgemm.elect {
        %none = arith.constant 0.0 : f32
        %used = arith.cmpf une, %beta, %none : f32
        %w = tcgemm.ring.acquire %ring, %state : !ring -> !tcgemm.token<write>
        scf.if %used {
          tcgemm.tma.load %map[%zero, %zero] to %ring, %state, %w tile 0 : !map, !ring, !tcgemm.token<write>
        }
        tcgemm.tma.load %map[%zero, %zero] to %ring, %state, %w tile 1 : !map, !ring, !tcgemm.token<write>
        tcgemm.ring.commit %ring, %w : !ring, !tcgemm.token<write>
      }
      %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 64, wgmma>
      %r = tcgemm.ring.wait %ring, %state : !ring -> !tcgemm.token<read>
      tcgemm.epilogue %acc at(%zero, %zero, %zero) of(%n, %n) inputs(%in, %in : memref<?xbf16, 1>, memref<?xbf16, 1>) scalars(%beta : f32) strides(%pitch, %pitch) maps(%map : !map) buffers 1 staged [0, 1] in %ring, %r : !ring, !tcgemm.token<read> dims ["mn", "mn", "mn"] arguments [0, 1, -1] guards [0, -1] {
      ^bb0(%x: f32, %c: bf16, %y: bf16, %factor: f32):
        %wide = arith.extf %c : bf16 to f32
        %scaled = arith.mulf %wide, %factor : f32
        %sum = arith.addf %x, %scaled : f32
        %z = arith.extf %y : bf16 to f32
        %all = arith.addf %sum, %z : f32
        %d = arith.truncf %all : f32 to bf16
        tcgemm.yield %d : bf16
      } : !tcgemm.acc<64 x 64, wgmma>
      tcgemm.ring.release %ring, %r arrivals 4 : !ring, !tcgemm.token<read>
      tcgemm.tma.await
    }
    tcgemm.return
  }
}
