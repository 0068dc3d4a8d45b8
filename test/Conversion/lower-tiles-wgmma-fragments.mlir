// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,canonicalize,cse))' | FileCheck %s

// A of 4 bits is loaded to registers, converted and multiplied there. The stage has
// 2048 bytes of A and 4096 of B; rows of A have 32 bytes, in the swizzle of that width.

!a = !tcgemm.tile<64 x 32 x i8, b32>
!b = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<3, mbarrier, [!a, !b]>
!read = !tcgemm.token<read>
!narrow = !tcgemm.fragment<a, 64 x 32 x i4 for wgmma>
!wide = !tcgemm.fragment<a, 64 x 32 x bf16 for wgmma>
!acc = !tcgemm.acc<64 x 32, wgmma>
!flight = !tcgemm.acc<64 x 32, wgmma, in_flight = true>

// CHECK-LABEL: tcgemm.program @fragments
// CHECK-DAG: %[[FACTORS:.*]] = arith.constant dense<[1.701410e+38, 1.063380e+37]> : vector<2xbf16>
// CHECK-DAG: %[[START:.*]] = arith.constant dense<-1.250000e-01> : vector<2xbf16>
// CHECK-DAG: %[[SCALE:.*]] = arith.constant 6.400000e+01 : f32
gpu.module @module {
  tcgemm.program @fragments(%mapA: !tcgemm.tensor_map<!a>, %mapB: !tcgemm.tensor_map<!b>, %m: i32,
                            %out: memref<?xf32, #gpu.address_space<global>>, %stride: i64)
      attributes {threads = 256 : i64, chip = "sm_90a"} {
    %c0 = arith.constant 0 : i32
    %ring = tcgemm.ring.create empty_arrivals 4 : !ring
    tcgemm.role producer warps [0, 4] {
      %start = tcgemm.ring.start %ring : !ring
      %w = tcgemm.ring.acquire %ring, %start : !ring -> !tcgemm.token<write>
      tcgemm.tma.load %mapA[%c0, %m] to %ring, %start, %w tile 0 : !tcgemm.tensor_map<!a>, !ring, !tcgemm.token<write>
      tcgemm.tma.load %mapB[%c0, %m] to %ring, %start, %w tile 1 : !tcgemm.tensor_map<!b>, !ring, !tcgemm.token<write>
      tcgemm.ring.commit %ring, %w : !ring, !tcgemm.token<write>
    }
    tcgemm.role consumer warps [4, 8] {
      %start = tcgemm.ring.start %ring : !ring
      %zero = tcgemm.acc.zero : !acc
      %r = tcgemm.ring.wait %ring, %start : !ring -> !read
      // A warp has 16 rows, a lane row lane / 4 of them and the one 8 rows on. Four rows of
      // 32 bytes share the key of the swizzle.
      // CHECK: nvvm.mbarrier.try_wait.parity
      // CHECK: nvvm.mbarrier.try_wait.parity
      // CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %{{.*}} : i32
      // CHECK: %[[FOURTH:.*]] = arith.divui %[[ROW]], %c4_i32
      // CHECK: %[[KEY:.*]] = arith.remui %[[FOURTH]], %c2_i32
      // CHECK: arith.muli %[[ROW]], %c32_i32
      // CHECK: arith.muli %[[KEY]], %c16_i32
      // CHECK: %[[AT:.*]] = arith.addi
      // CHECK: %[[LOW:.*]] = llvm.getelementptr %[[SHARED:.*]][%[[AT]]]
      // CHECK: %[[PIECE:.*]] = llvm.load %[[LOW]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
      // CHECK: %[[WORD:.*]] = llvm.extractelement %[[PIECE]][%c0_i32 : i32]
      // CHECK: %[[HIGH:.*]] = llvm.getelementptr %[[LOW]][256]
      // CHECK: llvm.load %[[HIGH]] {alignment = 16 : i64}
      %n0 = tcgemm.fragment.load %ring, %start, %r warp %c0 tile 0 k_step 0 transposed false : !ring, !read -> !narrow
      // The next step is the other half of the row.
      // CHECK: %[[NEXT:.*]] = arith.xori %[[AT]], %c16_i32
      // CHECK: llvm.getelementptr %[[SHARED]][%[[NEXT]]]
      %n1 = tcgemm.fragment.load %ring, %start, %r warp %c0 tile 0 k_step 1 transposed false : !ring, !read -> !narrow
      // Byte lane mod 4 of a word, in both halves.
      // CHECK: %[[SELECTOR:.*]] = arith.muli %{{.*}}, %c257_i32
      // The words stay behind what is before the conversion.
      // CHECK: %[[ALL:.*]] = llvm.inline_asm has_side_effects {{.*}}"", "=r,=r,=r,=r,=r,=r,=r,=r,0,1,2,3,4,5,6,7" %[[WORD]],
      // CHECK: %[[PINNED:.*]] = llvm.extractvalue %[[ALL]][0]
      // CHECK: %[[BYTE:.*]] = llvm.inline_asm asm_dialect = att "prmt.b32 $0, $1, $2, $3;", "=r,r,r,r" %[[PINNED]], %c0_i32, %[[SELECTOR]]
      // CHECK: %[[NUMBER:.*]] = llvm.inline_asm asm_dialect = att "lop3.b32 $0, $1, 15728655, 8388616, 106;", "=r,r" %[[BYTE]]
      // An element of 1 becomes 2^-6. The upper one is 16 times as large.
      // CHECK: %[[PAIR:.*]] = llvm.bitcast %[[NUMBER]] : i32 to vector<2xbf16>
      // CHECK: %[[VALUE:.*]] = llvm.intr.fma(%[[PAIR]], %[[FACTORS]], %[[START]])
      // CHECK: %[[A0:.*]] = llvm.bitcast %[[VALUE]]
      // CHECK-COUNT-7: "prmt.b32 $0, $1, $2, $3;"
      %f0 = tcgemm.fragment.convert %n0 : !narrow -> !wide
      // Both instructions of the fragment are a group; only the first starts the sum.
      // CHECK: llvm.inline_asm has_side_effects
      // CHECK-SAME: "{\0Awgmma.fence.sync.aligned;\0A
      // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {$0, {{[^}]*}}$15}, {$17, $18, $19, $20}, $16, 0, 1, 1, 0;
      // CHECK-SAME: wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {$0, {{[^}]*}}$15}, {$22, $23, $24, $25}, $21, 1, 1, 1, 0;
      // CHECK-SAME: wgmma.commit_group.sync.aligned;
      // CHECK-SAME: l,r,r,r,r,l,r,r,r,r,~{memory}" %{{[^,]*}}, %[[A0]],
      %p0 = tcgemm.mma.async_fragment %f0 by %ring, %start, %r tile 1 k_step 0 new into %zero : !wide, !ring, !read, !acc -> !flight
      // CHECK: wgmma.mma_async{{.*}} 1, 1, 1, 0;
      // CHECK-SAME: "=f,{{.*}},0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,l,r,r,r,r,l,r,r,r,r,~{memory}"
      // CHECK: "wgmma.wait_group.sync.aligned 0;"
      %f1 = tcgemm.fragment.convert %n1 : !narrow -> !wide
      %p1 = tcgemm.mma.async_fragment %f1 by %ring, %start, %r tile 1 k_step 1 into %p0 : !wide, !ring, !read, !flight -> !flight
      %scaled = tcgemm.mma.await %p1 : !flight -> !acc
      // CHECK: arith.mulf %{{.*}}, %[[SCALE]] : f32
      // CHECK-COUNT-15: arith.mulf
      %acc = tcgemm.acc.scale %scaled by 6 : !tcgemm.acc<64 x 32, wgmma>
      tcgemm.ring.release %ring, %r arrivals 4 : !ring, !read
      tcgemm.epilogue %acc at (%c0, %m, %m) of (%m, %m) outputs(%out : memref<?xf32, #gpu.address_space<global>>)
          strides(%stride) dims ["mn"] arguments [] guards [] {
      ^bb0(%x: f32):
        tcgemm.yield %x : f32
      } : !acc
    }
    tcgemm.return
  }
}
