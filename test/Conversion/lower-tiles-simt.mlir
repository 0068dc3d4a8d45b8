// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,cse))' | FileCheck %s

!row_tile = !tcgemm.tile<8 x 128 x f32, pad>
!b_tile = !tcgemm.tile<8 x 64 x f32, none>
!ring = !tcgemm.ring<2, cp_async, [!row_tile, !b_tile]>
!state = !tcgemm.ring_state
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!flying = !tcgemm.token<in_flight>
!load_a = !tcgemm.loader<!row_tile, bytes = 4, k_contiguous = true, threads = 256, transposed = true>
!load_b = !tcgemm.loader<!b_tile, bytes = 16, k_contiguous = false, threads = 256>
!a = !tcgemm.fragment<a, 8 x 1 x f32, runs = [4, 64]>
!b = !tcgemm.fragment<b, 4 x 1 x f32, runs = [2, 32]>
!acc = !tcgemm.acc<8 x 4, simt runs = [4, 64, 2, 32]>
!bytes = !tcgemm.ring<2, cp_async, [!tcgemm.tile<32 x 32 x ui8, pad>, !tcgemm.tile<48 x 32 x i8, pad>]>
!bytes_a = !tcgemm.fragment<a, 2 x 16 x ui8, runs = [1, 16]>
!bytes_b = !tcgemm.fragment<b, 3 x 16 x i8, runs = [1, 16]>
!sums = !tcgemm.acc<2 x 3 of i32, simt runs = [1, 16, 1, 16]>
!global = memref<?xf32, #gpu.address_space<global>>

