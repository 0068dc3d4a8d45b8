// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,canonicalize,cse))' | FileCheck %s

// Schedule wmma: matrices of one instruction each, from shared memory by
// gpu.subgroup_mma and from global memory, where pitches are not constant, by
// nvvm.wmma.

!tile = !tcgemm.tile<64 x 32 x f16, none>
!turned = !tcgemm.tile<32 x 64 x f16, none>
!ring = !tcgemm.ring<2, cp_async, [!tile, !turned]>
!a = !tcgemm.fragment<a, 32 x 16 x f16 for wmma_m16n16>
!b = !tcgemm.fragment<b, 16 x 16 x f16 for wmma_m16n16>
!acc = !tcgemm.acc<32 x 16, wmma_m16n16>
!rounded = !tcgemm.acc<16 x 16, wmma_m16n16k8>
!rounded_a = !tcgemm.fragment<a, 16 x 8 x tf32 for wmma_m16n16k8>
!rounded_b = !tcgemm.fragment<b, 16 x 8 x tf32 for wmma_m16n16k8>
!integers = !tcgemm.acc<8 x 32 of i32, wmma_m8n32>
!bytes_a = !tcgemm.fragment<a, 8 x 16 x ui8 for wmma_m8n32>
!bytes_b = !tcgemm.fragment<b, 32 x 16 x ui8 for wmma_m8n32>
!counts = !tcgemm.acc<8 x 8 of i32, wmma_m8n8k128>
!bits_a = !tcgemm.fragment<a, 8 x 128 x ui1 for wmma_m8n8k128>
!bits_b = !tcgemm.fragment<b, 8 x 128 x ui1 for wmma_m8n8k128>
!halves = !tcgemm.acc<16 x 16 of f16, wmma_m16n16>
!half = memref<?xf16, #gpu.address_space<global>>
!float = memref<?xf32, #gpu.address_space<global>>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>

