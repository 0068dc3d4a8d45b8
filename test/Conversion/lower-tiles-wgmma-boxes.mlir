// RUN: tcgemm-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,cse))' \
// RUN:   | FileCheck %s

// Boxes that the role's threads store: each warp what it has written itself, so that
// warps wait for none. In runs of 16 bytes, or of 4, or of an element, as the output's
// rows allow.

!acc = !tcgemm.acc<64 x 64, wgmma>
// CHECK-LABEL: tcgemm.program @boxes
gpu.module @module {
  tcgemm.program @boxes(%M: i32, %N: i32, %m: i32, %n: i32, %out: memref<?xbf16, #gpu.address_space<global>>, %stride: i64) attributes {threads = 128 : i64, chip = "sm_90a"} {
    %c0 = arith.constant 0 : i32
    tcgemm.role consumer warps [0, 4] {
      %acc = tcgemm.acc.zero : !acc
      // CHECK-NOT: nvvm.barrier
      // CHECK: nvvm.bar.warp.sync
      // CHECK-COUNT-4: nvvm.stmatrix
      // CHECK-NOT: nvvm.fence.proxy
      // CHECK: nvvm.bar.warp.sync
      // CHECK: scf.if
      // 16 rows of 128 bytes by 32 lanes.
      // CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xbf16>
      // CHECK: } else {
      // CHECK: scf.if
      // CHECK: scf.for
      // CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<2xbf16>
      // CHECK: } else {
      // CHECK: scf.for
      // CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<3> -> bf16
      // CHECK-NOT: nvvm.cp.async
      tcgemm.epilogue %acc at(%c0, %m, %n) of(%M, %N) outputs(%out : memref<?xbf16, #gpu.address_space<global>>) strides(%stride) dims ["mn"] arguments [] guards [] staging 8192 {
      ^bb0(%x: f32):
        %0 = arith.truncf %x : f32 to bf16
        tcgemm.yield %0 : bf16
      } : !acc
    }
    tcgemm.return
  }
}

// -----

// What is read early is loaded ahead of the first wait, and not again.

!ring = !tcgemm.ring<2, mbarrier, [!tcgemm.tile<64 x 64 x bf16, b128>]>
!acc = !tcgemm.acc<64 x 64, wgmma>
// CHECK-LABEL: tcgemm.program @early
gpu.module @module {
  tcgemm.program @early(%M: i32, %N: i32, %m: i32, %n: i32, %bias: memref<?xf32, #gpu.address_space<global>>, %out: memref<?xbf16, #gpu.address_space<global>>, %stride: i64, %map: !tcgemm.tensor_map<!tcgemm.tile<64 x 64 x bf16, b128>>) attributes {threads = 256 : i64, chip = "sm_90a"} {
    %c0 = arith.constant 0 : i32
    %ring = tcgemm.ring.create empty_arrivals 4 : !ring
    tcgemm.role producer warps [0, 4] {
      %s = tcgemm.ring.start %ring : !ring
      %w = tcgemm.ring.acquire %ring, %s : !ring -> !tcgemm.token<write>
      tcgemm.tma.load %map[%c0, %m] to %ring, %s, %w tile 0 : !tcgemm.tensor_map<!tcgemm.tile<64 x 64 x bf16, b128>>, !ring, !tcgemm.token<write>
      tcgemm.ring.commit %ring, %w : !ring, !tcgemm.token<write>
    }
    tcgemm.role consumer warps [4, 8] {
      %s = tcgemm.ring.start %ring : !ring
      // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
      // CHECK: scf.if
      // CHECK: vector.load {{.*}} vector<2xf32>
      // CHECK: nvvm.mbarrier.try_wait
      // CHECK-NOT: vector.load
      %r = tcgemm.ring.wait %ring, %s : !ring -> !tcgemm.token<read>
      tcgemm.ring.release %ring, %r arrivals 4 : !ring, !tcgemm.token<read>
      %acc = tcgemm.acc.zero : !acc
      // CHECK: arith.addf
      tcgemm.epilogue %acc at(%c0, %m, %n) of(%M, %N) inputs(%bias : memref<?xf32, #gpu.address_space<global>>) outputs(%out : memref<?xbf16, #gpu.address_space<global>>) strides(%stride) dims ["n", "mn"] arguments [0] guards [-1] early {
      ^bb0(%x: f32, %y: f32):
        %0 = arith.addf %x, %y : f32
        %1 = arith.truncf %0 : f32 to bf16
        tcgemm.yield %1 : bf16
      } : !acc
    }
    tcgemm.return
  }
}

