// RUN: tcgemm-opt %s --tcgemm-lower-tiles | FileCheck %s

// A program's variables: the buffer, with headers of eight words for two roles of
// two CTAs and three events each, and the layout, from which a reader knows this.

// CHECK: llvm.mlir.global external @traced_trace(dense<0> : tensor<44xi64>) {addr_space = 1 : i32, alignment = 16 : i64} : !llvm.array<44 x i64>
// CHECK: llvm.mlir.global external @traced_trace_layout(dense<[1, 3, 2, 2, 0, -1, 1, 0, 0, 4]> : tensor<10xi32>) {addr_space = 1 : i32, alignment = 16 : i64} : !llvm.array<10 x i32>

// CHECK-LABEL: tcgemm.program @traced
// A thread's position is a variable in the first block.
// CHECK: %[[POSITION:.*]] = llvm.alloca %{{.*}} x i32 {alignment = 4 : i64}
gpu.module @module {
  tcgemm.program @traced() attributes {threads = 256 : i64, chip = "sm_90a"} {
    tcgemm.trace.buffer ctas [0, -1] events 3
    // One thread runs the producer: it needs no further condition. Stream 2 is that
    // of the last CTA; 12 is behind all positions.
    // CHECK: %[[CTA:.*]] = gpu.block_id x
    // CHECK: %[[ID:.*]] = arith.index_castui %[[CTA]]
    // CHECK: %[[CTAS:.*]] = gpu.grid_dim x
    // CHECK: %[[NUMBER:.*]] = arith.index_castui %[[CTAS]]
    // CHECK: %[[LAST:.*]] = arith.addi %[[NUMBER]], %c-1_i32
    // CHECK: %[[IS_LAST:.*]] = arith.cmpi eq, %[[ID]], %[[LAST]]
    // CHECK: %[[SECOND:.*]] = arith.select %[[IS_LAST]], %c2_i32{{.*}}, %c12_i32
    // CHECK: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[ID]], %c0_i32
    // CHECK: %[[STREAM:.*]] = arith.select %[[IS_FIRST]], %c0_i32{{.*}}, %[[SECOND]]
    // CHECK: llvm.store %[[STREAM]], %[[POSITION]]
    // CHECK: llvm.inline_asm has_side_effects {{.*}}setp.lt.u32 writes, $1, 4;{{.*}}mov.u64 timer, %globaltimer;{{.*}}mov.u64 clock, %clock64;{{.*}}@writes st.global.b64 [$0+16], timer;
    tcgemm.role producer warps [0, 4] {
      tcgemm.trace.event role_begin
      // acquire_begin is event 2; its number is above the 56 bits of the clock.
      // CHECK: %[[AT:.*]] = llvm.load %[[POSITION]]
      // CHECK: llvm.mlir.addressof @traced_trace
      // CHECK: llvm.inline_asm has_side_effects {{.*}}setp.lt.u32 fits, $1, 12;{{.*}}mov.u64 word, %clock64;{{.*}}or.b64 word, word, 144115188075855872;{{.*}}@fits st.global.b64 [$0], word;{{.*}} "l,r" %{{.*}}, %[[AT]]
      // CHECK: %[[MOST:.*]] = arith.minui %[[AT]], %c1073741824_i32
      // CHECK: %[[NEXT:.*]] = arith.addi %[[MOST]], %c4_i32
      // CHECK: llvm.store %[[NEXT]], %[[POSITION]]
      tcgemm.trace.event acquire_begin
      // CHECK: llvm.inline_asm has_side_effects {{.*}}@writes st.global.b64 [$0+32], timer;{{.*}}@writes st.global.b64 [$0+0], position;
      tcgemm.trace.event role_end
    }
    // The first thread of a consumer writes.
    // CHECK: %[[OWN:.*]] = arith.select %{{.*}}, %c1_i32
    // CHECK: %[[ELECTED:.*]] = arith.cmpi eq, %{{.*}}, %c128_i32
    // CHECK: arith.select %[[ELECTED]], %[[OWN]], %c12_i32
    tcgemm.role consumer warps [4, 8] {
      tcgemm.trace.event role_begin
      tcgemm.trace.event role_end
    }
    tcgemm.return
  }
}
