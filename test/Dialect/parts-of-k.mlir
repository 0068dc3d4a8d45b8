// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s
// RUN: tcgemm-opt %s -mlir-print-op-generic | tcgemm-opt | FileCheck %s

// Three roles divide k. The first one adds what the others send.

!acc = !tcgemm.acc<64 x 16, wgmma>

// CHECK-LABEL: tcgemm.program @parts
// CHECK: tcgemm.acc.receive %{{[^ ]*}} of 3 : <64 x 16, wgmma>
// CHECK: tcgemm.acc.send %{{[^ ]*}} part 1 of 3 : <64 x 16, wgmma>
// CHECK: tcgemm.acc.send %{{[^ ]*}} part 2 of 3 : <64 x 16, wgmma>
tcgemm.program @parts()
    attributes {threads = 384 : i64, chip = "sm_90a"} {
  tcgemm.role consumer warps [0, 4] {
    %acc = tcgemm.acc.zero : !acc
    %sum = tcgemm.acc.receive %acc of 3 : !acc
  }
  tcgemm.role consumer warps [4, 8] {
    %acc = tcgemm.acc.zero : !acc
    tcgemm.acc.send %acc part 1 of 3 : !acc
  }
  tcgemm.role consumer warps [8, 12] {
    %acc = tcgemm.acc.zero : !acc
    tcgemm.acc.send %acc part 2 of 3 : !acc
  }
  tcgemm.return
}
