// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,cse))' | FileCheck %s

// C is read only if beta is not 0; a whole and aligned warp tile is read in
// pairs, any other by element at clamped coordinates. One block of 16 rows.

!global = memref<?xbf16, #gpu.address_space<global>>
!globalf = memref<?xf32, #gpu.address_space<global>>
!acc = !tcgemm.acc<16 x 16, mma_sync>

gpu.module @module {
  // CHECK-LABEL: tcgemm.program @direct(
  // CHECK-SAME: %[[C:[^:]*]]: {{[^,]*}}, #gpu.address_space<global>>, %[[BIAS:[^:]*]]: {{[^,]*}}, #gpu.address_space<global>>, %[[D:[^:]*]]: {{[^,]*}}, #gpu.address_space<global>>, %[[BETA:[^:]*]]: f32
  // CHECK-SAME: %[[M:[^:]*]]: i32, %[[N:[^:]*]]: i32, %[[M0:[^:]*]]: i32, %[[N0:[^:]*]]: i32
  // CHECK: %[[ENDM:.*]] = arith.addi %[[M0]], %c16_i32
  // CHECK: %[[INM:.*]] = arith.cmpi ule, %[[ENDM]], %[[M]]
  // CHECK: %[[ENDN:.*]] = arith.addi %[[N0]], %c16_i32
  // CHECK: %[[INN:.*]] = arith.cmpi ule, %[[ENDN]], %[[N]]
  // CHECK: %[[WHOLE:.*]] = arith.andi %[[INM]], %[[INN]]
  // CHECK: memref.extract_aligned_pointer_as_index %[[C]]
  // CHECK: %[[USED:.*]] = arith.cmpf une, %[[BETA]], %cst
  // CHECK: scf.if %[[USED]] ->
  // CHECK: %[[PAIRS:.*]] = arith.andi %{{.*}}, %[[WHOLE]]
  // CHECK: scf.if %[[PAIRS]] ->
  // CHECK-COUNT-4: vector.load %[[C]][{{.*}} vector<2xbf16>
  // CHECK: } else {
  // CHECK-COUNT-8: memref.load %[[C]]
  // CHECK: } else {
  // CHECK: arith.constant 0.0{{.*}} : bf16
  // A bias does not depend on the row: two pairs for the whole block.
  // CHECK: memref.extract_aligned_pointer_as_index %[[BIAS]]
  // CHECK: scf.if
  // CHECK-COUNT-2: vector.load %[[BIAS]][{{.*}} vector<2xf32>
  // CHECK-NOT: vector.load
  // CHECK-COUNT-8: arith.truncf
  // CHECK-NOT: arith.truncf
  // CHECK: scf.if
  // CHECK-COUNT-4: vector.store {{.*}} vector<2xbf16>
  // CHECK: } else {
  // CHECK: scf.if
  // CHECK-COUNT-8: memref.store
  // CHECK-NOT: memref.store
  // CHECK: tcgemm.return
  tcgemm.program @direct(%c: !global, %bias: !globalf, %d: !global, %beta: f32, %pc: i64, %pd: i64,
                         %m: i32, %n: i32, %m0: i32, %n0: i32)
      attributes {threads = 32 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %acc = tcgemm.acc.zero : !acc
    tcgemm.epilogue %acc at (%c0, %m0, %n0) of (%m, %n) inputs(%c, %bias : !global, !globalf)
        scalars(%beta : f32) outputs(%d : !global) strides(%pc, %pd) dims ["mn", "n", "mn"]
        arguments [0, 1, -1] guards [0, -1] {
    ^bb0(%x: f32, %old: bf16, %b: f32, %factor: f32):
      %wide = arith.extf %old : bf16 to f32
      %scaled = arith.mulf %wide, %factor : f32
      %sum = arith.addf %x, %scaled : f32
      %biased = arith.addf %sum, %b : f32
      %y = arith.truncf %biased : f32 to bf16
      tcgemm.yield %y : bf16
    } : !acc
    tcgemm.return
  }

  // Staged: pairs into shared memory, whose rows are 16 bytes longer than the
  // tile's; then runs of 16 bytes, where N is a multiple of them, or elements in
  // a loop, unrolled to 256 of them; all under a predicate. Only the warp has to
  // meet.
  // CHECK-LABEL: tcgemm.program @staged
  // CHECK: %[[VIEW:.*]] = memref.view {{.*}} to memref<768xbf16, #gpu.address_space<workgroup>>
  // CHECK-COUNT-4: vector.store {{.*}}, %[[VIEW]][{{.*}} vector<2xbf16>
  // CHECK: nvvm.bar.warp.sync
  // CHECK: %[[MULTIPLE:.*]] = arith.remui %{{.*}}, %c8_i32
  // CHECK: arith.cmpi eq, %[[MULTIPLE]], %c0_i32
  // CHECK: arith.remui %{{.*}}, %c16_i64
  // CHECK: arith.remui %{{.*}}, %c8_i64
  // CHECK: scf.if
  // CHECK: scf.if
  // CHECK: vector.load %[[VIEW]][{{.*}} vector<8xbf16>
  // CHECK: vector.store {{.*}} #gpu.address_space<global>>, vector<8xbf16>
  // CHECK-NOT: vector.load
  // CHECK: } else {
  // CHECK: scf.for
  // CHECK-COUNT-8: memref.store {{.*}} #gpu.address_space<global>>
  // CHECK-NOT: memref.store
  // CHECK: nvvm.bar.warp.sync
  // The next 16 rows go through the same place.
  // CHECK-COUNT-4: vector.store {{.*}}, %{{.*}}[{{.*}} vector<2xbf16>
  // CHECK: nvvm.bar.warp.sync
  // They are the last ones.
  // CHECK-NOT: {{nvvm.bar.warp.sync|gpu.barrier}}
  // CHECK: tcgemm.return
  tcgemm.program @staged(%d: !global, %pd: i64, %m: i32, %n: i32, %m0: i32, %n0: i32)
      attributes {threads = 64 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %acc = tcgemm.acc.zero : !tcgemm.acc<32 x 16, mma_sync>
    tcgemm.epilogue %acc at (%c0, %m0, %n0) of (%m, %n) outputs(%d : !global) strides(%pd)
        dims ["mn"] arguments [] guards [] staging 1536 {
    ^bb0(%x: f32):
      %y = arith.truncf %x : f32 to bf16
      tcgemm.yield %y : bf16
    } : !tcgemm.acc<32 x 16, mma_sync>
    tcgemm.return
  }

  // Of a static M of 9 a warp's second 16 rows have nothing.
  // CHECK-LABEL: tcgemm.program @few_rows
  // CHECK-COUNT-4: vector.store
  // CHECK-COUNT-8: memref.store
  // CHECK-NOT: {{vector|memref}}.store
  // CHECK: tcgemm.return
  tcgemm.program @few_rows(%d: !global, %pd: i64, %n: i32, %m0: i32, %n0: i32)
      attributes {threads = 64 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %m = arith.constant 9 : i32
    %acc = tcgemm.acc.zero : !tcgemm.acc<32 x 16, mma_sync>
    tcgemm.epilogue %acc at (%c0, %m0, %n0) of (%m, %n) outputs(%d : !global) strides(%pd)
        dims ["mn"] arguments [] guards [] {
    ^bb0(%x: f32):
      %y = arith.truncf %x : f32 to bf16
      tcgemm.yield %y : bf16
    } : !tcgemm.acc<32 x 16, mma_sync>
    tcgemm.return
  }

  // A transposed output has no neighbours along n: element by element, staged
  // or not.
  // CHECK-LABEL: tcgemm.program @transposed
  // CHECK-NOT: nvvm.bar.warp.sync
  // CHECK-NOT: vector.store
  // CHECK-COUNT-8: memref.store
  // CHECK: tcgemm.return
  tcgemm.program @transposed(%d: !global, %pd: i64, %m: i32, %n: i32, %m0: i32, %n0: i32)
      attributes {threads = 32 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %acc = tcgemm.acc.zero : !acc
    tcgemm.epilogue %acc at (%c0, %m0, %n0) of (%m, %n) outputs(%d : !global) strides(%pd)
        dims ["nm"] arguments [] guards [] staging 768 {
    ^bb0(%x: f32):
      %y = arith.truncf %x : f32 to bf16
      tcgemm.yield %y : bf16
    } : !acc
    tcgemm.return
  }

  // Coordinates as values.
  // CHECK-LABEL: tcgemm.program @coordinates
  // CHECK-NOT: tcgemm.index
  // CHECK-COUNT-8: arith.select
  // CHECK: tcgemm.return
  tcgemm.program @coordinates(%d: !globalf, %pd: i64, %m: i32, %n: i32, %m0: i32, %n0: i32)
      attributes {threads = 32 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %acc = tcgemm.acc.zero : !acc
    tcgemm.epilogue %acc at (%c0, %m0, %n0) of (%m, %n) outputs(%d : !globalf) strides(%pd)
        dims ["mn"] arguments [] guards [] {
    ^bb0(%x: f32):
      %none = arith.constant 0.0 : f32
      %i = tcgemm.index "m"
      %j = tcgemm.index "n"
      %lower = arith.cmpi uge, %i, %j : index
      %y = arith.select %lower, %x, %none : f32
      tcgemm.yield %y : f32
    } : !acc
    tcgemm.return
  }
}
