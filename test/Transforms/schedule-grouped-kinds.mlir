// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -tcgemm-configure="chip=sm_90a" -tcgemm-schedule | FileCheck %s

// Padded groups: a group's rows start at 0 in its own matrix of A and of D. The host knows
// how many rows there are at most. A program without stages stores the epilogue of zero.

// CHECK-LABEL: tcgemm.kernel @padded_0
// CHECK:         "empty_k"
// CHECK-SAME:    "K == 0 && counts.stride0 == 1 && out0.stride2 == 1"
// CHECK:         "aligned"
// CHECK-SAME:    grid = ["min(batch * ceildiv(M, 64) * ceildiv(N, 64) * 1, max(1, sm_count * 1 / 1))", "1", "1"]
// CHECK-LABEL: tcgemm.program @padded_0_empty_k(
// CHECK-NOT:     tcgemm.ring.create
// CHECK:         tcgemm.role producer warps [0, 4]
// CHECK-NEXT:    }
// CHECK:         tcgemm.role consumer
// CHECK:           tcgemm.group_locate padded
// CHECK:           %[[ZERO:.*]] = tcgemm.acc.zero
// CHECK:           tcgemm.epilogue %[[ZERO]]
// CHECK-LABEL: tcgemm.program @padded_0_main(
// CHECK:         tcgemm.role producer
// CHECK:           tcgemm.group_tiles padded %{{.*}} of %{{.*}} below %{{.*}} rows 64
// CHECK:           %[[GROUP:.*]], %[[BEFORE:.*]], %[[START:.*]], %[[END:.*]] = tcgemm.group_locate padded %
// CHECK:           tcgemm.tma.load %{{.*}}[%{{.*}}, %{{.*}}, %[[GROUP]]]
// CHECK:           tcgemm.tma.load %{{.*}}[%{{.*}}, %{{.*}}, %[[GROUP]]]
// CHECK:         tcgemm.role consumer
// CHECK:           %[[GROUP2:.*]], %{{.*}}, %{{.*}}, %[[END2:.*]] = tcgemm.group_locate padded
// CHECK:           tcgemm.epilogue %{{.*}} at(%[[GROUP2]], %{{.*}}) of(%[[END2]], %{{.*}})
func.func @padded(%a: tensor<?x?x?xbf16>, %b: tensor<?x?x?xbf16>, %c: tensor<?xi32>, %e: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %d = tcgemm.grouped_matmul ins(%a, %b, %c : tensor<?x?x?xbf16>, tensor<?x?x?xbf16>, tensor<?xi32>)
    outs(%e : tensor<?x?x?xf32>) transpose_b {tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16], persistent = true>} -> tensor<?x?x?xf32>
  return %d : tensor<?x?x?xf32>
}

// Groups along k: the copies start at the group's first element. In the last stage, what is
// behind the group's end becomes zeros, in both operands. A group without elements has one
// stage of zeros.

// CHECK-LABEL: tcgemm.kernel @ragged_0
// CHECK:         "aligned"
// CHECK-SAME:    grid = ["batch * ceildiv(M, 64) * ceildiv(N, 64) * 1", "1", "1"]
// CHECK-LABEL: tcgemm.program @ragged_0_main(
// CHECK:         tcgemm.raster
// CHECK:         tcgemm.role producer
// CHECK:           %[[FROM:.*]], %[[TO:.*]] = tcgemm.group_range %{{.*}} below %{{.*}} group %[[G:.*]] : memref<?xi32
// CHECK:           %[[DEPTH:.*]] = arith.subi %[[TO]], %[[FROM]]
// CHECK:           %[[K:.*]] = arith.addi %[[FROM]], %{{.*}}
// CHECK:           tcgemm.tma.load %{{.*}}[%{{.*}}, %[[K]]]
// CHECK:           tcgemm.tma.load %{{.*}}[%{{.*}}, %[[K]]]
// CHECK:         tcgemm.role consumer
// CHECK:           tcgemm.ring.wait
// CHECK:           %[[IS:.*]] = arith.cmpi slt, %{{.*}}, %c64
// CHECK:           scf.if %[[IS]] {
// CHECK:             tcgemm.ring.trim %{{.*}} tile 0 stack 64 left
// CHECK:             tcgemm.ring.trim %{{.*}} tile 1 stack 64 left
// CHECK:           tcgemm.epilogue %{{.*}} at(%[[G]], %{{.*}}
func.func @ragged(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %o: tensor<?xi32>, %e: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?xi32>)
    outs(%e : tensor<?x?x?xf32>) transpose_a {tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16]>} -> tensor<?x?x?xf32>
  return %d : tensor<?x?x?xf32>
}

// TMA copies from multiples of 16 bytes of a row on. Rows of A lie along k: the copies of
// both operands start up to seven elements early, and these become zeros, too.

// CHECK-LABEL: tcgemm.kernel @rows_0
// CHECK-LABEL: tcgemm.program @rows_0_main(
// CHECK:         tcgemm.role producer
// CHECK:           %[[FROM:.*]], %[[TO:.*]] = tcgemm.group_range
// CHECK:           %[[SKIPPED:.*]] = arith.remui %[[FROM]], %c8_i32
// CHECK:           %[[START:.*]] = arith.subi %[[FROM]], %[[SKIPPED]]
// CHECK:           %[[DEPTH:.*]] = arith.subi %[[TO]], %[[START]]
// CHECK:           %[[K:.*]] = arith.addi %[[START]], %{{.*}}
// CHECK:           tcgemm.tma.load %{{.*}}[%[[K]], %{{.*}}]
// CHECK:           tcgemm.tma.load %{{.*}}[%{{.*}}, %[[K]]]
// CHECK:         tcgemm.role consumer
// CHECK:           tcgemm.ring.wait
// CHECK:           %[[ENDS:.*]] = arith.cmpi slt
// CHECK:           %[[STARTS:.*]] = arith.cmpi sgt
// CHECK:           %[[HAS:.*]] = arith.ori %[[ENDS]], %[[STARTS]]
// CHECK:           scf.if %[[HAS]] {
// CHECK:             tcgemm.ring.trim %{{.*}} tile 0 left %{{.*}} from
// CHECK:             tcgemm.ring.trim %{{.*}} tile 1 stack 64 left %{{.*}} from
func.func @rows(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %o: tensor<?xi32>, %e: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x?xbf16>, tensor<?x?xbf16>, tensor<?xi32>)
    outs(%e : tensor<?x?x?xf32>) {tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16]>} -> tensor<?x?x?xf32>
  return %d : tensor<?x?x?xf32>
}
