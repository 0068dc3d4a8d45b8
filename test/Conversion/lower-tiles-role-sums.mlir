// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,canonicalize,cse))' \
// RUN:   | FileCheck %s

// Three roles of 128 threads divide k. A thread has 8 sums of 64 x 16. Those of part 1
// are in the first 4096 bytes, four a thread in each half, and those of part 2 behind
// them.

// CHECK-LABEL: tcgemm.program @sums
// CHECK-DAG: %[[BARRIER:.*]] = arith.constant 15 : i32
// CHECK-DAG: %[[THREADS:.*]] = arith.constant 384 : i32
// CHECK-DAG: %[[QUAD:.*]] = arith.constant 16 : i32
// CHECK-DAG: %[[BEFORE1:.*]] = arith.constant 128 : i32
// CHECK-DAG: %[[BEFORE2:.*]] = arith.constant 256 : i32
// CHECK: %[[THREAD:.*]] = arith.index_castui %{{.*}} : index to i32
// CHECK: %[[SHARED:.*]] = llvm.inttoptr

// CHECK: nvvm.barrier id = %[[BARRIER]] number_of_threads = %[[THREADS]]
// CHECK: %[[OFFSET:.*]] = arith.muli %[[THREAD]], %[[QUAD]]
// CHECK: %[[PART1:.*]] = llvm.getelementptr %[[SHARED]][%[[OFFSET]]]
// CHECK: llvm.load %[[PART1]] {alignment = 16 : i64}
// CHECK: %[[HALF1:.*]] = llvm.getelementptr %[[PART1]][2048]
// CHECK: llvm.load %[[HALF1]] {{.*}} -> vector<4xf32>
// CHECK: %[[PART2:.*]] = llvm.getelementptr %[[PART1]][4096]
// CHECK: %[[SUMS2:.*]] = llvm.load %[[PART2]]
// CHECK: %[[OF2:.*]] = vector.extract %[[SUMS2]][0]
// CHECK: arith.addf %{{.*}}, %[[OF2]]
// CHECK: llvm.getelementptr %[[PART1]][6144]

// CHECK: %[[IN1:.*]] = arith.subi %[[THREAD]], %[[BEFORE1]]
// CHECK: %[[OFFSET1:.*]] = arith.muli %[[IN1]], %[[QUAD]]
// CHECK: %[[SEND1:.*]] = llvm.getelementptr %[[SHARED]][%[[OFFSET1]]]
// CHECK: llvm.store %{{.*}}, %[[SEND1]] {alignment = 16 : i64}
// CHECK: llvm.getelementptr %[[SEND1]][2048]
// CHECK: llvm.store
// CHECK: nvvm.barrier.arrive id = %[[BARRIER]] number_of_threads = %[[THREADS]]

// CHECK: %[[IN2:.*]] = arith.subi %[[THREAD]], %[[BEFORE2]]
// CHECK: %[[OFFSET2:.*]] = arith.muli %[[IN2]], %[[QUAD]]
// CHECK: %[[SEND2:.*]] = llvm.getelementptr %[[SHARED]][%[[OFFSET2]]]
// CHECK: llvm.getelementptr %[[SEND2]][4096]
// CHECK: llvm.getelementptr %[[SEND2]][6144]
// CHECK: nvvm.barrier.arrive id = %[[BARRIER]] number_of_threads = %[[THREADS]]

gpu.module @module {
  tcgemm.program @sums(%out: memref<?xf32, #gpu.address_space<global>>, %pitch: i64, %m: i32)
      attributes {threads = 384 : i64, chip = "sm_90a"} {
    %c0 = arith.constant 0 : i32
    tcgemm.role consumer warps [0, 4] {
      %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
      %sum = tcgemm.acc.receive %acc of 3 : !tcgemm.acc<64 x 16, wgmma>
      tcgemm.epilogue %sum at (%c0, %c0, %c0) of (%m, %m) outputs(%out : memref<?xf32, #gpu.address_space<global>>) strides(%pitch) dims ["mn"] arguments [] guards [] {
      ^bb0(%x: f32):
        tcgemm.yield %x : f32
      } : !tcgemm.acc<64 x 16, wgmma>
    }
    tcgemm.role consumer warps [4, 8] {
      %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
      tcgemm.acc.send %acc part 1 of 3 : !tcgemm.acc<64 x 16, wgmma>
    }
    tcgemm.role consumer warps [8, 12] {
      %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 16, wgmma>
      tcgemm.acc.send %acc part 2 of 3 : !tcgemm.acc<64 x 16, wgmma>
    }
    tcgemm.return
  }
}