// -----

// Bytes: pairs of neighbours, of 8 columns of 8 bytes each. The swizzle of 64 bytes puts
// the 8 rows of a warp's store into different banks.

!acc = !tcgemm.acc<64 x 80 of i32, wgmma>
!box = !tcgemm.tile<64 x 64 x i8, b64>
// CHECK-LABEL: tcgemm.program @bytes
gpu.module @module {
  tcgemm.program @bytes(%M: i32, %N: i32, %m: i32, %n: i32, %map: !tcgemm.tensor_map<!box>) attributes {threads = 128 : i64, chip = "sm_90a"} {
    %c0 = arith.constant 0 : i32
    tcgemm.role consumer warps [0, 4] {
      %acc = tcgemm.acc.zero : !acc
      // CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
      // CHECK-COUNT-16: llvm.store %{{.*}} {alignment = 2 : i64} : vector<2xi8>, !llvm.ptr<3>
      // CHECK-NOT: llvm.store
      // CHECK: nvvm.fence.proxy
      // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
      // The last box begins 16 columns further on.
      // CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
      // CHECK-COUNT-16: llvm.store %{{.*}} {alignment = 2 : i64} : vector<2xi8>, !llvm.ptr<3>
      // CHECK: %[[SECOND:.*]] = arith.addi %{{.*}}, %c16_i32
      // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %{{.*}}, %{{.*}}, box[%[[SECOND]],
      tcgemm.epilogue %acc at(%c0, %m, %n) of(%M, %N) maps(%map : !tcgemm.tensor_map<!box>) buffers 2 dims ["mn"] arguments [] guards [] {
      ^bb0(%x: i32):
        %0 = arith.trunci %x : i32 to i8
        tcgemm.yield %0 : i8
      } : !acc
      tcgemm.tma.await
    }
    tcgemm.return
  }
}

// -----

// By threads: runs of 16 bytes, of 4, or single ones.

!acc = !tcgemm.acc<64 x 64 of i32, wgmma>
// CHECK-LABEL: tcgemm.program @staged_bytes
gpu.module @module {
  tcgemm.program @staged_bytes(%M: i32, %N: i32, %m: i32, %n: i32, %out: memref<?xi8, #gpu.address_space<global>>, %stride: i64) attributes {threads = 128 : i64, chip = "sm_90a"} {
    %c0 = arith.constant 0 : i32
    tcgemm.role consumer warps [0, 4] {
      %acc = tcgemm.acc.zero : !acc
      // CHECK-COUNT-16: llvm.store %{{.*}} {alignment = 2 : i64} : vector<2xi8>, !llvm.ptr<3>
      // CHECK: nvvm.bar.warp.sync
      // 16 rows of 64 bytes by 32 lanes.
      // CHECK-COUNT-2: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<16xi8>
      // CHECK: } else {
      // CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<4xi8>
      // CHECK: } else {
      // CHECK: llvm.load %{{.*}} {alignment = 1 : i64} : !llvm.ptr<3> -> i8
      tcgemm.epilogue %acc at(%c0, %m, %n) of(%M, %N) outputs(%out : memref<?xi8, #gpu.address_space<global>>) strides(%stride) dims ["mn"] arguments [] guards [] staging 4096 {
      ^bb0(%x: i32):
        %0 = arith.trunci %x : i32 to i8
        tcgemm.yield %0 : i8
      } : !acc
    }
    tcgemm.return
  }
}
