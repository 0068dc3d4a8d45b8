// RUN: tcgemm-opt %s -tcgemm-launch-to-gpu=sm-count=132 -canonicalize -cse -split-input-file | FileCheck %s
// RUN: tcgemm-opt %s -tcgemm-launch-to-gpu=sm-count=132 -split-input-file | \
// RUN:   tcgemm-opt -split-input-file -gpu-async-region -convert-scf-to-cf -expand-strided-metadata \
// RUN:     -gpu-to-llvm -reconcile-unrealized-casts | FileCheck %s --check-prefix=LLVM

#config = #tcgemm.config<cta = [128, 256, 64]>

// Two variants: the guard on the addresses and strides chooses; the second
// packs A into the workspace.

// CHECK-NOT:   tcgemm.kernel
// CHECK-LABEL: func.func @matmul
// CHECK-SAME:    %[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<64x?xbf16, strided<[?, 1], offset: ?>>, %[[ALPHA:.*]]: f32, %[[D:.*]]: memref<?x?xf32>
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG:     %[[C256:.*]] = arith.constant 256 : index
// CHECK-DAG:     %[[SMEM:.*]] = arith.constant 196608 : i32
// CHECK-DAG:     %[[APTR:.*]] = memref.extract_aligned_pointer_as_index %[[A]]
// CHECK-DAG:     %[[ABASE:.*]] = arith.index_cast %[[APTR]] : index to i64
// CHECK-DAG:     %[[BBUF:.*]], %[[OFFSET:.*]], %{{.*}}:2, %[[BSTRIDES:.*]]:2 = memref.extract_strided_metadata %[[B]]
// CHECK-DAG:     %[[OFF64:.*]] = arith.index_cast %[[OFFSET]] : index to i64
// CHECK-DAG:     arith.muli %[[OFF64]], %{{.*}} : i64
// CHECK:         arith.cmpi eq
// CHECK:         scf.if %{{.*}} {
// CHECK:           %[[PA:.*]] = llvm.inttoptr %[[ABASE]] : i64 to !llvm.ptr
// CHECK:           %[[M32:.*]] = arith.trunci %{{.*}} : i64 to i32
// CHECK:           gpu.launch_func @programs::@main blocks in (%{{.*}}, %[[C1]], %[[C1]]) threads in (%[[C256]], %[[C1]], %[[C1]]) dynamic_shared_memory_size %[[SMEM]] args(%[[PA]] : !llvm.ptr, %{{.*}} : !llvm.ptr, %{{.*}} : !llvm.ptr, %[[ALPHA]] : f32, %[[M32]] : i32, %{{.*}} : i64)
// CHECK:         } else {
// CHECK:           %[[WS:.*]] = gpu.alloc (%{{.*}}) : memref<?xi8>
// CHECK:           %[[WSPTR:.*]] = memref.extract_aligned_pointer_as_index %[[WS]]
// CHECK:           scf.if
// CHECK:             gpu.launch_func @programs::@pack
// CHECK:           scf.if
// CHECK:             gpu.launch_func @programs::@main
// CHECK:           gpu.dealloc %[[WS]] : memref<?xi8>
// CHECK-NOT:     cf.assert
// CHECK:         return

// LLVM-LABEL: llvm.func @matmul
// LLVM:         gpu.launch_func
// LLVM:         llvm.call @mgpuMemAlloc
// LLVM:         gpu.launch_func
// LLVM:         llvm.call @mgpuMemFree
module attributes {gpu.container_module} {
  gpu.binary @programs [#gpu.object<#nvvm.target<chip = "sm_90">, bin = "">]
  tcgemm.kernel @k <1x?x?x64> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">,
      #tcgemm.operand<scalar, f32, "">, #tcgemm.operand<output, f32, "mn">] epilogue {
  ^bb0(%acc: f32, %alpha: f32):
    %0 = arith.mulf %acc, %alpha : f32
    tcgemm.yield %0 : f32
  } attributes {plan = [
    #tcgemm.variant<"aligned", guard = "A.base % 16 == 0 && A.stride0 % 8 == 0 && A.stride1 == 1", config = #config, workspace = "0",
      steps = [#tcgemm.step<@programs::@main, grid = ["min(ceildiv(M, 128) * ceildiv(N, 256), sm_count)", "1", "1"], threads = 256, shared_memory = 196608,
        arguments = [pointer A, pointer B, pointer out0, scalar in0, i32 "M", i64 "A.stride0"]>]>,
    #tcgemm.variant<"pack_a", guard = "1", config = #config, workspace = "2 * M * K",
      steps = [#tcgemm.step<@programs::@pack, grid = ["ceildiv(M * K, 256)", "1", "1"], threads = 256, shared_memory = 0,
        arguments = [pointer A, workspace "0", i32 "M", i64 "A.stride0"], when = "M > 1 || !(N == 0)">,
        #tcgemm.step<@programs::@main, grid = ["ceildiv(M, 128)", "ceildiv(N, 256)", "1"], threads = 256, shared_memory = 196608,
        arguments = [workspace "0", pointer B, pointer out0, scalar in0, i32 "M", i64 "K"]>]>]}
  func.func @matmul(%a: memref<?x?xbf16>, %b: memref<64x?xbf16, strided<[?, 1], offset: ?>>, %alpha: f32, %d: memref<?x?xf32>) {
    tcgemm.launch @k ins(%a, %b, %alpha : memref<?x?xbf16>, memref<64x?xbf16, strided<[?, 1], offset: ?>>, f32) outs(%d : memref<?x?xf32>)
    return
  }
}

