// RUN: tcgemm-opt %s -tcgemm-launch-to-gpu -canonicalize -cse | FileCheck %s
// RUN: tcgemm-opt %s -tcgemm-launch-to-gpu -tcgemm-host-to-llvm | mlir-translate -mlir-to-llvmir \
// RUN:   | FileCheck %s --check-prefix=IR

// Launches in streams and after tokens: nothing waits for them. The workspace may
// be the caller's.

#config = #tcgemm.config<cta = [128, 256, 64]>
module attributes {gpu.container_module} {
  gpu.binary @programs [#gpu.object<#nvvm.target<chip = "sm_90">, bin = "x">]
  gpu.binary @unused_programs [#gpu.object<#nvvm.target<chip = "sm_90">, bin = "x">]

  // Nothing launches this one: it goes, and its code.
  // CHECK-NOT: tcgemm.kernel
  // CHECK-NOT: @unused_programs
  tcgemm.kernel @unused <1x?x?x64> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
  ^bb0(%acc: f32):
    tcgemm.yield %acc : f32
  } attributes {plan = [#tcgemm.variant<"v", guard = "1", config = #config, workspace = "0",
    steps = [#tcgemm.step<@unused_programs::@main, grid = ["1", "1", "1"], threads = 32, shared_memory = 0, arguments = [i32 "M"]>]>]}

  tcgemm.kernel @k <1x?x?x64> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, f32, "mn">] epilogue {
  ^bb0(%acc: f32):
    tcgemm.yield %acc : f32
  } attributes {plan = [
    #tcgemm.variant<"aligned", guard = "A.stride0 % 8 == 0", config = #config, workspace = "0",
      steps = [#tcgemm.step<@programs::@main, grid = ["1", "1", "1"], threads = 256, shared_memory = 0, arguments = [pointer A, i32 "M"]>]>,
    #tcgemm.variant<"pack_a", guard = "1", config = #config, workspace = "2 * M * K",
      steps = [#tcgemm.step<@programs::@pack, grid = ["M", "1", "1"], threads = 256, shared_memory = 0, arguments = [pointer A, workspace "0"]>,
               #tcgemm.step<@programs::@main, grid = ["1", "1", "1"], threads = 256, shared_memory = 0, arguments = [workspace "0", i32 "M"]>]>]}

  // CHECK-LABEL: func.func @tokens
  // CHECK-SAME:    %[[A:[^:]*]]: memref<?x64xbf16, {{[^%]*}}%{{[^:]*}}: memref<?x64xbf16>, %{{[^:]*}}: memref<?x?xf32>, %[[DEP:[^:]*]]: !gpu.async.token)
  // CHECK:         %[[DONE:.*]] = scf.if %{{.*}} -> (!gpu.async.token) {
  // CHECK:           %[[T:.*]] = gpu.launch_func async [%[[DEP]]] @programs::@main
  // CHECK:           scf.yield %[[T]]
  // CHECK:         } else {
  // CHECK:           %[[W:.*]], %[[ALLOCATED:.*]] = gpu.alloc async [%[[DEP]]]
  // CHECK:           %[[PACKED:.*]] = scf.if %{{.*}} -> (!gpu.async.token) {
  // CHECK:             %[[P:.*]] = gpu.launch_func async [%[[ALLOCATED]]] @programs::@pack
  // CHECK:             scf.yield %[[P]]
  // CHECK:           } else {
  // CHECK:             scf.yield %[[ALLOCATED]]
  // CHECK:           }
  // CHECK:           %[[MAIN:.*]] = gpu.launch_func async [%[[PACKED]]] @programs::@main
  // CHECK:           %[[FREED:.*]] = gpu.dealloc async [%[[MAIN]]] %[[W]]
  // CHECK:           scf.yield %[[FREED]]
  // CHECK:         return %[[DONE]]
  func.func @tokens(%a: memref<?x64xbf16, strided<[?, 1]>>, %b: memref<?x64xbf16>, %d: memref<?x?xf32>, %t: !gpu.async.token) -> !gpu.async.token {
    %done = tcgemm.launch_async @k after[%t] ins(%a, %b : memref<?x64xbf16, strided<[?, 1]>>, memref<?x64xbf16>) outs(%d : memref<?x?xf32>)
    return %done : !gpu.async.token
  }

  // Several tokens are joined, none is a new stream; the caller waits.
  // CHECK-LABEL: func.func @joined
  // CHECK:         %[[T0:.*]] = gpu.wait async{{$}}
  // CHECK:         %[[T1:.*]] = gpu.launch_func async [%[[T0]]]
  // CHECK:         %[[T2:.*]] = gpu.wait async{{$}}
  // CHECK:         %[[T3:.*]] = gpu.launch_func async [%[[T2]]]
  // CHECK:         %[[T4:.*]] = gpu.wait async [%[[T1]], %[[T3]]]
  // CHECK:         %[[T5:.*]] = gpu.launch_func async [%[[T4]]]
  // CHECK:         gpu.wait [%[[T5]]]
  // IR-LABEL: define void @joined
  // IR:         call ptr @mgpuStreamCreate
  // IR:         call void @mgpuStreamWaitEvent
  // IR:         call void @mgpuStreamWaitEvent
  // IR:         call void @mgpuLaunchKernel
  // IR:         call void @mgpuStreamSynchronize
  // IR-NOT:     call void @mgpuStreamSynchronize
  // IR:       }
  func.func @joined(%a: memref<?x64xbf16>, %b: memref<?x64xbf16>, %d: memref<?x?xf32>, %e: memref<?x?xf32>) {
    %0 = tcgemm.launch_async @k ins(%a, %b : memref<?x64xbf16>, memref<?x64xbf16>) outs(%d : memref<?x?xf32>)
    %1 = tcgemm.launch_async @k ins(%a, %b : memref<?x64xbf16>, memref<?x64xbf16>) outs(%e : memref<?x?xf32>)
    %2 = tcgemm.launch_async @k after[%0, %1] ins(%a, %b : memref<?x64xbf16>, memref<?x64xbf16>) outs(%d : memref<?x?xf32>)
    gpu.wait [%2]
    return
  }

  // A stream of the caller's, and memory of the caller's: no other stream, no
  // allocation, no synchronisation.
  // CHECK-LABEL: func.func @stream
  // CHECK-SAME:    %[[WS:[^:]*]]: memref<?xi8>, %[[S:[^:]*]]: !llvm.ptr)
  // CHECK:         %[[T:.*]] = builtin.unrealized_conversion_cast %[[S]] : !llvm.ptr to !gpu.async.token
  // CHECK-NOT:     gpu.alloc
  // CHECK:         cf.assert %{{.*}}, "workspace of kernel 'k' is smaller than its tcgemm.workspace_size"
  // CHECK:         cf.assert %{{.*}}, "workspace of kernel 'k' is not aligned to 256 bytes"
  // CHECK:         return
  // IR-LABEL: define void @stream(
  // IR-SAME:    ptr %[[S:[0-9]+]])
  // IR-NOT:     mgpuStream
  // IR-NOT:     mgpuMem
  // IR:         call void @mgpuLaunchKernel({{.*}}, ptr %[[S]], ptr %{{.*}}, ptr null, i64 2)
  // IR-NOT:     mgpuStream
  // IR-NOT:     mgpuMem
  // IR:       }
  func.func @stream(%a: memref<?x64xbf16, strided<[?, 1]>>, %b: memref<?x64xbf16>, %d: memref<?x?xf32>, %w: memref<?xi8>, %s: !llvm.ptr) {
    tcgemm.launch @k ins(%a, %b : memref<?x64xbf16, strided<[?, 1]>>, memref<?x64xbf16>) outs(%d : memref<?x?xf32>)
      workspace(%w : memref<?xi8>) stream(%s : !llvm.ptr)
    return
  }

  // CHECK-LABEL: func.func @size
  // CHECK-DAG:     %[[C128:.*]] = arith.constant 128 : i64
  // CHECK:         %[[BYTES:.*]] = arith.muli %{{.*}}, %[[C128]] : i64
  // CHECK:         %[[INDEX:.*]] = arith.index_cast %[[BYTES]] : i64 to index
  // CHECK:         {{arith.select %.*, %c0, |scf.yield }}%[[INDEX]]
  // CHECK:         return
  func.func @size(%a: memref<?x64xbf16, strided<[?, 1]>>, %b: memref<?x64xbf16>, %d: memref<?x?xf32>) -> index {
    %bytes = tcgemm.workspace_size @k ins(%a, %b : memref<?x64xbf16, strided<[?, 1]>>, memref<?x64xbf16>) outs(%d : memref<?x?xf32>)
    return %bytes : index
  }
}
