// RUN: tcgemm-opt %s -tcgemm-linalg-to-gpu -split-input-file | FileCheck %s

// A thread for each element of the result.

// CHECK-LABEL: func.func @fill
// CHECK-SAME:    %[[V:.*]]: f32, %[[OUT:.*]]: memref<10x100xf32>
// CHECK:         gpu.launch blocks({{.*}}) in (%{{[a-z0-9]+}} = %c4{{[_0-9]*}},
// CHECK:           scf.for %[[I:.*]] =
// CHECK-DAG:         %[[COLUMN:.*]] = arith.remui %[[I]], %{{.*}}
// CHECK-DAG:         %[[ROW:.*]] = arith.divui %[[I]], %{{.*}}
// CHECK:             memref.store %[[V]], %[[OUT]][%[[ROW]], %[[COLUMN]]]
// CHECK-NOT:     linalg.
func.func @fill(%v: f32, %out: memref<10x100xf32>) {
  linalg.fill ins(%v : f32) outs(%out : memref<10x100xf32>)
  return
}

// -----

// The sum over k stays in a register, at the place that the loop has among the
// others.

// CHECK-LABEL: func.func @convolution
// CHECK:         gpu.launch
// CHECK:           memref.load %[[OUT:.*]][
// CHECK:           scf.for {{.*}} iter_args
// CHECK-COUNT-2:     memref.load
// CHECK:             arith.mulf
// CHECK:             scf.yield
// CHECK:           memref.store %{{.*}}, %[[OUT]][
func.func @convolution(%i: memref<1x64x3xf32>, %w: memref<5x3x8xf32>, %o: memref<1x60x8xf32>) {
  linalg.conv_1d_nwc_wcf ins(%i, %w : memref<1x64x3xf32>, memref<5x3x8xf32>) outs(%o : memref<1x60x8xf32>)
  return
}

// -----

// An output that the reduction loop indexes too is accessed in each iteration.

// CHECK-LABEL: func.func @running_sum
// CHECK:         gpu.launch
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK-NOT:         iter_args
// CHECK:               memref.load
// CHECK:               memref.store
// CHECK:               memref.store
func.func @running_sum(%x: memref<8x16xf32>, %sum: memref<8xf32>, %running: memref<8x16xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x16xf32>) outs(%sum, %running : memref<8xf32>, memref<8x16xf32>) {
  ^bb0(%v: f32, %s: f32, %r: f32):
    %0 = arith.addf %v, %s : f32
    linalg.yield %0, %0 : f32, f32
  }
  return
}

// -----

// No work is no launch.

// CHECK-LABEL: func.func @dynamic
// CHECK:         %[[ANY:.*]] = arith.cmpi sgt
// CHECK:         scf.if %[[ANY]]
// CHECK:           gpu.launch
func.func @dynamic(%v: f32, %out: memref<?xf32>) {
  linalg.fill ins(%v : f32) outs(%out : memref<?xf32>)
  return
}

// -----

// Rows of more than 1024 elements are a block's: the fill, the reduction and what
// follows are one kernel.

// CHECK-LABEL: func.func @rows
// CHECK:         gpu.launch {{.*}} threads({{.*}} = %c256
// CHECK-SAME:      workgroup(%{{.*}} : memref<8xf32, #gpu.address_space<workgroup>>)
// CHECK:           gpu.barrier
// CHECK:           scf.for {{.*}} iter_args
// CHECK:           gpu.shuffle xor
// CHECK:           gpu.barrier
// CHECK:           memref.store
// CHECK:           gpu.barrier
// CHECK:           arith.divf
// CHECK-NOT:     gpu.launch
func.func @rows(%x: memref<64x2000xf32>, %y: memref<64x2000xf32>) {
  %zero = arith.constant 0.0 : f32
  %sum = gpu.alloc () : memref<64xf32>
  linalg.fill ins(%zero : f32) outs(%sum : memref<64xf32>)
  linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<64x2000xf32>) outs(%sum : memref<64xf32>) {
  ^bb0(%v: f32, %s: f32):
    %0 = arith.addf %v, %s : f32
    linalg.yield %0 : f32
  }
  linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<64x2000xf32>, memref<64xf32>) outs(%y : memref<64x2000xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %0 = arith.divf %v, %s : f32
    linalg.yield %0 : f32
  }
  gpu.dealloc %sum : memref<64xf32>
  return
}

