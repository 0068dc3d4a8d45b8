// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,cse))' | FileCheck %s
// RUN: sed 's/bytes = 16/bytes = 8/' %s | tcgemm-opt --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,cse))' \
// RUN:   | FileCheck %s --check-prefix=EIGHT
// RUN: sed 's/bytes = 16/bytes = 4/' %s | tcgemm-opt --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,cse))' \
// RUN:   | FileCheck %s --check-prefix=FOUR
// RUN: sed 's/bytes = 16/bytes = 2/' %s | tcgemm-opt --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,cse))' \
// RUN:   | FileCheck %s --check-prefix=REGISTERS

// 64 x 32 elements by 128 threads: two copies of 16 bytes a thread, four of 8,
// eight of 4, and sixteen elements through registers. What lies beyond k_valid
// or the operand's side is zero: a copy says how many elements it reads.

!tile = !tcgemm.tile<64 x 32 x bf16, xor>
!ring = !tcgemm.ring<2, cp_async, [!tile]>
!loader = !tcgemm.loader<!tile, bytes = 16, k_contiguous = true, threads = 128>
!global = memref<?xbf16, #gpu.address_space<global>>

// CHECK-LABEL: tcgemm.program @copies(
// CHECK-SAME: %[[P:[^:]*]]: memref<?xbf16, #gpu.address_space<global>>, %[[STRIDE:[^:]*]]: i64, %[[ORIGIN:[^:]*]]: i32, %[[EXTENT:[^:]*]]: i32, %[[KVALID:[^:]*]]: i32
// CHECK: %[[ROW:.*]] = arith.divui %[[THREAD:.*]], %c4_i32
// CHECK: %[[CHUNK:.*]] = arith.remui %[[THREAD]], %c4_i32
// CHECK: %[[COLUMN:.*]] = arith.muli %[[CHUNK]], %c8_i32
// CHECK: arith.xori
// One address is computed in full; the second copy is 32 rows down.
// CHECK: %[[M:.*]] = arith.addi %[[ROW]], %[[ORIGIN]]
// CHECK: %[[WIDE:.*]] = arith.extui %[[M]]
// CHECK: arith.muli %[[WIDE]], %[[STRIDE]]
// CHECK: %[[STEP:.*]] = arith.muli %[[STRIDE]], %c32_i64
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[M]], %[[EXTENT]]
// CHECK: %[[SIDE:.*]] = arith.select %[[IN]], %c8_i32, %c0_i32
// CHECK: %[[LEFT:.*]] = arith.subi %[[KVALID]], %[[COLUMN]]
// CHECK: %[[POSITIVE:.*]] = arith.maxsi %[[LEFT]], %c0_i32
// CHECK: %[[DEPTH:.*]] = arith.minsi %[[POSITIVE]], %c8_i32
// CHECK: %[[VALID:.*]] = arith.minsi %[[SIDE]], %[[DEPTH]]
// CHECK: %[[COUNT:.*]] = arith.index_castui %[[VALID]]
// CHECK: nvgpu.device_async_copy %[[P]][%{{.*}}], %{{.*}}[%{{.*}}], 8, %[[COUNT]] {bypassL1} : memref<?xbf16, #gpu.address_space<global>> to memref<4096xbf16, #gpu.address_space<workgroup>>
// CHECK: nvgpu.device_async_copy {{.*}}, 8, %{{.*}} {bypassL1}
// CHECK-NOT: nvgpu.device_async_copy
// CHECK: nvgpu.device_async_create_group
// CHECK: nvgpu.device_async_wait
// CHECK-NEXT: gpu.barrier

// EIGHT-COUNT-4: nvgpu.device_async_copy {{.*}}, 4, %{{[0-9]+}} : memref
// EIGHT-NOT: bypassL1
// FOUR-COUNT-8: nvgpu.device_async_copy {{.*}}, 2, %{{[0-9]+}} : memref
// FOUR-NOT: nvgpu.device_async_copy
// REGISTERS-NOT: nvgpu.device_async_copy
// REGISTERS: %[[X:.*]] = scf.if %{{.*}} -> (bf16) {
// REGISTERS: memref.load
// REGISTERS: } else {
// REGISTERS: scf.yield %cst : bf16
// REGISTERS: memref.store %[[X]], {{.*}} #gpu.address_space<workgroup>>
// REGISTERS-COUNT-15: memref.store
// REGISTERS-NOT: memref.store
// Loads and stores are in order: no groups, no waits.
// REGISTERS-NOT: nvgpu.device_async
// REGISTERS: gpu.barrier
// REGISTERS-NOT: nvgpu.device_async
// REGISTERS: tcgemm.return
gpu.module @module {
  tcgemm.program @copies(%p: !global, %stride: i64, %origin: i32, %extent: i32, %k_valid: i32)
      attributes {threads = 128 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %none = arith.constant 0 : i64
    %l = tcgemm.loader.create %p stride %stride at %origin of %extent : !global -> !loader
    %at = tcgemm.loader.start %l batch %none k %c0 : !loader
    %ring = tcgemm.ring.create : !ring
    %s = tcgemm.ring.start %ring : !ring
    %w = tcgemm.ring.acquire %ring, %s : !ring -> !tcgemm.token<write>
    tcgemm.loader.copy %l, %at to %ring, %s, %w tile 0 part 0 of 1 k_valid %k_valid
        : !loader, !ring, !tcgemm.token<write>
    %g = tcgemm.ring.commit %ring, %w : !ring, !tcgemm.token<write> -> !tcgemm.token<in_flight>
    %r = tcgemm.ring.wait %ring, %s, %g : !tcgemm.token<in_flight> pending 0 : !ring -> !tcgemm.token<read>
    tcgemm.ring.drain %ring, %r : !ring, !tcgemm.token<read>
    tcgemm.return
  }
}
