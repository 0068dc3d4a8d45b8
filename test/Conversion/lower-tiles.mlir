// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,cse))' | FileCheck %s
// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles))' \
// RUN:   | tcgemm-opt --pass-pipeline='builtin.module(gpu.module(cse))' | FileCheck %s

// Fragments, products, ring, raster and sums over warps. Copies are in
// lower-tiles-copies.mlir, the epilogue in lower-tiles-epilogue.mlir.

!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!pos = !tcgemm.tile<64 x 64 x bf16, xor>
!xor_a = !tcgemm.tile<64 x 64 x bf16, xor>
!xor_b = !tcgemm.tile<32 x 64 x bf16, xor>
!xor_ring = !tcgemm.ring<2, cp_async, [!xor_a, !xor_b]>
!pad = !tcgemm.tile<64 x 64 x f16, pad>
!pad_ring = !tcgemm.ring<2, cp_async, [!pad, !pad]>
!a = !tcgemm.fragment<a, 32 x 16 x bf16>
!b = !tcgemm.fragment<b, 16 x 16 x bf16>
!acc = !tcgemm.acc<32 x 16, mma_sync>
!global = memref<?xi32, #gpu.address_space<global>>
!globalf = memref<?xf32, #gpu.address_space<global>>

gpu.module @module {
  // The swizzle is an XOR of the chunk with the row, that of the k-step one of
  // the whole address; pieces 16 rows down are a constant away.
  // CHECK-LABEL: tcgemm.program @fragments_xor(
  // CHECK-SAME: %[[WARP:[^:]*]]: i32
  // CHECK: %[[SHARED:.*]] = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
  // CHECK: %[[VIEW:.*]] = memref.view %[[SHARED]][%{{.*}}][] : {{.*}} to memref<12288xbf16, #gpu.address_space<workgroup>>
  // CHECK: nvgpu.device_async_create_group
  // CHECK: nvgpu.device_async_wait %{{.*}} {numGroups = 0 : i32}
  // CHECK-NEXT: gpu.barrier
  // CHECK: %[[BASE:.*]] = arith.muli %[[WARP]], %c32_i32
  // CHECK: %[[ROW:.*]] = arith.addi %[[BASE]],
  // CHECK: %[[KEY:.*]] = arith.remui %[[ROW]], %c8_i32
  // CHECK: %[[PLACE:.*]] = arith.xori %{{.*}}, %[[KEY]]
  // CHECK: %[[COLUMN:.*]] = arith.muli %[[PLACE]], %c8_i32
  // CHECK: %[[START:.*]] = arith.muli %[[ROW]], %c64_i32
  // CHECK: %[[LANE:.*]] = arith.addi %[[START]], %[[COLUMN]]
  // CHECK: %[[STEP:.*]] = arith.xori %[[LANE]], %c16_i32
  // CHECK: %[[INDEX:.*]] = arith.index_castui %[[STEP]]
  // CHECK: %[[A0:.*]] = nvgpu.ldmatrix %[[VIEW]][%[[INDEX]]] {numTiles = 4 : i32, transpose = false} : {{.*}} -> vector<4x2xbf16>
  // CHECK: %[[DOWN:.*]] = arith.addi %[[STEP]], %c1024_i32
  // CHECK: %[[A1:.*]] = nvgpu.ldmatrix
  // Tile 1 starts behind tile 0: 64 x 64 elements.
  // CHECK: arith.addi %{{.*}}, %c4096_i32
  // CHECK: %[[B:.*]] = nvgpu.ldmatrix
  // CHECK: %[[B0:.*]] = vector.extract_strided_slice %[[B]] {offsets = [0, 0]
  // CHECK: %[[B1:.*]] = vector.extract_strided_slice %[[B]] {offsets = [2, 0]
  // Rows go to and fro, so that a fragment of B is used twice in turn.
  // CHECK: nvgpu.mma.sync(%[[A0]], %[[B0]], %{{.*}}) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
  // CHECK: nvgpu.mma.sync(%[[A0]], %[[B1]],
  // CHECK: nvgpu.mma.sync(%[[A1]], %[[B1]],
  // CHECK: nvgpu.mma.sync(%[[A1]], %[[B0]],
  // CHECK-NOT: nvgpu.mma.sync
  tcgemm.program @fragments_xor(%warp_m: i32, %warp_n: i32, %out: !globalf)
      attributes {threads = 128 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %ring = tcgemm.ring.create : !xor_ring
    %s = tcgemm.ring.start %ring : !xor_ring
    %w = tcgemm.ring.acquire %ring, %s : !xor_ring -> !write
    %g = tcgemm.ring.commit %ring, %w : !xor_ring, !write -> !group
    %r = tcgemm.ring.wait %ring, %s, %g : !group pending 0 : !xor_ring -> !read
    %a = tcgemm.fragment.load %ring, %s, %r warp %warp_m tile 0 k_step 1 transposed false : !xor_ring, !read -> !a
    %b = tcgemm.fragment.load %ring, %s, %r warp %warp_n tile 1 k_step 1 transposed false : !xor_ring, !read -> !b
    %zero = tcgemm.acc.zero : !acc
    %sum = tcgemm.mma %a, %b, %zero : !a, !b, !acc
    tcgemm.ring.drain %ring, %r : !xor_ring, !read
    tcgemm.epilogue %sum at (%c0, %c0, %c0) of (%c0, %c0) outputs(%out : !globalf)
        dims ["n"] arguments [] guards [] {
    ^bb0(%x: f32):
      tcgemm.yield %x : f32
    } : !acc
    tcgemm.return
  }

  // Padded rows have 72 elements; the k-step is added. A tile whose rows run
  // along k is loaded transposed, its k-steps 16 rows apart.
  // CHECK-LABEL: tcgemm.program @fragments_pad
  // CHECK: memref<18432xf16, #gpu.address_space<workgroup>>
  // CHECK-NOT: arith.xori
  // CHECK: arith.muli %{{.*}}, %c72_i32
  // CHECK: %[[STEP:.*]] = arith.addi %{{.*}}, %c32_i32
  // CHECK: nvgpu.ldmatrix {{.*}}transpose = false} : {{.*}} -> vector<4x2xf16>
  // CHECK: arith.constant 6912 : i32
  // CHECK: nvgpu.ldmatrix {{.*}}transpose = true}
  // CHECK-COUNT-2: nvgpu.mma.sync
  tcgemm.program @fragments_pad(%warp_m: i32, %warp_n: i32, %out: !globalf)
      attributes {threads = 128 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %ring = tcgemm.ring.create : !pad_ring
    %s = tcgemm.ring.start %ring : !pad_ring
    %w = tcgemm.ring.acquire %ring, %s : !pad_ring -> !write
    %g = tcgemm.ring.commit %ring, %w : !pad_ring, !write -> !group
    %r = tcgemm.ring.wait %ring, %s, %g : !group pending 0 : !pad_ring -> !read
    %a = tcgemm.fragment.load %ring, %s, %r warp %warp_m tile 0 k_step 2 transposed false
        : !pad_ring, !read -> !tcgemm.fragment<a, 16 x 16 x f16>
    %b = tcgemm.fragment.load %ring, %s, %r warp %warp_n tile 1 k_step 2 transposed true
        : !pad_ring, !read -> !tcgemm.fragment<b, 16 x 16 x f16>
    %zero = tcgemm.acc.zero : !tcgemm.acc<16 x 16, mma_sync>
    %sum = tcgemm.mma %a, %b, %zero : !tcgemm.fragment<a, 16 x 16 x f16>,
        !tcgemm.fragment<b, 16 x 16 x f16>, !tcgemm.acc<16 x 16, mma_sync>
    tcgemm.ring.drain %ring, %r : !pad_ring, !read
    tcgemm.epilogue %sum at (%c0, %c0, %c0) of (%c0, %c0) outputs(%out : !globalf)
        dims ["n"] arguments [] guards [] {
    ^bb0(%x: f32):
      tcgemm.yield %x : f32
    } : !tcgemm.acc<16 x 16, mma_sync>
    tcgemm.return
  }

  // A position is the offset of a stage in elements; the last one wraps.
  // CHECK-LABEL: tcgemm.program @positions
  // CHECK: %[[LOOP:.*]] = scf.for {{.*}} iter_args(%[[AT:.*]] = %c0_i32) -> (i32)
  // CHECK: %[[NEXT:.*]] = arith.addi %[[AT]], %c8192_i32
  // CHECK: %[[END:.*]] = arith.cmpi eq, %[[NEXT]], %c24576_i32
  // CHECK: %[[WRAPPED:.*]] = arith.select %[[END]], %c0_i32, %[[NEXT]]
  // CHECK: scf.yield %[[WRAPPED]]
  tcgemm.program @positions(%n: i32) attributes {threads = 128 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %ring = tcgemm.ring.create : !tcgemm.ring<3, cp_async, [!pos, !pos]>
    %s = tcgemm.ring.start %ring : !tcgemm.ring<3, cp_async, [!pos, !pos]>
    %end = scf.for %i = %c0 to %n step %c1 iter_args(%at = %s) -> (!tcgemm.ring_state) : i32 {
      %w = tcgemm.ring.acquire %ring, %at : !tcgemm.ring<3, cp_async, [!pos, !pos]> -> !write
      %g = tcgemm.ring.commit %ring, %w : !tcgemm.ring<3, cp_async, [!pos, !pos]>, !write -> !group
      %r = tcgemm.ring.wait %ring, %at, %g : !group pending 0 : !tcgemm.ring<3, cp_async, [!pos, !pos]> -> !read
      tcgemm.ring.release %ring, %r : !tcgemm.ring<3, cp_async, [!pos, !pos]>, !read
      %next = tcgemm.ring.advance %ring, %at : !tcgemm.ring<3, cp_async, [!pos, !pos]>
      scf.yield %next : !tcgemm.ring_state
    }
    tcgemm.ring.drain %ring : !tcgemm.ring<3, cp_async, [!pos, !pos]>
    tcgemm.return
  }

  // Batches and slices cost a division and a remainder each.
  // CHECK-LABEL: tcgemm.program @raster_batched(
  // CHECK-SAME: %[[I:[^:]*]]: i32, %[[TM:[^:]*]]: i32, %[[TN:[^:]*]]: i32, %[[SLICES:[^:]*]]: i32,
  // CHECK: %[[PLANE:.*]] = arith.muli %[[TM]], %[[TN]]
  // CHECK: %[[ALL:.*]] = arith.muli %[[PLANE]], %[[SLICES]]
  // CHECK: %[[BATCH:.*]] = arith.divui %[[I]], %[[ALL]]
  // CHECK: %[[WHOLE:.*]] = arith.muli %[[BATCH]], %[[ALL]]
  // CHECK: %[[REST:.*]] = arith.subi %[[I]], %[[WHOLE]]
  // CHECK: %[[SLICE:.*]] = arith.divui %[[REST]], %[[PLANE]]
  // CHECK: %[[DONE:.*]] = arith.muli %[[SLICE]], %[[PLANE]]
  // CHECK: %[[TILE:.*]] = arith.subi %[[REST]], %[[DONE]]
  // CHECK: %[[BAND:.*]] = arith.muli %[[TN]], %c8_i32
  // CHECK: memref.store %[[BATCH]],
  // CHECK: memref.store %[[SLICE]],
  tcgemm.program @raster_batched(%i: i32, %tm: i32, %tn: i32, %slices: i32, %out: !global)
      attributes {threads = 64 : i64, chip = "sm_80"} {
    %b, %m, %n, %s = tcgemm.raster %i of %tm x %tn slices %slices along_m true group 8 slices_inner false
    %c0 = arith.constant 0 : index
    memref.store %b, %out[%c0] : !global
    memref.store %m, %out[%c0] : !global
    memref.store %n, %out[%c0] : !global
    memref.store %s, %out[%c0] : !global
    tcgemm.return
  }

  // One batch, one slice: only the bands are left.
  // CHECK-LABEL: tcgemm.program @raster_flat(
  // CHECK-COUNT-2: arith.divui
  // CHECK-NOT: arith.divui
  // CHECK: memref.store %c0_i32,
  // CHECK: memref.store %c0_i32,
  // CHECK: tcgemm.return
  tcgemm.program @raster_flat(%i: i32, %tm: i32, %tn: i32, %out: !global)
      attributes {threads = 64 : i64, chip = "sm_80"} {
    %c1 = arith.constant 1 : i32
    %b, %m, %n, %s = tcgemm.raster %i of %tm x %tn slices %c1 along_m false group 4 slices_inner false batched false
    %c0 = arith.constant 0 : index
    memref.store %b, %out[%c0] : !global
    memref.store %m, %out[%c0] : !global
    memref.store %n, %out[%c0] : !global
    memref.store %s, %out[%c0] : !global
    tcgemm.return
  }

  // Warps other than the first leave their registers in shared memory, four at
  // a time; the first ones add them in order. Behind them a barrier is only for
  // stores that go through the same memory.
  // CHECK-LABEL: tcgemm.program @sum_of_warps(
  // CHECK-SAME: %[[WARP_K:[^:]*]]: i32
  // CHECK: memref.view {{.*}} to memref<512xf32, #gpu.address_space<workgroup>>
  // CHECK: %[[OTHER:.*]] = arith.cmpi ne, %[[WARP_K]], %c0_i32
  // CHECK: scf.if %[[OTHER]] {
  // CHECK-COUNT-2: vector.store {{.*}} vector<4xf32>
  // CHECK: }
  // CHECK-NEXT: gpu.barrier
  // CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[WARP_K]], %c0_i32
  // CHECK: scf.if %[[FIRST]] ->
  // Two groups of warps, two quads each.
  // CHECK-COUNT-4: vector.load {{.*}} vector<4xf32>
  // CHECK: } else {
  // CHECK-NOT: gpu.barrier
  // CHECK: tcgemm.return
  tcgemm.program @sum_of_warps(%warp_k: i32, %out: !globalf) attributes {threads = 96 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %ring = tcgemm.ring.create : !xor_ring
    %acc = tcgemm.acc.zero : !tcgemm.acc<16 x 16, mma_sync>
    %sum = tcgemm.acc.reduce %acc over %warp_k of 3 through %ring
        : !tcgemm.acc<16 x 16, mma_sync>, !xor_ring -> !tcgemm.acc<16 x 16, mma_sync>
    tcgemm.epilogue %sum at (%c0, %c0, %c0) of (%c0, %c0) outputs(%out : !globalf)
        dims ["n"] arguments [] guards [] {
    ^bb0(%x: f32):
      tcgemm.yield %x : f32
    } : !tcgemm.acc<16 x 16, mma_sync>
    tcgemm.return
  }

  // The slices of split-K, in order. The loads of 16 precede the first sum, and then those
  // of 8, 4, 2 and 1 that are left.
  // CHECK-LABEL: tcgemm.program @sum_of_slices(
  // CHECK-SAME: %[[PARTS:[^:]*]]: memref<{{[^,]*}}, #gpu.address_space<global>>, %[[STRIDE:[^:]*]]: i64, %[[OFFSET:[^:]*]]: i64, %[[COUNT:[^:]*]]: i32
  // CHECK-DAG: %[[TRIPS:.*]] = arith.{{shrui|divui}} %[[COUNT]]
  // CHECK: %[[ALL:.*]] = scf.for %[[S:.*]] = %c0_i32 to %[[TRIPS]] step %c1_i32 iter_args(%[[SUM:.*]] = %cst) -> (f32)
  // CHECK: %[[FIRST:.*]] = arith.{{shli|muli}} %[[S]]
  // CHECK: %[[WIDE:.*]] = arith.extui %[[FIRST]]
  // CHECK: %[[FAR:.*]] = arith.muli %[[WIDE]], %[[STRIDE]]
  // CHECK: arith.addi %[[OFFSET]], %[[FAR]]
  // CHECK: %[[PART:.*]] = memref.load %[[PARTS]]
  // CHECK-COUNT-15: memref.load %[[PARTS]]
  // CHECK-NOT: memref.load
  // CHECK: %[[NEXT:.*]] = arith.addf %[[SUM]], %[[PART]]
  // CHECK-COUNT-15: arith.addf
  // CHECK-NEXT: scf.yield
  // CHECK: %[[BIT:.*]] = arith.andi %[[COUNT]], %c8_i32
  // CHECK: scf.if
  // CHECK-COUNT-8: memref.load
  // CHECK: arith.addf %[[ALL]]
  // CHECK: arith.andi %[[COUNT]], %c4_i32
  // CHECK: scf.if
  // CHECK-COUNT-4: memref.load
  // CHECK: arith.andi %[[COUNT]], %c2_i32
  // CHECK: scf.if
  // CHECK-COUNT-2: memref.load
  // CHECK: arith.andi %[[COUNT]], %c1_i32
  // CHECK: scf.if
  // CHECK-COUNT-1: memref.load
  // CHECK-NOT: memref.load
  tcgemm.program @sum_of_slices(%parts: !globalf, %stride: i64, %offset: i64, %slices: i32, %out: !globalf)
      attributes {threads = 128 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %acc = tcgemm.acc.gather %parts[%offset] slices %slices stride %stride : !globalf -> !tcgemm.acc<1 x 1, row>
    tcgemm.epilogue %acc at (%c0, %c0, %c0) of (%c0, %c0) outputs(%out : !globalf)
        dims ["n"] arguments [] guards [] {
    ^bb0(%x: f32):
      tcgemm.yield %x : f32
    } : !tcgemm.acc<1 x 1, row>
    tcgemm.return
  }
}
