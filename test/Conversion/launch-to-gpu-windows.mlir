// RUN: tcgemm-opt %s -tcgemm-launch-to-gpu=sm-count=132 -canonicalize -cse | FileCheck %s

// A map with a window is encoded by a function of its own. The sizes do not follow from
// the images.

// CHECK:       llvm.func @tcgemm_encode_window_map(!llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32) -> i32
// CHECK-LABEL: func.func @convolution
// CHECK-SAME:    %{{.*}}: memref<?x64xf16>, %{{.*}}: memref<32x576xf16>, %[[D:.*]]: memref<?x32xf32>
// CHECK-DAG:     %[[MINUS:.*]] = arith.constant -1 : i32
// CHECK-DAG:     %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-DAG:     %[[F16:.*]] = arith.constant 6 : i32
// CHECK-DAG:     %[[THREE:.*]] = arith.constant 3 : i32
// CHECK:         %[[S:.*]] = llvm.alloca
// CHECK:         %{{.*}}, %{{.*}}, %[[SIZES:.*]]:2, %{{.*}} = memref.extract_strided_metadata %[[D]]
// CHECK:         %[[M:.*]] = arith.index_cast %[[SIZES]]#0 : index to i64
// CHECK:         scf.if
// CHECK:         arith.divsi %[[M]], %c32{{.*}} : i64
// CHECK:         %[[IMAGES:.*]] = arith.select
// CHECK:         %[[D3:.*]] = llvm.getelementptr %[[S]][0, 1, 3]
// CHECK:         llvm.store %[[IMAGES]], %[[D3]]
// CHECK:         %[[W0:.*]] = llvm.getelementptr %[[S]][0, 4, 0]
// CHECK:         llvm.store %[[MINUS]], %[[W0]] : i32
// CHECK:         %[[W5:.*]] = llvm.getelementptr %[[S]][0, 4, 5]
// CHECK:         llvm.store %[[TWO]], %[[W5]] : i32
// CHECK:         llvm.call @tcgemm_encode_window_map(%[[S]], %[[F16]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[W0]], %[[THREE]], %{{.*}})
module attributes {gpu.container_module} {
  gpu.binary @programs [#gpu.object<#nvvm.target<chip = "sm_90a">, bin = "x">]
  tcgemm.kernel @k <1x?x32x576>
      [#tcgemm.operand<a, f16, "mk", convolution = <image = [8, 8], channels = [64], filter = [3, 3], strides = [2, 1], before = [1, 1], after = [1, 1]>>,
       #tcgemm.operand<b, f16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
  ^bb0(%acc: f32):
    tcgemm.yield %acc : f32
  } attributes {plan = [#tcgemm.variant<"aligned", guard = "1", config = #tcgemm.config<>, workspace = "0", steps = [
      <@programs::@main, grid = ["ceildiv(M, 64)", "1", "1"], threads = 256, shared_memory = 0,
       tensor_maps = [<"A", f16, base = pointer A, dims = ["64", "8", "8", "M / 32"], strides = ["A.stride0 * 2", "A.stride0 * 16", "A.stride0 * 128"],
                       box = [64, 64], swizzle = 128, l2_promotion = 128, window = <lower = [-1, -1], upper = [-1, -1], steps = [1, 2]>>],
       arguments = [tensor_map 0]>]>]}
  func.func @convolution(%a: memref<?x64xf16>, %b: memref<32x576xf16>, %d: memref<?x32xf32>) {
    tcgemm.launch @k ins(%a, %b : memref<?x64xf16>, memref<32x576xf16>) outs(%d : memref<?x32xf32>)
    return
  }
}
