// RUN: tcgemm-opt %s | FileCheck %s
// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s

// Parameters that have their default are not printed; the schedule always is.
// CHECK: default = #tcgemm.config<schedule = mma_sync>}
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
