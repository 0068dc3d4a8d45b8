// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,canonicalize,cse))' \
// RUN:   | FileCheck %s

// Registers move from the producer to the consumers; the two that take turns
// wait at one barrier and arrive at the other's, for which the names below 16 are
// taken from the top.

// CHECK-LABEL: tcgemm.program @turns
// CHECK-DAG: %[[TURN0:.*]] = arith.constant 15 : i32
// CHECK-DAG: %[[TURN1:.*]] = arith.constant 14 : i32
// CHECK-DAG: %[[BOTH:.*]] = arith.constant 256 : i32
// CHECK-DAG: %[[C4:.*]] = arith.constant 4 : i32
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : i32
gpu.module @module {
  tcgemm.program @turns(%tiles: i32) attributes {threads = 384 : i64, chip = "sm_90a", min_ctas = 1 : i64} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // The number of a warp comes from one lane, so that it is known to be uniform.
    // CHECK: %[[WARP:.*]] = nvvm.shfl.sync idx
    // CHECK: %[[IS_PRODUCER:.*]] = arith.cmpi ult, %[[WARP]], %[[C4]]
    // CHECK: scf.if %[[IS_PRODUCER]]
    // CHECK-NEXT: nvvm.setmaxregister {{ *}}decrease 24
    tcgemm.role producer warps [0, 4] registers 24 {
    }
    // CHECK: arith.subi %[[WARP]], %[[C4]]
    // CHECK: scf.if
    // CHECK-NEXT: nvvm.setmaxregister {{ *}}increase 240
    // CHECK-NEXT: scf.for
    // CHECK-NEXT: nvvm.barrier id = %[[TURN0]] number_of_threads = %[[BOTH]]
    // CHECK-NEXT: nvvm.barrier.arrive id = %[[TURN1]] number_of_threads = %[[BOTH]]
    tcgemm.role consumer warps [4, 8] registers 240 {
      scf.for %i = %c0 to %tiles step %c1 : i32 {
        tcgemm.order.wait turn 0 threads 256
        tcgemm.order.arrive turn 1 threads 256
      }
    }
    // CHECK: arith.subi %[[WARP]], %[[C8]]
    // CHECK: scf.if
    // CHECK-NEXT: nvvm.setmaxregister {{ *}}increase 240
    // CHECK-NEXT: nvvm.barrier.arrive id = %[[TURN0]] number_of_threads = %[[BOTH]]
    // CHECK-NEXT: scf.for
    // CHECK-NEXT: nvvm.barrier id = %[[TURN1]] number_of_threads = %[[BOTH]]
    // CHECK-NEXT: nvvm.barrier.arrive id = %[[TURN0]] number_of_threads = %[[BOTH]]
    tcgemm.role consumer warps [8, 12] registers 240 {
      tcgemm.order.arrive turn 0 threads 256
      scf.for %i = %c0 to %tiles step %c1 : i32 {
        tcgemm.order.wait turn 1 threads 256
        tcgemm.order.arrive turn 0 threads 256
      }
    }
    tcgemm.return
  }
}

// Each role that waits for the grids ahead does so itself, one thread where that one
// runs all of the role.

// CHECK-LABEL: tcgemm.program @dependent
gpu.module @grids {
  tcgemm.program @dependent() attributes {threads = 256 : i64, chip = "sm_90a"} {
    // CHECK: nvvm.elect.sync
    // CHECK-NEXT: scf.if
    // CHECK-NEXT: nvvm.griddepcontrol wait
    // CHECK-NEXT: nvvm.griddepcontrol launch_dependents
    tcgemm.role producer warps [0, 4] {
      tcgemm.grid.wait
      tcgemm.grid.launch_dependents
    }
    // CHECK: scf.if
    // CHECK-NEXT: nvvm.griddepcontrol wait
    tcgemm.role consumer warps [4, 8] {
      tcgemm.grid.wait
    }
    tcgemm.return
  }
}