// -----

// Short rows are a warp's, eight to a block.

// CHECK-LABEL: func.func @short_rows
// CHECK:         gpu.launch blocks({{.*}}) in (%{{[a-z0-9]+}} = %c8{{[_0-9]*}},
// CHECK-NOT:       gpu.barrier
// CHECK:           gpu.shuffle xor
// CHECK:           nvvm.bar.warp.sync
func.func @short_rows(%x: memref<64x20xbf16>, %max: memref<64xbf16>) {
  linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<64x20xbf16>) outs(%max : memref<64xbf16>) {
  ^bb0(%v: bf16, %s: bf16):
    %0 = arith.maximumf %v, %s : bf16
    linalg.yield %0 : bf16
  }
  return
}

// -----

// The second operation needs other rows' results: two kernels.

// CHECK-LABEL: func.func @other_rows
// CHECK:         gpu.launch
// CHECK:         gpu.launch
func.func @other_rows(%x: memref<64x64xf32>, %sum: memref<64xf32>, %y: memref<64x64xf32>) {
  linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<64x64xf32>) outs(%sum : memref<64xf32>) {
  ^bb0(%v: f32, %s: f32):
    %0 = arith.addf %v, %s : f32
    linalg.yield %0 : f32
  }
  linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : memref<64x64xf32>, memref<64xf32>) outs(%y : memref<64x64xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %0 = arith.divf %v, %s : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Something between that accesses memory keeps kernels apart.

// CHECK-LABEL: func.func @between
// CHECK:         gpu.launch
// CHECK:         call @foreign
// CHECK:         gpu.launch
func.func private @foreign(memref<64xf32>)
func.func @between(%x: memref<64x64xf32>, %sum: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%sum : memref<64xf32>)
  func.call @foreign(%sum) : (memref<64xf32>) -> ()
  linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<64x64xf32>) outs(%sum : memref<64xf32>) {
  ^bb0(%v: f32, %s: f32):
    %0 = arith.addf %v, %s : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Neighbouring threads read and write neighbouring elements, by way of a tile.

// CHECK-LABEL: func.func @transpose
// CHECK-SAME:    %[[X:.*]]: memref<100x200xf32>, %[[Y:.*]]: memref<200x100xf32>
// CHECK:         gpu.launch {{.*}}workgroup(%[[TILE:.*]] : memref<32x33xf32, #gpu.address_space<workgroup>>)
// CHECK:           memref.load %[[X]]
// CHECK:           memref.store %{{.*}}, %[[TILE]]
// CHECK:           gpu.barrier
// CHECK:           memref.load %[[TILE]]
// CHECK:           memref.store %{{.*}}, %[[Y]]
// CHECK:           gpu.barrier
func.func @transpose(%x: memref<100x200xf32>, %y: memref<200x100xf32>) {
  linalg.transpose ins(%x : memref<100x200xf32>) outs(%y : memref<200x100xf32>) permutation = [1, 0]
  return
}

// -----

// Copies of dense buffers are copies of bytes; others are kernels, which see
// offsets and strides.

// CHECK-LABEL: func.func @copies
// CHECK:         gpu.memcpy %{{.*}}, %{{.*}} : memref<8x8xf32>, memref<8x8xf32>
// CHECK:         gpu.launch
// CHECK:           memref.load %{{.*}} : memref<8x8xf32>
// CHECK:           memref.store %{{.*}} : memref<8x8xf32, strided<[100, 1], offset: ?>>
func.func @copies(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %c: memref<8x8xf32, strided<[100, 1], offset: ?>>) {
  memref.copy %a, %b : memref<8x8xf32> to memref<8x8xf32>
  memref.copy %a, %c : memref<8x8xf32> to memref<8x8xf32, strided<[100, 1], offset: ?>>
  return
}

// -----

// The host reads an element by way of a copy, and writes one by a kernel.

// CHECK-LABEL: func.func @scalars
// CHECK:         %[[HOST:.*]] = memref.alloca() : memref<f32>
// CHECK:         %[[DEVICE:.*]] = gpu.alloc () : memref<f32>
// CHECK:         gpu.launch
// CHECK:         gpu.memcpy %[[HOST]], %[[DEVICE]]
// CHECK:         gpu.dealloc %[[DEVICE]]
// CHECK:         %[[V:.*]] = memref.load %[[HOST]][]
// CHECK:         gpu.launch
// CHECK:           memref.store %[[V]], %{{.*}} : memref<8x8xf32>
func.func @scalars(%a: memref<8x8xf32>, %i: index) {
  %v = memref.load %a[%i, %i] : memref<8x8xf32>
  memref.store %v, %a[%i, %i] : memref<8x8xf32>
  return
}

// -----

// Rows of f16 that are whole vectors: a thread for eight elements where the buffers are
// aligned, otherwise a thread for each.

// CHECK-LABEL: func.func @scaled_rows
// CHECK-SAME:    %[[D:.*]]: memref<10xf16>, %[[B:.*]]: memref<10x64xf16>, %[[OUT:.*]]: memref<10x64xf16>
// CHECK-DAG:     %[[AT_B:.*]] = memref.extract_aligned_pointer_as_index %[[B]]
// CHECK-DAG:     %[[AT_OUT:.*]] = memref.extract_aligned_pointer_as_index %[[OUT]]
// CHECK-DAG:     arith.remui %[[AT_B]], %c16
// CHECK-DAG:     arith.remui %[[AT_OUT]], %c16
// CHECK:         %[[ALIGNED:.*]] = arith.cmpi eq, %{{.*}}, %c0
// CHECK:         scf.if %[[ALIGNED]]
// CHECK:           gpu.launch blocks({{.*}}) in (%{{[a-z0-9]+}} = %c1{{[_0-9]*}},
// CHECK:             %[[SCALE:.*]] = memref.load %[[D]]
// CHECK:             %[[ROW:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK-COUNT-8:     arith.mulf %[[SCALE]], %{{.*}} : f16
// CHECK:             llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
// CHECK:         } else {
// CHECK:           gpu.launch blocks({{.*}}) in (%{{[a-z0-9]+}} = %c3{{[_0-9]*}},
// CHECK:             memref.store %{{.*}}, %[[OUT]]
func.func @scaled_rows(%d: memref<10xf16>, %b: memref<10x64xf16>, %out: memref<10x64xf16>) {
  linalg.generic {indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%d, %b : memref<10xf16>, memref<10x64xf16>) outs(%out : memref<10x64xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %0 = arith.mulf %x, %y : f16
    linalg.yield %0 : f16
  }
  return
}

// -----

// Rows of another length and those with run-time strides have a thread for each element.

// CHECK-LABEL: func.func @no_vectors
// CHECK-NOT:     llvm.load
// CHECK-COUNT-2: gpu.launch
// CHECK-NOT:     llvm.load
func.func @no_vectors(%a: memref<10x60xf16>, %b: memref<10x60xf16>, %c: memref<10x64xf16, strided<[?, 1]>>, %d: memref<10x64xf16>) {
  linalg.exp ins(%a : memref<10x60xf16>) outs(%b : memref<10x60xf16>)
  linalg.exp ins(%c : memref<10x64xf16, strided<[?, 1]>>) outs(%d : memref<10x64xf16>)
  return
}
