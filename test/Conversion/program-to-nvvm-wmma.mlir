// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-program-to-nvvm))' | FileCheck %s

// gpu.subgroup_mma on bare pointers: the instruction follows from the matrices,
// its depth is 16 or, for tf32, 8.

!shared = memref<4096xf16, #gpu.address_space<workgroup>>
!bytes = memref<4096xi8, #gpu.address_space<workgroup>>
!integers = memref<2048xi32, #gpu.address_space<workgroup>>
!sums = memref<2048xf32, #gpu.address_space<workgroup>>

gpu.module @module {
  // CHECK-LABEL: llvm.func @products
  // CHECK: nvvm.wmma.load %{{.*}}, %{{.*}} {eltype = #nvvm.mma_type<f16>, frag = #nvvm.mma_frag<a>, k = 16 : i32, layout = #nvvm.mma_layout<row>, m = 32 : i32, n = 8 : i32} : (!llvm.ptr<3>)
  // CHECK: nvvm.wmma.load %{{.*}}, %{{.*}} {eltype = #nvvm.mma_type<f16>, frag = #nvvm.mma_frag<b>, k = 16 : i32, layout = #nvvm.mma_layout<col>, m = 32 : i32, n = 8 : i32} : (!llvm.ptr<3>)
  // CHECK: nvvm.wmma.mma {{.*}} {eltypeA = #nvvm.mma_type<f16>, eltypeB = #nvvm.mma_type<f32>, k = 16 : i32, layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, m = 32 : i32, n = 8 : i32}
  // CHECK: nvvm.wmma.store %{{.*}} {eltype = #nvvm.mma_type<f32>, k = 16 : i32, layout = #nvvm.mma_layout<row>, m = 32 : i32, n = 8 : i32} : !llvm.ptr<3>
  tcgemm.program @products(%i: index) attributes {threads = 32 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %memory = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %view = memref.view %memory[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !shared
    %out = memref.view %memory[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !sums
    %a = gpu.subgroup_mma_load_matrix %view[%i] {leadDimension = 16 : index} : !shared -> !gpu.mma_matrix<32x16xf16, "AOp">
    %b = gpu.subgroup_mma_load_matrix %view[%i] {leadDimension = 16 : index, transpose} : !shared -> !gpu.mma_matrix<16x8xf16, "BOp">
    %c = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<32x8xf32, "COp">
    %d = gpu.subgroup_mma_compute %a, %b, %c {b_transpose} : !gpu.mma_matrix<32x16xf16, "AOp">, !gpu.mma_matrix<16x8xf16, "BOp"> -> !gpu.mma_matrix<32x8xf32, "COp">
    gpu.subgroup_mma_store_matrix %d, %out[%i] {leadDimension = 16 : index} : !gpu.mma_matrix<32x8xf32, "COp">, !sums
    tcgemm.return
  }

  // 16 x 16 is not taken for the tf32 instruction with a depth of 8.
  // CHECK-LABEL: llvm.func @square
  // CHECK: nvvm.wmma.store {{.*}} k = 16 : i32, layout = #nvvm.mma_layout<row>, m = 16 : i32, n = 16 : i32}
  tcgemm.program @square(%i: index) attributes {threads = 32 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %memory = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %out = memref.view %memory[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !sums
    %c = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %c, %out[%i] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, !sums
    tcgemm.return
  }

  // Integers have their sign, and f32 stands for tf32, with a depth of 8. A matrix of
  // one register is loaded by inline PTX.
  // CHECK-LABEL: llvm.func @integers
  // CHECK: nvvm.wmma.load {{.*}} {eltype = #nvvm.mma_type<s8>, frag = #nvvm.mma_frag<a>, k = 16 : i32, layout = #nvvm.mma_layout<row>, m = 32 : i32, n = 8 : i32} : (!llvm.ptr<3>)
  // CHECK: llvm.inline_asm has_side_effects asm_dialect = att "wmma.load.b.sync.aligned.col.m32n8k16.shared.s8 {$0}, [$1], $2;", "=r,r,r,~{memory}" %{{.*}}, %{{.*}} : (!llvm.ptr<3>, i32) -> i32
  // CHECK: nvvm.wmma.mma {{.*}} {eltypeA = #nvvm.mma_type<s8>, eltypeB = #nvvm.mma_type<s32>, k = 16 : i32, {{.*}} m = 32 : i32, n = 8 : i32}
  // CHECK: nvvm.wmma.store {{.*}} {eltype = #nvvm.mma_type<s32>, k = 16 : i32, {{.*}} m = 32 : i32, n = 8 : i32}
  tcgemm.program @integers(%i: index) attributes {threads = 32 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i32
    %memory = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %view = memref.view %memory[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !bytes
    %out = memref.view %memory[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !integers
    %a = gpu.subgroup_mma_load_matrix %view[%i] {leadDimension = 16 : index} : !bytes -> !gpu.mma_matrix<32x16xsi8, "AOp">
    %b = gpu.subgroup_mma_load_matrix %view[%i] {leadDimension = 16 : index, transpose} : !bytes -> !gpu.mma_matrix<16x8xsi8, "BOp">
    %c = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<32x8xi32, "COp">
    %d = gpu.subgroup_mma_compute %a, %b, %c {b_transpose} : !gpu.mma_matrix<32x16xsi8, "AOp">, !gpu.mma_matrix<16x8xsi8, "BOp"> -> !gpu.mma_matrix<32x8xi32, "COp">
    gpu.subgroup_mma_store_matrix %d, %out[%i] {leadDimension = 16 : index} : !gpu.mma_matrix<32x8xi32, "COp">, !integers
    tcgemm.return
  }

  // CHECK-LABEL: llvm.func @rounded
  // CHECK: nvvm.wmma.load {{.*}} {eltype = #nvvm.mma_type<tf32>, frag = #nvvm.mma_frag<a>, k = 8 : i32, layout = #nvvm.mma_layout<row>, m = 16 : i32, n = 16 : i32}
  // CHECK: nvvm.wmma.load {{.*}} {eltype = #nvvm.mma_type<tf32>, frag = #nvvm.mma_frag<b>, k = 8 : i32, layout = #nvvm.mma_layout<col>, m = 16 : i32, n = 16 : i32}
  // CHECK: nvvm.wmma.mma {{.*}} {eltypeA = #nvvm.mma_type<tf32>, eltypeB = #nvvm.mma_type<f32>, k = 8 : i32
  tcgemm.program @rounded(%i: index) attributes {threads = 32 : i64, chip = "sm_80"} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %memory = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %view = memref.view %memory[%c0][] : memref<?xi8, #gpu.address_space<workgroup>> to !sums
    %a = gpu.subgroup_mma_load_matrix %view[%i] {leadDimension = 16 : index} : !sums -> !gpu.mma_matrix<16x8xf32, "AOp">
    %b = gpu.subgroup_mma_load_matrix %view[%i] {leadDimension = 16 : index, transpose} : !sums -> !gpu.mma_matrix<8x16xf32, "BOp">
    %c = gpu.subgroup_mma_constant_matrix %zero : !gpu.mma_matrix<16x16xf32, "COp">
    %d = gpu.subgroup_mma_compute %a, %b, %c {b_transpose} : !gpu.mma_matrix<16x8xf32, "AOp">, !gpu.mma_matrix<8x16xf32, "BOp"> -> !gpu.mma_matrix<16x16xf32, "COp">
    gpu.subgroup_mma_store_matrix %d, %view[%i] {leadDimension = 16 : index} : !gpu.mma_matrix<16x16xf32, "COp">, !sums
    tcgemm.return
  }
}