gpu.module @module {
  // CHECK-LABEL: tcgemm.program @staged(
  // CHECK-SAME: %[[WM:[^:]*]]: i32, %[[WN:[^:]*]]: i32
  // CHECK: %[[VIEW:.*]] = memref.view {{.*}} to memref<8192xf16
  // A, rows along k: 64 x 32, the second k-step 16 elements further, the second
  // matrix 16 rows of 32 further down.
  // CHECK: %[[START:.*]] = arith.muli %[[WM]], %c1024_i32
  // CHECK: %[[AT:.*]] = arith.addi %[[START]], %c16_i32
  // CHECK: %[[I:.*]] = arith.index_castui %[[AT]]
  // CHECK: %[[A0:.*]] = gpu.subgroup_mma_load_matrix %[[VIEW]][%[[I]]] {leadDimension = 32 : index} : {{.*}} -> !gpu.mma_matrix<16x16xf16, "AOp">
  // CHECK: %[[AT1:.*]] = arith.addi %[[START]], %c528_i32
  // CHECK: %[[I1:.*]] = arith.index_castui %[[AT1]]
  // CHECK: %[[A1:.*]] = gpu.subgroup_mma_load_matrix %[[VIEW]][%[[I1]]] {leadDimension = 32 : index}
  // B, rows along n, behind A's 2048 elements: 16 rows of 64 further.
  // CHECK: %[[STARTB:.*]] = arith.muli %[[WN]], %c16_i32
  // CHECK: %[[ATB:.*]] = arith.addi %[[STARTB]], %c3072_i32
  // CHECK: %[[IB:.*]] = arith.index_castui %[[ATB]]
  // CHECK: %[[B0:.*]] = gpu.subgroup_mma_load_matrix %[[VIEW]][%[[IB]]] {leadDimension = 64 : index} : {{.*}} -> !gpu.mma_matrix<16x16xf16, "BOp">
  // CHECK: %[[ZERO:.*]] = gpu.subgroup_mma_constant_matrix {{.*}} : !gpu.mma_matrix<16x16xf32, "COp">
  // CHECK: %[[D0:.*]] = gpu.subgroup_mma_compute %[[A0]], %[[B0]], %[[ZERO]] : {{.*}} -> !gpu.mma_matrix<16x16xf32, "COp">
  // CHECK: %[[D1:.*]] = gpu.subgroup_mma_compute %[[A1]], %[[B0]], %[[ZERO]]
  // The CTA's tile of f32, in rows of 72, and a segment of it.
  // CHECK: %[[TILE:.*]] = memref.view {{.*}} to memref<4608xf32
  // CHECK: gpu.subgroup_mma_store_matrix %[[D0]], %[[TILE]][%{{.*}}] {leadDimension = 72 : index}
  // CHECK: arith.addi %{{.*}}, %c1152_i32
  // CHECK: gpu.subgroup_mma_store_matrix %[[D1]], %[[TILE]][%{{.*}}] {leadDimension = 72 : index}
  // CHECK-NEXT: gpu.barrier
  // CHECK: %[[QUAD:.*]] = vector.load %[[TILE]][%{{.*}}] : {{.*}}, vector<4xf32>
  // CHECK-COUNT-4: vector.extract %[[QUAD]]
  // They are stored as such where they can be.
  // CHECK: scf.if
  // CHECK: vector.store {{.*}} vector<4xf32>
  // CHECK: } else {
  // CHECK-COUNT-4: memref.store
  tcgemm.program @staged(%wm: i32, %wn: i32, %out: !float, %m: i32, %ld: i64)
      attributes {threads = 128 : i64, chip = "sm_80"} {
    %ring = tcgemm.ring.create : !ring
    %s = tcgemm.ring.start %ring : !ring
    %w = tcgemm.ring.acquire %ring, %s : !ring -> !write
    %g = tcgemm.ring.commit %ring, %w : !ring, !write -> !group
    %r = tcgemm.ring.wait %ring, %s, %g : !group : !ring -> !read
    %a = tcgemm.fragment.load %ring, %s, %r warp %wm tile 0 k_step 1 transposed false : !ring, !read -> !a
    %b = tcgemm.fragment.load %ring, %s, %r warp %wn tile 1 k_step 1 transposed true : !ring, !read -> !b
    %zero = tcgemm.acc.zero : !acc
    %sum = tcgemm.mma %a, %b, %zero b_transposed : !a, !b, !acc
    tcgemm.ring.drain %ring, %r : !ring, !read
    tcgemm.acc.stage %sum at (%wm, %wn) of 64 pitch 72 : !acc
    %row = tcgemm.acc.unstage (%wm, %wn) of 64 pitch 72 : !tcgemm.acc<1 x 4, row>
    tcgemm.epilogue %row at(%wm, %wm, %wn) of(%m, %m) outputs(%out : !float) strides(%ld) dims ["mn"] arguments [] guards [] {
    ^bb0(%x: f32):
      tcgemm.yield %x : f32
    } : !tcgemm.acc<1 x 4, row>
    tcgemm.return
  }

  // CHECK-LABEL: tcgemm.program @fetched(
  // CHECK-SAME: %[[X:[^:]*]]: memref<?xf16, #gpu.address_space<global>>, %[[AT:[^:]*]]: i64, %[[LD:[^:]*]]: i64, %[[FIRST:[^:]*]]: i32, %[[M:[^:]*]]: i32
  // A matrix beyond the operand is the last one inside.
  // CHECK: %[[LAST:.*]] = arith.subi %[[M]], %c16_i32
  // CHECK: %[[PITCH:.*]] = arith.trunci %[[LD]]
  // CHECK: %[[PLACE:.*]] = arith.minui %[[FIRST]], %[[LAST]]
  // CHECK: %[[WIDE:.*]] = arith.extui %[[PLACE]]
  // CHECK: %[[DOWN:.*]] = arith.muli %[[WIDE]], %[[LD]]
  // CHECK: %[[INDEX:.*]] = arith.addi %[[AT]], %[[DOWN]]
  // CHECK: %[[P:.*]] = llvm.getelementptr %{{.*}}[%[[INDEX]]]
  // CHECK: nvvm.wmma.load %[[P]], %[[PITCH]] {eltype = #nvvm.mma_type<f16>, frag = #nvvm.mma_frag<a>, k = 16 : i32, layout = #nvvm.mma_layout<row>, m = 16 : i32, n = 16 : i32}
  // CHECK: builtin.unrealized_conversion_cast {{.*}} to !gpu.mma_matrix<16x16xf16, "AOp">
  // CHECK: arith.addi %[[FIRST]], %c16_i32
  // CHECK: nvvm.wmma.load
  // B with k contiguous is column-major to wmma.
  // CHECK: nvvm.wmma.load {{.*}} frag = #nvvm.mma_frag<b>, k = 16 : i32, layout = #nvvm.mma_layout<col>
  // CHECK: gpu.subgroup_mma_compute {{.*}} {b_transpose}
  // Sums that no place matters to are stored by the instruction.
  // CHECK: scf.if
  // CHECK: llvm.extractvalue
  // CHECK: arith.mulf
  // CHECK: nvvm.wmma.store {{.*}} {eltype = #nvvm.mma_type<f32>, k = 16 : i32, layout = #nvvm.mma_layout<row>, m = 16 : i32, n = 16 : i32}
  // CHECK: nvvm.wmma.store
  // CHECK-NOT: nvvm.wmma.store
  // CHECK: } else {
  // Else through the warp's share of shared memory: 16 rows of 24.
  // CHECK: gpu.subgroup_mma_store_matrix {{.*}} {leadDimension = 24 : index}
  // CHECK-NEXT: nvvm.bar.warp.sync
  // CHECK-COUNT-4: vector.load {{.*}} vector<2xf32>
  // CHECK: nvvm.bar.warp.sync
  // CHECK: gpu.subgroup_mma_store_matrix
  tcgemm.program @fetched(%x: !half, %at: i64, %ld: i64, %first: i32, %m: i32, %out: !float, %alpha: f32)
      attributes {threads = 128 : i64, chip = "sm_80"} {
    %a = tcgemm.fragment.fetch %x[%at] stride %ld at %first of %m : !half -> !a
    %b = tcgemm.fragment.fetch %x[%at] stride %ld at %first of %m : !half -> !b
    %zero = tcgemm.acc.zero : !acc
    %sum = tcgemm.mma %a, %b, %zero : !a, !b, !acc
    tcgemm.epilogue %sum at(%first, %first, %first) of(%m, %m) scalars(%alpha : f32) outputs(%out : !float) strides(%ld) dims ["mn"] arguments [-1] guards [] staging 6144 {
    ^bb0(%s: f32, %f: f32):
      %d = arith.mulf %s, %f : f32
      tcgemm.yield %d : f32
    } : !acc
    tcgemm.return
  }

  // What asks for its place, or is stored otherwise, goes through shared memory.
  // CHECK-LABEL: tcgemm.program @placed(
  // CHECK-NOT: nvvm.wmma.store
  // CHECK: gpu.subgroup_mma_store_matrix
  // CHECK-NOT: nvvm.wmma.store
  // CHECK: tcgemm.return
  tcgemm.program @placed(%first: i32, %m: i32, %out: !half, %ld: i64)
      attributes {threads = 32 : i64, chip = "sm_80"} {
    %zero = tcgemm.acc.zero : !acc
    tcgemm.epilogue %zero at(%first, %first, %first) of(%m, %m) outputs(%out : !half) strides(%ld) dims ["mn"] arguments [] guards [] staging 1536 {
    ^bb0(%s: f32):
      %d = arith.truncf %s : f32 to f16
      tcgemm.yield %d : f16
    } : !acc
    tcgemm.return
  }

  // Row p mod R, column (p mod R + p div R) mod C.
  // CHECK-LABEL: tcgemm.program @diagonal(
  // CHECK-SAME: %[[P:[^:]*]]: i32, %[[R:[^:]*]]: i32, %[[C:[^:]*]]: i32
  // CHECK: %[[Q:.*]] = arith.divui %[[P]], %[[R]]
  // CHECK: %[[T:.*]] = arith.muli %[[Q]], %[[R]]
  // CHECK: %[[ROW:.*]] = arith.subi %[[P]], %[[T]]
  // CHECK: %[[SUM:.*]] = arith.addi %[[ROW]], %[[Q]]
  // CHECK: %[[QC:.*]] = arith.divui %[[SUM]], %[[C]]
  // CHECK: %[[TC:.*]] = arith.muli %[[QC]], %[[C]]
  // CHECK: %[[COLUMN:.*]] = arith.subi %[[SUM]], %[[TC]]
  // CHECK: arith.extui %[[ROW]]
  // CHECK: arith.extui %[[COLUMN]]
  tcgemm.program @diagonal(%p: i32, %r: i32, %c: i32, %out: !float)
      attributes {threads = 32 : i64, chip = "sm_80"} {
    %c1 = arith.constant 1 : i32
    %batch, %m, %n, %slice = tcgemm.raster %p of %r x %c slices %c1 along_m true
      group 8 slices_inner false batched false diagonal
    %zero = tcgemm.acc.zero : !acc
    %ld = arith.extui %m : i32 to i64
    %at = arith.extui %n : i32 to i64
    %f = arith.constant 1.0 : f32
    %i = arith.index_cast %ld : i64 to index
    %j = arith.index_cast %at : i64 to index
    memref.store %f, %out[%i] : !float
    memref.store %f, %out[%j] : !float
    tcgemm.return
  }

  // Elements of tf32 are rounded in registers, and a fragment has a depth of 8. The
  // store of sums has this depth too, which gpu.subgroup_mma_store_matrix has not.
  // CHECK-LABEL: tcgemm.program @rounded(
  // CHECK: %[[X:.*]] = nvvm.wmma.load {{.*}} {eltype = #nvvm.mma_type<tf32>, frag = #nvvm.mma_frag<a>, k = 8 : i32, {{.*}} m = 16 : i32, n = 16 : i32}
  // CHECK: %[[E:.*]] = llvm.extractvalue %{{.*}}[0]
  // CHECK: %[[F:.*]] = arith.bitcast %[[E]] : i32 to f32
  // CHECK: %[[R:.*]] = llvm.inline_asm {{.*}}"cvt.rn.tf32.f32 $0, $1;", "=f,f" %[[F]]
  // CHECK: %[[I:.*]] = arith.bitcast %[[R]] : f32 to i32
  // CHECK: llvm.insertvalue %[[I]], %{{.*}}[0]
  // CHECK-COUNT-3: cvt.rn.tf32.f32
  // CHECK: nvvm.wmma.load
  // CHECK: gpu.subgroup_mma_compute {{.*}} : !gpu.mma_matrix<16x8xf32, "AOp">, !gpu.mma_matrix<8x16xf32, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
  // CHECK-NOT: gpu.subgroup_mma_store_matrix
  // CHECK: nvvm.wmma.store {{.*}} {eltype = #nvvm.mma_type<f32>, k = 8 : i32, {{.*}} m = 16 : i32, n = 16 : i32}
  tcgemm.program @rounded(%x: !float, %at: i64, %ld: i64, %first: i32, %m: i32, %out: !float)
      attributes {threads = 32 : i64, chip = "sm_90"} {
    %a = tcgemm.fragment.fetch %x[%at] stride %ld at %first of %m : !float -> !rounded_a
    %b = tcgemm.fragment.fetch %x[%at] stride %ld at %first of %m : !float -> !rounded_b
    %zero = tcgemm.acc.zero : !rounded
    %sum = tcgemm.mma %a, %b, %zero : !rounded_a, !rounded_b, !rounded
    tcgemm.acc.stage %sum at (%first, %first) of 64 pitch 72 : !rounded
    tcgemm.return
  }

  // Integers: their matrices have signs, and sums of s32 are stored as such.
  // CHECK-LABEL: tcgemm.program @integers(
  // A has one register, which inline PTX loads.
  // CHECK: llvm.inline_asm has_side_effects asm_dialect = att "wmma.load.a.sync.aligned.row.m8n32k16.global.u8 {$0}, [$1], $2;", "=r,l,r,~{memory}"
  // CHECK: nvvm.wmma.load {{.*}} {eltype = #nvvm.mma_type<u8>, frag = #nvvm.mma_frag<b>, k = 16 : i32, {{.*}} m = 8 : i32, n = 32 : i32}
  // CHECK: gpu.subgroup_mma_compute {{.*}} : !gpu.mma_matrix<8x16xui8, "AOp">, !gpu.mma_matrix<16x32xui8, "BOp"> -> !gpu.mma_matrix<8x32xi32, "COp">
  // CHECK: nvvm.wmma.store {{.*}} {eltype = #nvvm.mma_type<s32>
  tcgemm.program @integers(%x: memref<?xi8, #gpu.address_space<global>>, %at: i64, %ld: i64, %first: i32, %m: i32, %out: memref<?xi32, #gpu.address_space<global>>)
      attributes {threads = 32 : i64, chip = "sm_80"} {
    %a = tcgemm.fragment.fetch %x[%at] stride %ld at %first of %m : memref<?xi8, #gpu.address_space<global>> -> !bytes_a
    %b = tcgemm.fragment.fetch %x[%at] stride %ld at %first of %m : memref<?xi8, #gpu.address_space<global>> -> !bytes_b
    %zero = tcgemm.acc.zero : !integers
    %sum = tcgemm.mma %a, %b, %zero : !bytes_a, !bytes_b, !integers
    tcgemm.epilogue %sum at(%first, %first, %first) of(%m, %m) outputs(%out : memref<?xi32, #gpu.address_space<global>>) strides(%ld) dims ["mn"] arguments [] guards [] staging 1280 {
    ^bb0(%s: i32):
      tcgemm.yield %s : i32
    } : !integers
    tcgemm.return
  }

  // Bits have registers of their own and inline PTX. Pitches count bits.
  // CHECK-LABEL: tcgemm.program @bits(
  // CHECK: %[[PITCH:.*]] = arith.muli %{{.*}}, %c8_i32
  // CHECK: %[[A:.*]] = llvm.inline_asm {{.*}}"wmma.load.a.sync.aligned.row.m8n8k128.global.b1 {$0}, [$1], $2;", "=r,l,r,~{memory}" %{{.*}}, %[[PITCH]]
  // CHECK: %[[B:.*]] = llvm.inline_asm {{.*}}"wmma.load.b.sync.aligned.col.m8n8k128.global.b1 {$0}, [$1], $2;"
  // CHECK: llvm.inline_asm {{.*}}"wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {$0, $1}, {$2}, {$3}, {$4, $5};", "=r,=r,r,r,r,r" %[[A]], %[[B]]
  // CHECK: llvm.inline_asm {{.*}}"wmma.store.d.sync.aligned.row.m8n8k128.global.s32 [$0], {$1, $2}, $3;", "l,r,r,r,~{memory}"
  // CHECK: } else {
  // CHECK: llvm.inline_asm {{.*}}"wmma.store.d.sync.aligned.row.m8n8k128.shared.s32 [$0], {$1, $2}, $3;", "r,r,r,r,~{memory}"
  tcgemm.program @bits(%x: memref<?xi8, #gpu.address_space<global>>, %at: i64, %ld: i64, %first: i32, %m: i32, %out: memref<?xi32, #gpu.address_space<global>>)
      attributes {threads = 32 : i64, chip = "sm_80"} {
    %a = tcgemm.fragment.fetch %x[%at] stride %ld at %first of %m : memref<?xi8, #gpu.address_space<global>> -> !bits_a
    %b = tcgemm.fragment.fetch %x[%at] stride %ld at %first of %m : memref<?xi8, #gpu.address_space<global>> -> !bits_b
    %zero = tcgemm.acc.zero : !counts
    %sum = tcgemm.mma %a, %b, %zero : !bits_a, !bits_b, !counts
    tcgemm.epilogue %sum at(%first, %first, %first) of(%m, %m) outputs(%out : memref<?xi32, #gpu.address_space<global>>) strides(%ld) dims ["mn"] arguments [] guards [] staging 512 {
    ^bb0(%s: i32):
      tcgemm.yield %s : i32
    } : !counts
    tcgemm.return
  }

  // Sums of f16 are extended where lanes read pairs of them.
  // CHECK-LABEL: tcgemm.program @half_sums(
  // CHECK-NOT: nvvm.wmma.store
  // CHECK: gpu.subgroup_mma_store_matrix {{.*}} {leadDimension = 24 : index} : !gpu.mma_matrix<16x16xf16, "COp">, memref<384xf16
  // CHECK: %[[PAIR:.*]] = vector.load {{.*}} vector<2xf16>
  // CHECK: arith.extf %[[PAIR]] : vector<2xf16> to vector<2xf32>
  tcgemm.program @half_sums(%first: i32, %m: i32, %out: !float, %ld: i64)
      attributes {threads = 32 : i64, chip = "sm_80"} {
    %zero = tcgemm.acc.zero : !halves
    tcgemm.epilogue %zero at(%first, %first, %first) of(%m, %m) outputs(%out : !float) strides(%ld) dims ["mn"] arguments [] guards [] staging 768 {
    ^bb0(%s: f32):
      tcgemm.yield %s : f32
    } : !halves
    tcgemm.return
  }
}
