// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,cse))' \
// RUN:   | FileCheck %s

// Long bodies and matrices in global memory go in a loop over parts, whose values
// are chosen by halves; the next part's inputs are loaded before this one is
// evaluated. A part is 16 rows
// by 32 columns of the warp: two times eight elements a thread.

!acc = !tcgemm.acc<64 x 64, wgmma>
// CHECK-LABEL: tcgemm.program @parts
gpu.module @module {
  tcgemm.program @parts(%extentM: i32, %extentN: i32, %m: i32, %n: i32, %c: memref<?xbf16, #gpu.address_space<global>>, %strideC: i64,
                        %out: memref<?xbf16, #gpu.address_space<global>>, %stride: i64) attributes {threads = 128 : i64, chip = "sm_90a"} {
    %c0 = arith.constant 0 : i32
    tcgemm.role consumer warps [0, 4] {
      // A line of 128 bytes a thread, where it is inside.
      // CHECK: scf.if
      // CHECK: llvm.inline_asm {{.*}}"prefetch.global.L2 {{.*}};"
      tcgemm.prefetch %c at(%c0, %m, %n) of(%extentM, %extentN) strides(%strideC) dims "mn" size 64 64 : memref<?xbf16, #gpu.address_space<global>>
      %acc = tcgemm.acc.zero : !acc
      // CHECK: scf.if
      // CHECK-COUNT-8: vector.load
      // CHECK: scf.for %[[PART:.*]] = %{{.*}} iter_args(
      // CHECK-COUNT-8: vector.load
      // CHECK: %[[IS_LOW:.*]] = arith.cmpi ult, %[[PART]],
      // CHECK-NEXT: scf.if %[[IS_LOW]]
      // CHECK: arith.addf
      // CHECK: nvvm.convert.f32x2.to.bf16x2
      // CHECK-NOT: arith.truncf
      // CHECK: {llvm.loop_annotation =
      // Where pairs cannot be loaded, elements are, at coordinates that exist.
      // CHECK: } else {
      // CHECK: scf.for
      // CHECK: scf.if
      // CHECK: vector.load
      // CHECK: } else {
      // CHECK: arith.minui
      // CHECK: memref.load
      tcgemm.epilogue %acc at(%c0, %m, %n) of(%extentM, %extentN) inputs(%c : memref<?xbf16, #gpu.address_space<global>>) outputs(%out : memref<?xbf16, #gpu.address_space<global>>) strides(%strideC, %stride) dims ["mn", "mn"] arguments [0] guards [-1] {
      ^bb0(%x: f32, %y: bf16):
        %0 = arith.extf %y : bf16 to f32
        %1 = arith.addf %x, %0 : f32
        %2 = arith.truncf %1 : f32 to bf16
        tcgemm.yield %2 : bf16
      } : !acc
    }
    tcgemm.return
  }

  // Parts of 64 rows in 72: the second starts at row 8, not at 64. (It once was
  // stored there, over the next tile.)
  // CHECK-LABEL: tcgemm.program @overlap
  // CHECK: scf.for
  // CHECK: %[[START:.*]] = arith.muli %{{.*}}, %c64_i32
  // CHECK: arith.minui %[[START]], %c8_i32
  // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
  tcgemm.program @overlap(%extentM: i32, %extentN: i32, %m: i32, %n: i32, %beta: f32,
                          %map: !tcgemm.tensor_map<!tcgemm.tile<64 x 64 x bf16, b128>>) attributes {threads = 128 : i64, chip = "sm_90a"} {
    %c0 = arith.constant 0 : i32
    tcgemm.role consumer warps [0, 4] {
      %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 72, wgmma>
      tcgemm.epilogue %acc at(%c0, %m, %n) of(%extentM, %extentN) scalars(%beta : f32) maps(%map : !tcgemm.tensor_map<!tcgemm.tile<64 x 64 x bf16, b128>>) buffers 2 dims ["mn"] arguments [-1] guards [] transposed {
      ^bb0(%x: f32, %y: f32):
        %0 = arith.mulf %x, %y : f32
        %1 = arith.addf %0, %y : f32
        %2 = arith.mulf %1, %y : f32
        %3 = arith.addf %2, %y : f32
        %4 = arith.mulf %3, %y : f32
        %5 = arith.addf %4, %y : f32
        %6 = arith.mulf %5, %y : f32
        %7 = arith.addf %6, %y : f32
        %8 = arith.mulf %7, %y : f32
        %9 = arith.addf %8, %y : f32
        %10 = arith.mulf %9, %y : f32
        %11 = arith.addf %10, %y : f32
        %12 = arith.mulf %11, %y : f32
        %13 = arith.addf %12, %y : f32
        %14 = arith.mulf %13, %y : f32
        %15 = arith.addf %14, %y : f32
        %16 = arith.truncf %15 : f32 to bf16
        tcgemm.yield %16 : bf16
      } : !tcgemm.acc<64 x 72, wgmma>
      tcgemm.tma.await
    }
    tcgemm.return
  }
}