gpu.module @m {
  // CHECK-LABEL: tcgemm.program @simt
  // CHECK-SAME: %[[A:[^:]*]]: memref<?xf32, #gpu.address_space<global>>
  tcgemm.program @simt(%pa: !global, %pb: !global, %pd: !global, %m: i32, %n: i32, %lda: i64, %ldb: i64, %ldd: i64, %tm: i32, %tn: i32)
      attributes {threads = 256 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %z = arith.constant 0 : i64
    %la = tcgemm.loader.create %pa stride %lda at %c0 of %m : !global -> !load_a
    %lb = tcgemm.loader.create %pb stride %ldb at %c0 of %n : !global -> !load_b
    // Eight neighbouring threads copy eight k of a row of A, each to a row of its
    // own in shared memory: of 128 elements and 4 of padding.
    // CHECK: %[[ROW:.*]] = arith.divui %[[THREAD:.*]], %c8_i32
    // CHECK: %[[K:.*]] = arith.remui %[[THREAD]], %c8_i32
    // CHECK: %[[DOWN:.*]] = arith.muli %[[K]], %c132_i32
    // CHECK: %[[TO:.*]] = arith.addi %[[DOWN]], %[[ROW]]
    %aa = tcgemm.loader.start %la batch %z k %c0 : !load_a
    %ab = tcgemm.loader.start %lb batch %z k %c0 : !load_b
    %ring = tcgemm.ring.create : !ring
    %acc = tcgemm.acc.zero : !acc
    %s = tcgemm.ring.start %ring : !ring
    %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
    // The second copy is 32 rows down: 32 elements further in the same row there.
    // CHECK: nvgpu.device_async_copy %[[A]][%{{.*}}], %{{.*}}[%{{.*}}], 1, %{{[0-9]+}} :
    // CHECK: %[[SECOND:.*]] = arith.addi %{{.*}}, %c32_i32
    // CHECK: nvgpu.device_async_copy %[[A]]
    // CHECK: nvgpu.device_async_copy %[[A]]
    // CHECK: nvgpu.device_async_copy %[[A]]
    // CHECK-NOT: nvgpu.device_async_copy %[[A]]
    tcgemm.loader.copy %la, %aa to %ring, %s, %w tile 0 part 0 of 1 : !load_a, !ring, !write
    // CHECK: scf.if
    // CHECK: nvgpu.device_async_copy %{{.*}}, 4, %{{[0-9]+}} {bypassL1}
    tcgemm.loader.copy %lb, %ab to %ring, %s, %w tile 1 part 0 of 1 : !load_b, !ring, !write
    %f = tcgemm.ring.commit %ring, %w : !ring, !write -> !flying
    %r = tcgemm.ring.wait %ring, %s, %f : !flying pending 0 : !ring -> !read
    // Two runs of four rows in row 3 of the tile, and two of two columns.
    // CHECK: vector.load {{.*}} vector<4xf32>
    // CHECK: vector.load {{.*}} vector<4xf32>
    // CHECK: vector.load {{.*}} vector<2xf32>
    // CHECK: vector.load {{.*}} vector<2xf32>
    // CHECK-NOT: vector.load
    %fa = tcgemm.fragment.load %ring, %s, %r warp %tm tile 0 k_step 3 transposed true : !ring, !read -> !a
    %fb = tcgemm.fragment.load %ring, %s, %r warp %tn tile 1 k_step 3 transposed true : !ring, !read -> !b
    // CHECK-COUNT-32: math.fma
    // CHECK-NOT: math.fma
    %sum = tcgemm.mma %fa, %fb, %acc : !a, !b, !acc
    tcgemm.ring.release %ring, %r : !ring, !read
    tcgemm.ring.drain %ring : !ring
    // A thread's last row is 67 from its first, its last column 33.
    // CHECK: arith.addi %{{.*}}, %c68_i32
    // CHECK: arith.addi %{{.*}}, %c34_i32
    // Columns are stored in pairs where the thread's are all inside.
    // CHECK: vector.store {{.*}} vector<2xf32>
    tcgemm.epilogue %sum at (%c0, %tm, %tn) of (%m, %n) outputs(%pd : !global) strides(%ldd)
        dims ["mn"] arguments [] guards [] {
    ^bb0(%x: f32):
      tcgemm.yield %x : f32
    } : !acc
    tcgemm.return
  }

  // CHECK-LABEL: tcgemm.program @bytes
  // 16 neighbours along k are 4 registers of a row; two rows of A and three of B, 32
  // bytes and 16 of padding apart.
  // CHECK-COUNT-5: llvm.bitcast %{{.*}} : vector<16xi8> to vector<4xi32>
  // CHECK-NOT: vector<16xi8>
  // A register of each operand to an instruction, whose types are the operands'.
  // CHECK: %[[X:.*]] = llvm.bitcast %{{.*}} : i32 to vector<4xi8>
  // CHECK: %[[Y:.*]] = llvm.bitcast %{{.*}} : i32 to vector<4xi8>
  // CHECK: nvvm.dot.accumulate.4way %[[X]] <unsigned>, %[[Y]] <signed>, %{{.*}} : vector<4xi8>, vector<4xi8>
  // CHECK-COUNT-23: nvvm.dot.accumulate.4way
  // CHECK-NOT: nvvm.dot.accumulate.4way
  tcgemm.program @bytes(%pd: memref<?xi32, #gpu.address_space<global>>, %m: i32, %n: i32, %ldd: i64, %tm: i32, %tn: i32)
      attributes {threads = 256 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %ring = tcgemm.ring.create : !bytes
    %acc = tcgemm.acc.zero : !sums
    %s = tcgemm.ring.start %ring : !bytes
    %w = tcgemm.ring.acquire %ring, %s : !bytes -> !write
    %f = tcgemm.ring.commit %ring, %w : !bytes, !write -> !flying
    %r = tcgemm.ring.wait %ring, %s, %f : !flying pending 0 : !bytes -> !read
    %fa = tcgemm.fragment.load %ring, %s, %r warp %tm tile 0 k_step 1 transposed false : !bytes, !read -> !bytes_a
    %fb = tcgemm.fragment.load %ring, %s, %r warp %tn tile 1 k_step 1 transposed false : !bytes, !read -> !bytes_b
    %sum = tcgemm.mma %fa, %fb, %acc : !bytes_a, !bytes_b, !sums
    tcgemm.ring.release %ring, %r : !bytes, !read
    tcgemm.ring.drain %ring : !bytes
    tcgemm.epilogue %sum at (%c0, %tm, %tn) of (%m, %n) outputs(%pd : memref<?xi32, #gpu.address_space<global>>) strides(%ldd)
        dims ["mn"] arguments [] guards [] {
    ^bb0(%x: i32):
      tcgemm.yield %x : i32
    } : !sums
    tcgemm.return
  }
}
