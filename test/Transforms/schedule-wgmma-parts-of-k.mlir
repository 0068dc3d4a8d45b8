// RUN: tcgemm-opt %s --tcgemm-schedule --split-input-file > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: tcgemm-opt %t.mlir --split-input-file | FileCheck %s

// Two roles of eight warps divide the stages along k. The first one stores.

// CHECK-LABEL: tcgemm.kernel @divided
// CHECK: #tcgemm.variant<"empty_k",
// CHECK: tcgemm.program @divided_main({{.*}} threads = 640
// A warp of each role releases a stage.
// CHECK: tcgemm.ring.create empty_arrivals 16 :
// CHECK: tcgemm.role producer warps [0, 4]
// CHECK: tcgemm.role consumer warps [4, 12]
// CHECK: tcgemm.fragment.load {{.*}} tile 0 k_step 0 transposed false
// CHECK: tcgemm.fragment.load {{.*}} tile 0 k_step 1 transposed false
// CHECK-NOT: k_step 2
// CHECK: tcgemm.ring.release {{.*}} arrivals 8 :
// CHECK: %[[SUM:.*]] = tcgemm.acc.receive %{{.*}} of 2 : <64 x 16, wgmma>
// CHECK: tcgemm.epilogue %[[SUM]]
// CHECK: tcgemm.role consumer warps [12, 20]
// CHECK: tcgemm.fragment.load {{.*}} tile 0 k_step 2 transposed false
// CHECK: tcgemm.fragment.load {{.*}} tile 0 k_step 3 transposed false
// CHECK-NOT: k_step 0
// CHECK: tcgemm.ring.release {{.*}} arrivals 8 :
// CHECK: tcgemm.acc.send %{{.*}} part 1 of 2 : <64 x 16, wgmma>
// CHECK-NOT: tcgemm.epilogue
// CHECK: tcgemm.return
tcgemm.kernel @divided <1x?x?x?>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, i8, "nk">,
     #tcgemm.operand<output, bf16, "mn">] epilogue {
^bb0(%acc: f32):
  %0 = arith.truncf %acc : f32 to bf16
  tcgemm.yield %0 : bf16
} attributes {chip = "sm_90a", config = #tcgemm.config<schedule = wgmma,
  cta = [16, 128, 64], warps = [8, 1, 2], instruction = [64, 16, 16],
  stages = 4, swap_ab = true>}
