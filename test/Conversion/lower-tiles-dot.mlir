// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,cse))' | FileCheck %s

!global = memref<?xbf16, #gpu.address_space<global>>
!half = memref<?xf16, #gpu.address_space<global>>

gpu.module @m {
  // Two groups of two warps with two columns each: those of a group take
  // vectors by turns.
  // CHECK-LABEL: tcgemm.program @dot
  // CHECK-DAG: %[[WARP:.*]] = arith.divui %[[THREAD:.*]], %c32_i32
  // CHECK-DAG: %[[SLICE:.*]] = arith.remui %[[WARP]], %c2_i32
  // CHECK-DAG: %[[GROUP:.*]] = arith.divui %[[WARP]], %c2_i32
  // CHECK-DAG: %[[SLICES:.*]] = arith.muli %[[SLICE]], %c32_i32
  // CHECK-DAG: %[[LANE:.*]] = arith.remui %[[THREAD]], %c32_i32
  // CHECK: arith.addi %[[SLICES]], %[[LANE]]
  // Rows beyond the last are the last one.
  // CHECK: arith.minui
  // A trip is of 2 x 2 warps x 256 elements.
  // CHECK: %[[TRIPS:.*]] = arith.divui %{{.*}}, %c1024_i32
  // The loop carries the addresses of three rows.
  // CHECK: scf.for %{{.*}} = %c0_i32 to %[[TRIPS]] step %c1_i32 iter_args({{.*}}) -> (i64, i64, i64, f32, f32)
  // All of the large operand's loads come first.
  // CHECK: llvm.inline_asm has_side_effects asm_dialect = att "ld.global.nc.L1::no_allocate.L2::128B.v4.b32 {$0, $1, $2, $3}, [$4 + 0];", "=r,=r,=r,=r,l"
  // CHECK: llvm.inline_asm has_side_effects asm_dialect = att "ld.global.nc.L1::no_allocate.L2::128B.v4.b32 {$0, $1, $2, $3}, [$4 + 0];"
  // CHECK: llvm.inline_asm has_side_effects asm_dialect = att "ld.global.nc.L1::no_allocate.L2::128B.v4.b32 {$0, $1, $2, $3}, [$4 + 1024];"
  // CHECK: llvm.inline_asm has_side_effects asm_dialect = att "ld.global.nc.L1::no_allocate.L2::128B.v4.b32 {$0, $1, $2, $3}, [$4 + 1024];"
  // CHECK-NOT: L2::128B
  // CHECK: llvm.inline_asm has_side_effects asm_dialect = att "ld.global.nc.v4.b32 {$0, $1, $2, $3}, [$4 + 0];"
  // CHECK: arith.shli %{{.*}}, %c16_i32
  // CHECK: arith.andi %{{.*}}, %c-65536_i32
  // CHECK-COUNT-16: math.fma
  // CHECK-NOT: math.fma
  // CHECK: llvm.inline_asm has_side_effects asm_dialect = att "ld.global.nc.v4.b32 {$0, $1, $2, $3}, [$4 + 1024];"
  // CHECK-COUNT-16: math.fma
  // CHECK-COUNT-3: arith.addi %{{.*}}, %c2048_i64
  // CHECK: scf.yield
  // The rest, by loads that have predicates: a vector of 8 must be left from its
  // first element on.
  // CHECK: %[[MORE:.*]] = arith.cmpi ne
  // CHECK: scf.if %[[MORE]] -> (f32, f32)
  // CHECK: setp.ge.s32 isThere, $5, 8;\0Amov.b32 $0, 0;\0Amov.b32 $1, 0;\0Amov.b32 $2, 0;\0Amov.b32 $3, 0;\0A@isThere ld.global.nc.L1::no_allocate.L2::128B.v4.b32 {$0, $1, $2, $3}, [$4 + 0];\0A}", "=r,=r,=r,=r,l,r"
  // CHECK: setp.ge.s32 isThere, $5, 520;
  // Elements that are no vector.
  // CHECK: %[[REST:.*]] = arith.remui %{{.*}}, %c8_i32
  // CHECK: setp.ge.s32 isThere, $2, 1;\0Amov.b16 $0, 0;\0A@isThere ld.global.nc.L1::no_allocate.L2::128B.b16 $0, [$1 + 0];
  // CHECK-COUNT-10: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl
  // CHECK: scf.if
  // CHECK-COUNT-2: memref.store %{{.*}} : memref<8xf32, #gpu.address_space<workgroup>>
  // CHECK: gpu.barrier
  // CHECK: arith.minui %[[THREAD]], %c3_i32
  // CHECK: %[[FIRST:.*]] = memref.load {{.*}} : memref<8xf32
  // CHECK: %[[SECOND:.*]] = memref.load {{.*}} : memref<8xf32
  // CHECK: arith.addf %[[FIRST]], %[[SECOND]]
  tcgemm.program @dot(%x: !global, %y: !global, %d: !global, %k: i32, %m: i32, %n: i32, %first: i32, %s: i64)
      attributes {threads = 128 : i64, chip = "sm_80"} {
    %z = arith.constant 0 : i64
    %c0 = arith.constant 0 : i32
    %acc = tcgemm.acc.dot %x[%z] stride %s at %c0 of %m by %y[%z] stride %s at %first of %n
      depth %k size 1 4 slices 2 unroll 2 bytes 16 16 : !global, !global -> <1 x 1, row>
    tcgemm.epilogue %acc at (%c0, %c0, %first) of (%m, %n) outputs (%d : !global) strides (%s)
        dims ["mn"] arguments [] guards [] {
    ^bb0(%sum: f32):
      %0 = arith.truncf %sum : f32 to bf16
      tcgemm.yield %0 : bf16
    } : <1 x 1, row>
    tcgemm.return
  }

  // Of a static K that is whole vectors there is no code for more. Where the
  // kernel waits for others, what they write must not be read by .nc.
  // CHECK-LABEL: tcgemm.program @static
  // CHECK: nvvm.griddepcontrol wait
  // CHECK: scf.for
  // CHECK: "ld.global.L1::no_allocate.L2::128B.v4.b32 {$0, $1, $2, $3}, [$4 + 0];"
  // Each vector of the small operand is four loads.
  // CHECK: "ld.global.b32 $0, [$1 + 0];"
  // CHECK: "ld.global.b32 $0, [$1 + 4];"
  // CHECK: "ld.global.b32 $0, [$1 + 8];"
  // CHECK: "ld.global.b32 $0, [$1 + 12];"
  // CHECK: llvm.bitcast %{{.*}} : i32 to vector<2xf16>
  // CHECK: arith.extf %{{.*}} : f16 to f32
  // CHECK: scf.yield
  // CHECK-NOT: inline_asm
  // CHECK: nvvm.shfl.sync bfly
  tcgemm.program @static(%x: !half, %y: !half, %d: !half, %m: i32, %n: i32, %first: i32, %s: i64)
      attributes {threads = 64 : i64, chip = "sm_90"} {
    %z = arith.constant 0 : i64
    %c0 = arith.constant 0 : i32
    %k = arith.constant 4096 : i32
    tcgemm.grid.wait
    %acc = tcgemm.acc.dot %x[%z] stride %s at %c0 of %m by %y[%z] stride %s at %first of %n
      depth %k size 1 1 slices 2 unroll 1 bytes 4 16 : !half, !half -> <1 x 1, row>
    tcgemm.grid.launch_dependents
    tcgemm.epilogue %acc at (%c0, %c0, %first) of (%m, %n) outputs (%d : !half) strides (%s)
        dims ["mn"] arguments [] guards [] {
    ^bb0(%sum: f32):
      %0 = arith.truncf %sum : f32 to f16
      tcgemm.yield %0 : f16
    } : <1 x 1, row>
    tcgemm.return
  }

  // Tensor cores: a lane has rows 0 and 8 of 16 from a quarter of it on. The four lanes of
  // a row take vectors of 32 by turns, those of the second warp the next four.
  // CHECK-LABEL: tcgemm.program @tensors
  // CHECK: %[[ROW:.*]] = arith.divui %{{.*}}, %c4_i32
  // CHECK: %[[LANE:.*]] = arith.remui %{{.*}}, %c4_i32
  // CHECK: %[[SECOND:.*]] = arith.addi %[[ROW]], %c8_i32
  // CHECK: scf.for {{.*}} -> (i64, i64, i64, f32, f32, f32, f32)
  // The scales of both rows are those of the lane's four. In whole iterations, no load has
  // a predicate.
  // CHECK-NOT: @isThere
  // CHECK-COUNT-2: "ld.global.nc.L1::no_allocate.L2::128B.v4.b32 {$0, $1, $2, $3}, [$4 + 0];"
  // CHECK-NOT: @isThere
  // CHECK-COUNT-2: "ld.global.nc.b16 $0, [$1 + 0];"
  // CHECK-NOT: @isThere
  // CHECK-COUNT-4: "ld.global.nc.v4.b32
  // Elements i and i + 4 of eight are pairs.
  // CHECK: "prmt.b32 $0, $1, $2, 21520;"
  // CHECK: "prmt.b32 $0, $1, $2, 30258;"
  // CHECK: "lop3.b32 $0, $1, 983055, 524296, 106;"
  // CHECK: llvm.intr.fma(%{{.*}}) : (vector<2xbf16>, vector<2xbf16>, vector<2xbf16>) -> vector<2xbf16>
  // CHECK-COUNT-8: nvgpu.mma.sync({{.*}}) {mmaShape = [16, 8, 16]} : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
  // A sum is scaled once for 128 elements of k.
  // CHECK-COUNT-4: math.fma
  // CHECK-NOT: math.fma
  // CHECK: scf.yield
  // The elements had a scale of 2^-6.
  // CHECK: %[[SCALE:.*]] = arith.constant 6.400000e+01 : f32
  // CHECK-COUNT-4: arith.mulf %{{.*}}, %[[SCALE]] : f32
  tcgemm.program @tensors(%x: !global, %y: memref<?xi8, #gpu.address_space<global>>, %t: !half, %d: !half, %m: i32, %n: i32, %first: i32, %s: i64)
      attributes {threads = 64 : i64, chip = "sm_90"} {
    %z = arith.constant 0 : i64
    %c0 = arith.constant 0 : i32
    %k = arith.constant 4096 : i32
    %acc = tcgemm.acc.dot %x[%z] stride %s at %c0 of %m by %y[%z] stride %s at %first of %n
      depth %k size 1 16 slices 2 unroll 1 bytes 16 16 mma scaled %t[%z, %s, %s] group 128 (!half)
      {many_type = i4} : !global, memref<?xi8, #gpu.address_space<global>> -> <1 x 1, row>
    tcgemm.epilogue %acc at (%c0, %c0, %first) of (%m, %n) outputs (%d : !half) strides (%s)
        dims ["mn"] arguments [] guards [] {
    ^bb0(%sum: f32):
      %0 = arith.truncf %sum : f32 to f16
      tcgemm.yield %0 : f16
    } : <1 x 1, row>
    tcgemm.return
  }
}