// -----

// Static sizes leave no question open: one launch. The embedder has moved the
// temporary to the device; its operations stay as they are.

#config = #tcgemm.config<cta = [128, 256, 64]>
// CHECK-LABEL: func.func @static
// CHECK:         %[[T:.*]] = gpu.alloc () : memref<128x256xf32>
// CHECK:         gpu.launch_func @programs::@main blocks in (%[[C1:.*]], %[[C1]], %[[C1]])
// CHECK-NOT:     scf.if
// CHECK:         gpu.memcpy %{{.*}}, %[[T]]
// CHECK:         gpu.dealloc %[[T]]
// CHECK:         return
// LLVM-LABEL: llvm.func @static
module attributes {gpu.container_module} {
  gpu.binary @programs [#gpu.object<#nvvm.target<chip = "sm_90">, bin = "">]
  tcgemm.kernel @k <1x128x256x64> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
  ^bb0(%acc: f32):
    tcgemm.yield %acc : f32
  } attributes {plan = [
    #tcgemm.variant<"empty_k", guard = "K == 0", config = #config, workspace = "0", 
      steps = [#tcgemm.step<@programs::@main, grid = ["1", "1", "1"], threads = 256, shared_memory = 0, arguments = [workspace "0"]>]>,
    #tcgemm.variant<"aligned", guard = "K >= 1 && A.stride0 % 8 == 0", config = #config, workspace = "0",
      steps = [#tcgemm.step<@programs::@main, grid = ["batch * ceildiv(M, 128) * ceildiv(N, 256)", "1", "1"], threads = 256, shared_memory = 0,
        arguments = [pointer A, pointer B, pointer out0]>]>]}
  func.func @static(%a: memref<128x64xbf16>, %b: memref<64x256xbf16>, %d: memref<128x256xf32>) {
    %t = gpu.alloc () : memref<128x256xf32>
    tcgemm.launch @k ins(%a, %b : memref<128x64xbf16>, memref<64x256xbf16>) outs(%t : memref<128x256xf32>)
    gpu.memcpy %d, %t : memref<128x256xf32>, memref<128x256xf32>
    gpu.dealloc %t : memref<128x256xf32>
    return
  }
}

// -----

// A grid that is known to be empty is not launched, and its addresses are not
// written.

// CHECK-LABEL: func.func @no_rows
// CHECK-NOT:     gpu.launch_func
// CHECK-NOT:     llvm.inttoptr
// CHECK:         return
module attributes {gpu.container_module} {
  gpu.binary @programs [#gpu.object<#nvvm.target<chip = "sm_90">, bin = "">]
  tcgemm.kernel @k <1x0x?x64> [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">,
      #tcgemm.operand<output, f32, "mn">] epilogue {
  ^bb0(%acc: f32):
    tcgemm.yield %acc : f32
  } attributes {plan = [
    #tcgemm.variant<"all", guard = "1", config = #tcgemm.config<cta = [128, 256, 64]>, workspace = "0",
      steps = [#tcgemm.step<@programs::@main, grid = ["ceildiv(M, 128) * ceildiv(N, 256)", "1", "1"], threads = 256, shared_memory = 0,
        arguments = [pointer A, pointer B, pointer out0]>]>]}
  func.func @no_rows(%a: memref<0x64xbf16>, %b: memref<64x?xbf16>, %d: memref<0x?xf32>) {
    tcgemm.launch @k ins(%a, %b : memref<0x64xbf16>, memref<64x?xbf16>) outs(%d : memref<0x?xf32>)
    return
  }
}
