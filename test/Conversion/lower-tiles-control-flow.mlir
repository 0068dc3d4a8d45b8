// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles))' | FileCheck %s

// Values of tile-level types are expanded through loops of any kind; other
// control flow stays as it is.

gpu.module @module {
  // CHECK-LABEL: tcgemm.program @loop(
  // CHECK-SAME: %[[GO:.*]]: i1
  tcgemm.program @loop(%go: i1) attributes {threads = 128 : i64, chip = "sm_80"} {
    // CHECK: scf.while : () -> () {
    // CHECK-NEXT: scf.condition(%[[GO]])
    scf.while : () -> () {
      scf.condition(%go)
    } do {
      scf.yield
    }
    // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<2x2xf32>
    // CHECK: scf.while (%{{.*}} = %[[ZERO]], %{{.*}} = %[[ZERO]]) : (vector<2x2xf32>, vector<2x2xf32>) -> (vector<2x2xf32>, vector<2x2xf32>)
    %acc = tcgemm.acc.zero : !tcgemm.acc<16 x 16, mma_sync>
    %sum = scf.while (%carried = %acc) : (!tcgemm.acc<16 x 16, mma_sync>) -> !tcgemm.acc<16 x 16, mma_sync> {
      scf.condition(%go) %carried : !tcgemm.acc<16 x 16, mma_sync>
    } do {
    ^bb0(%next: !tcgemm.acc<16 x 16, mma_sync>):
      scf.yield %next : !tcgemm.acc<16 x 16, mma_sync>
    }
    tcgemm.return
  }
}
