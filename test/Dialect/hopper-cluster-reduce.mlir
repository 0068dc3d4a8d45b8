// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s
// RUN: tcgemm-opt %s -mlir-print-op-generic | tcgemm-opt | FileCheck %s

// Of a cluster of 2 x 1 x 4, the four CTAs that split k have ranks 2 apart. The
// first two own a half of the columns each; the others only send.

!acc = !tcgemm.acc<64 x 16, wgmma>
!part = !tcgemm.acc<64 x 8, wgmma>

// CHECK-LABEL: tcgemm.program @reduce
// CHECK: tcgemm.role consumer
// CHECK: %[[ACC:.*]] = tcgemm.acc.zero
// CHECK: tcgemm.acc.cluster_reduce %[[ACC]] rank %{{[^ ]*}} of 4 stride 2 : <64 x 16, wgmma> -> <64 x 8, wgmma>
// CHECK-LABEL: tcgemm.program @neighbours
// CHECK: tcgemm.acc.cluster_reduce %{{[^ ]*}} rank %{{[^ ]*}} of 2 : <64 x 16, wgmma> -> <64 x 8, wgmma>
tcgemm.program @reduce(%rank: i32)
    attributes {threads = 128 : i64, chip = "sm_90a", cluster = 8 : i64} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !acc
    %sum = tcgemm.acc.cluster_reduce %acc rank %rank of 4 stride 2 : !acc -> !part
  }
  tcgemm.return
}

tcgemm.program @neighbours(%rank: i32)
    attributes {threads = 128 : i64, chip = "sm_90a", cluster = 2 : i64} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !acc
    %sum = tcgemm.acc.cluster_reduce %acc rank %rank of 2 : !acc -> !part
  }
  tcgemm.return
}
