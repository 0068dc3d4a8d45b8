// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-program-to-nvvm))' | FileCheck %s

// One shared-memory symbol a module, of no size: the launch says how much.
// CHECK-LABEL: gpu.module @module
// CHECK: llvm.mlir.global external @tcgemm_smem() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

!global = memref<?xbf16, #gpu.address_space<global>>
!shared = memref<4096xbf16, #gpu.address_space<workgroup>>

gpu.module @module {
  // Memrefs are pointers in their space, bare. A copy whose count is not known
  // to be whole has a size in bytes; of 16 bytes it goes past L1.
  // CHECK: llvm.func @copies(%[[P:.*]]: !llvm.ptr<1>, %[[AT:.*]]: i64, %[[COUNT:.*]]: i32)
  // CHECK-SAME: attributes {gpu.kernel, nvvm.kernel, nvvm.maxntid = array<i32: 128, 1, 1>}
  // CHECK: %[[SMEM:.*]] = llvm.mlir.addressof @tcgemm_smem : !llvm.ptr<3>
  // CHECK: nvvm.read.ptx.sreg.tid.x : i32
  // CHECK: %[[FROM:.*]] = llvm.getelementptr %[[P]][%[[AT]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, bf16
  // CHECK: nvvm.cp.async.shared.global %{{.*}}, %[[FROM]], 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>
  // The index's constant ends in a getelementptr of its own, on 32 bits.
  // CHECK: %[[TO:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, bf16
  // CHECK: %[[FAR:.*]] = llvm.getelementptr %[[TO]][1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, bf16
  // CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32) : i32
  // CHECK: %[[BYTES:.*]] = llvm.mul %[[COUNT]], %[[TWO]]
  // CHECK: nvvm.cp.async.shared.global %[[FAR]], %{{.*}}, 8, cache = ca, %[[BYTES]] : !llvm.ptr<3>, !llvm.ptr<1>, i32
  // CHECK: nvvm.cp.async.commit.group
  // CHECK: nvvm.cp.async.wait.group 1
  // CHECK: nvvm.barrier
  // CHECK: llvm.return
  tcgemm.program @copies(%p: !global, %at: i64, %count: i32)
      attributes {threads = 128 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c1024 = arith.constant 1024 : i32
    %memory = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %view = memref.view %memory[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !shared
    %t = gpu.thread_id x
    %thread = arith.index_castui %t : index to i32
    %to = arith.index_castui %thread : i32 to index
    %from = arith.index_castui %at : i64 to index
    nvgpu.device_async_copy %p[%from], %view[%to], 8, %c8 {bypassL1} : !global to !shared
    %far = arith.addi %thread, %c1024 : i32
    %to_far = arith.index_castui %far : i32 to index
    %elements = arith.index_castui %count : i32 to index
    nvgpu.device_async_copy %p[%from], %view[%to_far], 4, %elements : !global to !shared
    %any = ub.poison : !nvgpu.device.async.token
    %group = nvgpu.device_async_create_group %any
    nvgpu.device_async_wait %group {numGroups = 1 : i32}
    gpu.barrier
    tcgemm.return
  }

  // Products of bf16 take their registers as i32, those of f16 as vectors.
  // CHECK: llvm.func @products
  // CHECK-SAME: nvvm.maxnreg = 128 : i32, nvvm.maxntid = array<i32: 64, 1, 1>, nvvm.minctasm = 2 : i32
  // CHECK: nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>
  // CHECK: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>
  // CHECK: nvvm.mma.sync A[{{.*}}] B[{{.*}}] C[{{.*}}] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<bf16>, multiplicandBPtxType = #nvvm.mma_type<bf16>, shape = #nvvm.shape<m = 16, n = 8, k = 16>} : (i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  // CHECK: nvvm.mma.sync {{.*}} : (vector<2xf16>, vector<2xf16>, f32) -> !llvm.struct<(f32, f32, f32, f32)>
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
  tcgemm.program @products(%at: i32, %f16: vector<4x2xf16>, %out: memref<?xf32, #gpu.address_space<global>>)
      attributes {threads = 64 : i64, chip = "sm_80", min_ctas = 2 : i64, max_registers = 128 : i64} {
    %c0 = arith.constant 0 : index
    %memory = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %view = memref.view %memory[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !shared
    %index = arith.index_castui %at : i32 to index
    %a = nvgpu.ldmatrix %view[%index] {numTiles = 4 : i32, transpose = false} : !shared -> vector<4x2xbf16>
    %b = nvgpu.ldmatrix %view[%index] {numTiles = 4 : i32, transpose = true} : !shared -> vector<4x2xbf16>
    %b0 = vector.extract_strided_slice %b {offsets = [2, 0], sizes = [2, 2], strides = [1, 1]}
        : vector<4x2xbf16> to vector<2x2xbf16>
    %zero = arith.constant dense<0.0> : vector<2x2xf32>
    %sum = nvgpu.mma.sync (%a, %b0, %zero) {mmaShape = [16, 8, 16]}
        : (vector<4x2xbf16>, vector<2x2xbf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %h = vector.extract_strided_slice %f16 {offsets = [0, 0], sizes = [2, 2], strides = [1, 1]}
        : vector<4x2xf16> to vector<2x2xf16>
    %more = nvgpu.mma.sync (%f16, %h, %sum) {mmaShape = [16, 8, 16]}
        : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf32>) -> vector<2x2xf32>
    %row = vector.extract %more[0] : vector<2xf32> from vector<2x2xf32>
    vector.store %row, %out[%c0] : memref<?xf32, #gpu.address_space<global>>, vector<2xf32>
    tcgemm.return
  }
}

// Nontemporal accesses to global memory are inline PTX of at most 16 bytes each.

// CHECK-LABEL: llvm.func @streamed
// CHECK: %[[PAIR:.*]] = llvm.inline_asm has_side_effects asm_dialect = att "ld.global.cs.v2.b64 {$0, $1}, [$2];", "=l,=l,l" %{{.*}} : (!llvm.ptr<1>) -> !llvm.struct<(i64, i64)>
// CHECK: %[[SECOND:.*]] = llvm.extractvalue %[[PAIR]][1]
// CHECK: llvm.insertelement %[[SECOND]]
// CHECK: llvm.bitcast %{{.*}} : vector<2xi64> to vector<2xf64>
// CHECK: %[[HALF:.*]] = llvm.inline_asm has_side_effects asm_dialect = att "ld.global.cs.b16 $0, [$1];", "=h,l"
// CHECK: llvm.bitcast %[[HALF]] : i16 to bf16
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "st.global.cs.b16 [$0], $1;", "l,h"
// CHECK: %[[BIT:.*]] = llvm.zext %{{.*}} : i1 to i8
// CHECK: %[[INTEGER:.*]] = llvm.bitcast %[[BIT]] : i8 to i8
// CHECK: %[[BYTE:.*]] = llvm.zext %[[INTEGER]] : i8 to i16
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "st.global.cs.b8 [$0], $1;", "l,h" %{{.*}}, %[[BYTE]]
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "st.global.cs.b32 [$0], $1;", "l,r"
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "st.global.cs.v2.b64 [$0], {$1, $2};", "l,l,l" %[[AT:.*]], %{{.*}}, %{{.*}} :
// CHECK: %[[NEXT:.*]] = llvm.getelementptr %[[AT]][16] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "st.global.cs.v2.b64 [$0], {$1, $2};", "l,l,l" %[[NEXT]], %
// Shared memory has no such accesses.
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> bf16
gpu.module @accesses {
  tcgemm.program @streamed(%f64: memref<?xf64, #gpu.address_space<global>>,
      %bf16: memref<?xbf16, #gpu.address_space<global>>,
      %i1: memref<?xi1, #gpu.address_space<global>>,
      %i8: memref<?xi8, #gpu.address_space<global>>)
      attributes {threads = 32 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %pair = vector.load %f64[%c0] {nontemporal = true} : memref<?xf64, #gpu.address_space<global>>, vector<2xf64>
    %half = memref.load %bf16[%c0] {nontemporal = true} : memref<?xbf16, #gpu.address_space<global>>
    memref.store %half, %bf16[%c0] {nontemporal = true} : memref<?xbf16, #gpu.address_space<global>>
    memref.store %true, %i1[%c0] {nontemporal = true} : memref<?xi1, #gpu.address_space<global>>
    %bytes = arith.constant dense<7> : vector<4xi8>
    vector.store %bytes, %i8[%c0] {nontemporal = true} : memref<?xi8, #gpu.address_space<global>>, vector<4xi8>
    %four = vector.shuffle %pair, %pair [0, 1, 2, 3] : vector<2xf64>, vector<2xf64>
    vector.store %four, %f64[%c0] {nontemporal = true} : memref<?xf64, #gpu.address_space<global>>, vector<4xf64>
    %memory = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %view = memref.view %memory[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !shared
    %shared = memref.load %view[%c0] {nontemporal = true} : !shared
    memref.store %shared, %bf16[%c0] : memref<?xbf16, #gpu.address_space<global>>
    tcgemm.return
  }
}

// What is said of a loop is said to LLVM.

// CHECK-LABEL: llvm.func @rolled
// CHECK: llvm.br ^{{.*}} {loop_annotation = #[[ROLLED:.*]]}
#unroll = #llvm.loop_unroll<disable = true>
#rolled = #llvm.loop_annotation<unroll = #unroll>
gpu.module @loops {
  tcgemm.program @rolled(%n: i32, %out: memref<?xf32, #gpu.address_space<global>>)
      attributes {threads = 32 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %zero = arith.constant 0.0 : f32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %at = arith.index_castui %i : i32 to index
      memref.store %zero, %out[%at] : memref<?xf32, #gpu.address_space<global>>
    } {llvm.loop_annotation = #rolled}
    tcgemm.return
  }
}
