// RUN: tcgemm-opt %s | FileCheck %s
// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s

// Parameters that are not written take their default; all are printed.
// CHECK: default = #tcgemm.config<schedule = mma_sync, cta = [128, 128, 32], warps = [2, 2, 1]
// CHECK-SAME: stages = 3
// CHECK-SAME: max_registers = 0>
module attributes {test.default = #tcgemm.config} {}

// CHECK: some = #tcgemm.config<
// CHECK-SAME: cta = [256, 128, 64]
// CHECK-SAME: raster = along_n
// CHECK-SAME: spread_copies = false
module attributes {test.some = #tcgemm.config<
    cta = [256, 128, 64], raster = along_n, spread_copies = false>} {}

// Equal parameters are one attribute, however they are written.
// CHECK: same = [#[[SAME:.*]], #[[SAME]]]
module attributes {test.same = [#tcgemm.config<stages = 4, split_k = 2>,
                                #tcgemm.config<split_k = 2, stages = 4>]} {}
