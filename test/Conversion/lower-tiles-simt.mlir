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

  // Two runs of four columns, of four k: vectors, in place of columns outside the last
  // ones.
  // CHECK-LABEL: tcgemm.program @fetch
  // CHECK-SAME: %[[B:[^:]*]]: memref<?xf32, #gpu.address_space<global>>, %[[ADDRESS:[^:]*]]: i64, %[[STRIDE:[^:]*]]: i64, %[[FIRST:[^:]*]]: i32, %[[N:[^:]*]]: i32
  // CHECK: %[[LAST:.*]] = arith.subi %[[N]], %c4_i32
  // CHECK: %[[CLAMPED:.*]] = arith.minui %[[FIRST]], %[[LAST]]
  // CHECK-COUNT-4: vector.load %[[B]]{{.*}} vector<4xf32>
  // CHECK: arith.addi %[[FIRST]], %c64_i32
  // CHECK-COUNT-4: vector.load %[[B]]{{.*}} vector<4xf32>
  // Four k of each of two rows.
  // CHECK: %[[LAST_ROW:.*]] = arith.subi %[[N]], %c1_i32
  // CHECK: arith.minui %[[FIRST]], %[[LAST_ROW]]
  // CHECK-COUNT-2: vector.load %[[B]]{{.*}} vector<4xf32>
  // CHECK-NOT: vector.load
  // CHECK-COUNT-64: math.fma
  // CHECK-NOT: math.fma
  tcgemm.program @fetch(%pb: !global, %address: i64, %stride: i64, %first: i32, %n: i32, %pd: !global, %ldd: i64)
      attributes {threads = 256 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %acc = tcgemm.acc.zero : !tcgemm.acc<2 x 8, simt runs = [1, 16, 4, 64]>
    %b = tcgemm.fragment.fetch %pb[%address] stride %stride at %first of %n transposed : !global -> !tcgemm.fragment<b, 8 x 4 x f32, runs = [4, 64]>
    %a = tcgemm.fragment.fetch %pb[%address] stride %stride at %first of %n : !global -> !tcgemm.fragment<a, 2 x 4 x f32, runs = [1, 16]>
    %sum = tcgemm.mma %a, %b, %acc : !tcgemm.fragment<a, 2 x 4 x f32, runs = [1, 16]>, !tcgemm.fragment<b, 8 x 4 x f32, runs = [4, 64]>, !tcgemm.acc<2 x 8, simt runs = [1, 16, 4, 64]>
    tcgemm.epilogue %sum at (%c0, %first, %first) of (%n, %n) outputs(%pd : !global) strides(%ldd)
        dims ["mn"] arguments [] guards [] {
    ^bb0(%x: f32):
      tcgemm.yield %x : f32
    } : !tcgemm.acc<2 x 8, simt runs = [1, 16, 4, 64]>
    tcgemm.return
  }

  // Groups of 32 threads. Those behind the first leave their sums in shared memory,
  // a thread beside its neighbours; a ring of one stage waits in its acquire.
  // CHECK-LABEL: tcgemm.program @groups
  // CHECK-SAME: %[[GROUP:[^:]*]]: i32
  // CHECK: gpu.barrier
  // CHECK: gpu.barrier
  // CHECK: scf.if
  // CHECK-COUNT-4: memref.store
  // CHECK: gpu.barrier
  // CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[GROUP]], %c0_i32
  // CHECK: scf.if %[[IS_FIRST]] ->
  // CHECK-COUNT-4: memref.load
  // CHECK: } else {
  tcgemm.program @groups(%group: i32, %pd: !global, %m: i32, %ldd: i64)
      attributes {threads = 64 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %ring = tcgemm.ring.create : !tcgemm.ring<1, cp_async, [!row_tile]>
    %acc = tcgemm.acc.zero : !tcgemm.acc<2 x 2, simt runs = [1, 8, 1, 4]>
    %s = tcgemm.ring.start %ring : !tcgemm.ring<1, cp_async, [!row_tile]>
    %w = tcgemm.ring.acquire %ring, %s : !tcgemm.ring<1, cp_async, [!row_tile]> -> !write
    %f = tcgemm.ring.commit %ring, %w : !tcgemm.ring<1, cp_async, [!row_tile]>, !write -> !flying
    %r = tcgemm.ring.wait %ring, %s, %f : !flying pending 0 : !tcgemm.ring<1, cp_async, [!row_tile]> -> !read
    tcgemm.ring.release %ring, %r : !tcgemm.ring<1, cp_async, [!row_tile]>, !read
    tcgemm.ring.drain %ring : !tcgemm.ring<1, cp_async, [!row_tile]>
    %sum = tcgemm.acc.reduce %acc over %group of 2 through %ring
        : !tcgemm.acc<2 x 2, simt runs = [1, 8, 1, 4]>, !tcgemm.ring<1, cp_async, [!row_tile]> -> !tcgemm.acc<2 x 2, simt runs = [1, 8, 1, 4]>
    tcgemm.epilogue %sum at (%c0, %m, %m) of (%m, %m) outputs(%pd : !global) strides(%ldd)
        dims ["mn"] arguments [] guards [] {
    ^bb0(%x: f32):
      tcgemm.yield %x : f32
    } : !tcgemm.acc<2 x 2, simt runs = [1, 8, 1, 4]>
    tcgemm.return
  }
}
