// RUN: tcgemm-opt %s -tcgemm-launch-to-gpu=sm-count=132 -canonicalize -cse | FileCheck %s
// RUN: tcgemm-opt %s -tcgemm-launch-to-gpu=sm-count=132 -gpu-async-region -convert-scf-to-cf \
// RUN:   -expand-strided-metadata -gpu-to-llvm -reconcile-unrealized-casts | FileCheck %s --check-prefix=LLVM
// RUN: tcgemm-opt %s -tcgemm-launch-to-gpu=sm-count=132 -gpu-async-region -convert-scf-to-cf \
// RUN:   -expand-strided-metadata -gpu-to-llvm -reconcile-unrealized-casts | \
// RUN:   mlir-translate -mlir-to-llvmir | FileCheck %s --check-prefix=IR

#config = #tcgemm.config<cta = [128, 256, 64]>

// One map of an operand, one of the workspace; a cluster of two blocks. The
// memory of the calls is made once, outside the branches.

// CHECK:       llvm.func @tcgemm_encode_tensor_map(!llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32, i32) -> i32
// CHECK-LABEL: func.func @matmul
// CHECK-SAME:    %[[A:[^:]*]]: memref<?x64xbf16>,
// CHECK-DAG:     %[[C2:.*]] = arith.constant 2 : index
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[I64:.*]] = arith.constant 64 : i64
// CHECK-DAG:     %[[BF16:.*]] = arith.constant 9 : i32
// CHECK-DAG:     %[[TWO:.*]] = arith.constant 2 : i32
// CHECK-DAG:     %[[THREE:.*]] = arith.constant 3 : i32
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK-DAG:     %[[BOX0:.*]] = arith.constant 64 : i32
// CHECK-DAG:     %[[BOX1:.*]] = arith.constant 128 : i32
// CHECK:         %[[S:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(array<16 x i64>, array<5 x i64>, array<4 x i64>, array<5 x i32>, array<6 x i32>)> {alignment = 64 : i64}
// CHECK-NOT:     llvm.alloca
// CHECK-DAG:     %[[PTR:.*]] = memref.extract_aligned_pointer_as_index %[[A]]
// CHECK-DAG:     %[[ABASE:.*]] = arith.index_cast %[[PTR]] : index to i64
// CHECK:         scf.if
// CHECK:           %[[PA:.*]] = llvm.inttoptr %[[ABASE]] : i64 to !llvm.ptr
// CHECK:           %[[D0:.*]] = llvm.getelementptr %[[S]][0, 1, 0]
// CHECK:           llvm.store %[[I64]], %[[D0]] : i64, !llvm.ptr
// CHECK:           %[[D1:.*]] = llvm.getelementptr %[[S]][0, 1, 1]
// CHECK:           llvm.store %[[M:.*]], %[[D1]] : i64, !llvm.ptr
// CHECK:           %[[S0:.*]] = llvm.getelementptr %[[S]][0, 2, 0]
// CHECK:           llvm.store %{{.*}}, %[[S0]] : i64, !llvm.ptr
// CHECK:           %[[B0:.*]] = llvm.getelementptr %[[S]][0, 3, 0]
// CHECK:           llvm.store %[[BOX0]], %[[B0]] : i32, !llvm.ptr
// CHECK:           %[[B1:.*]] = llvm.getelementptr %[[S]][0, 3, 1]
// CHECK:           llvm.store %[[BOX1]], %[[B1]] : i32, !llvm.ptr
// CHECK:           %[[R:.*]] = llvm.call @tcgemm_encode_tensor_map(%[[S]], %[[BF16]], %[[TWO]], %[[PA]], %[[D0]], %[[S0]], %[[B0]], %[[THREE]], %[[THREE]])
// CHECK:           %[[OK:.*]] = arith.cmpi eq, %[[R]], %[[ZERO]]
// CHECK:           cf.assert %[[OK]], "tensor map 'A' of kernel 'k' cannot be encoded"
// CHECK:           %[[MAP:.*]] = llvm.load %[[S]] {alignment = 64 : i64} : !llvm.ptr -> !llvm.array<16 x i64>
// CHECK:           llvm.call @tcgemm_encode_tensor_map(%[[S]], %[[BF16]], %[[THREE]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[ZERO]], %[[ZERO]])
// CHECK:           %[[MAP2:.*]] = llvm.load %[[S]]
// CHECK:           gpu.launch_func @programs::@main clusters in (%[[C2]], %[[C1]], %[[C1]]) blocks in ({{.*}}) threads in ({{.*}}) dynamic_shared_memory_size %{{.*}} args(%[[MAP]] : !llvm.array<16 x i64>, %{{.*}} : i32, %[[MAP2]] : !llvm.array<16 x i64>)

// LLVM-LABEL: llvm.func @matmul
// LLVM:         llvm.call @tcgemm_encode_tensor_map
// LLVM:         gpu.launch_func {{.*}}@programs::@main clusters in ({{.*}}) blocks in ({{.*}}) threads in ({{.*}}) : i64 dynamic_shared_memory_size %{{.*}} args(%{{.*}} : !llvm.array<16 x i64>, %{{.*}} : i32, %{{.*}} : !llvm.array<16 x i64>)
// LLVM-NOT:     unrealized_conversion_cast

// The launch takes the maps by value.
// IR-LABEL: define void @matmul
// IR:         call i32 @tcgemm_encode_tensor_map(
// IR:         store [16 x i64] %{{.*}}, ptr
// IR:         call void @mgpuLaunchClusterKernel(ptr %{{.*}}, i64 2, i64 1, i64 1, i64 %{{.*}}, i64 1, i64 1, i64 384, i64 1, i64 1, i32 196608, ptr %{{.*}}, ptr %{{.*}}, ptr null)
module attributes {gpu.container_module} {
  gpu.binary @programs [#gpu.object<#nvvm.target<chip = "sm_90a">, bin = "x">]
  tcgemm.kernel @k <1x?x?x64> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
  ^bb0(%acc: f32):
    tcgemm.yield %acc : f32
  } attributes {plan = [
    #tcgemm.variant<"tma", guard = "A.base % 16 == 0 && A.stride0 % 8 == 0", config = #config, workspace = "N * K * 2",
      steps = [#tcgemm.step<@programs::@main, grid = ["ceildiv(M, 256) * 2", "1", "1"], cluster = [2, 1, 1],
        threads = 384, shared_memory = 196608, tensor_maps = [
          #tcgemm.tensor_map<"A", bf16, base = pointer A, dims = ["K", "M"], strides = ["A.stride0 * 2"],
                             box = [64, 128], swizzle = 128, l2_promotion = 256>,
          #tcgemm.tensor_map<"packed_b", bf16, base = workspace "0", dims = ["K", "N", "batch"], strides = ["K * 2", "N * K * 2"],
                             box = [64, 256, 1], swizzle = 0, l2_promotion = 0>],
        arguments = [tensor_map 0, i32 "M", tensor_map 1]>]>]}
  func.func @matmul(%a: memref<?x64xbf16>, %b: memref<?x64xbf16>, %d: memref<?x?xf32>) {
    tcgemm.launch @k ins(%a, %b : memref<?x64xbf16>, memref<?x64xbf16>) outs(%d : memref<?x?xf32>)
    return
  }
}
