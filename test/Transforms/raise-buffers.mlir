// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file -verify-diagnostics -o %t
// RUN: FileCheck %s --input-file %t

// Products on buffers, which may have any strides and offset. A fill of the
// output becomes part of the launch. B lies along k: its dims say so.

// CHECK-LABEL: tcgemm.kernel @strided_0 <1x64x48x32>
// CHECK-SAME:    [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "nk">, #tcgemm.operand<output, f32, "mn">]
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32):
// CHECK-NEXT:    tcgemm.yield %[[ACC]]
// CHECK-LABEL: func.func @strided
// CHECK-SAME:    %[[A:.*]]: memref<64x32xf16, strided<[?, 1], offset: ?>>, %[[B:.*]]: memref<32x48xf16, strided<[1, 32]>>)
// CHECK:         %[[C:.*]] = memref.alloc
// CHECK-NOT:     linalg
// CHECK:         %[[BT:.*]] = memref.transpose %[[B]]
// CHECK:         tcgemm.launch @strided_0 ins(%[[A]], %[[BT]] : memref<64x32xf16, strided<[?, 1], offset: ?>>, memref<48x32xf16, strided<[32, 1]>>) outs(%[[C]] :
func.func @strided(%a: memref<64x32xf16, strided<[?, 1], offset: ?>>, %b: memref<32x48xf16, strided<[1, 32]>>) -> memref<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<64x48xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<64x48xf32>)
  linalg.matmul ins(%a, %b : memref<64x32xf16, strided<[?, 1], offset: ?>>, memref<32x48xf16, strided<[1, 32]>>) outs(%c : memref<64x48xf32>)
  return %c : memref<64x48xf32>
}

// -----

// Without a fill the launch accumulates in place; with another number it adds.
// Equal products share a kernel, across functions too.

// CHECK-LABEL: tcgemm.kernel @in_place_0 <?x?x?x?>
// CHECK-SAME:    #tcgemm.operand<input, bf16, "bmn">, #tcgemm.operand<output, bf16, "bmn">]
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32, %[[C:.*]]: bf16):
// CHECK:         arith.addf %[[ACC]],
// CHECK:       } attributes {in_place}
// CHECK:       tcgemm.kernel @in_place_1
// CHECK-NEXT:  ^bb0(%[[ACC:.*]]: f32, %[[S:.*]]: bf16):
// CHECK:         arith.addf %[[ACC]],
// CHECK-LABEL: func.func @in_place
// CHECK:         %[[C:.*]] = memref.alloc
// CHECK:         tcgemm.launch @in_place_0 ins(%{{.*}}, %{{.*}}, %[[C]] : {{.*}}) outs(%[[C]] :
// CHECK:         tcgemm.launch @in_place_1 ins(%{{.*}}, %{{.*}}, %{{.*}} : {{.*}}, bf16) outs(%[[C]] :
// CHECK-NOT:   tcgemm.kernel
// CHECK-LABEL: func.func @again
// CHECK:         tcgemm.launch @in_place_0
func.func @in_place(%a: memref<?x?x?xbf16>, %b: memref<?x?x?xbf16>, %n: index, %s: bf16) {
  %c = memref.alloc(%n, %n, %n) : memref<?x?x?xbf16>
  linalg.batch_matmul ins(%a, %b : memref<?x?x?xbf16>, memref<?x?x?xbf16>) outs(%c : memref<?x?x?xbf16>)
  linalg.fill ins(%s : bf16) outs(%c : memref<?x?x?xbf16>)
  %d = memref.alloc(%n) : memref<?xbf16>
  // expected-remark @below {{'linalg.fill' is left as it is: it is neither a contraction nor does it consume one's result}}
  linalg.fill ins(%s : bf16) outs(%d : memref<?xbf16>)
  linalg.batch_matmul ins(%a, %b : memref<?x?x?xbf16>, memref<?x?x?xbf16>) outs(%c : memref<?x?x?xbf16>)
  return
}
func.func @again(%a: memref<?x?x?xbf16>, %b: memref<?x?x?xbf16>, %n: index) {
  %c = memref.alloc(%n, %n, %n) : memref<?x?x?xbf16>
  linalg.batch_matmul ins(%a, %b : memref<?x?x?xbf16>, memref<?x?x?xbf16>) outs(%c : memref<?x?x?xbf16>)
  return
}

// -----

// A fill stays where something in between may touch that memory, or where it is
// of another part of it.

// CHECK-LABEL: func.func @touched
// CHECK:         linalg.fill
// CHECK:         memref.load
// CHECK:         tcgemm.launch @touched_0 ins({{.*}}, %[[C:.*]] : {{.*}}) outs(%[[C]] :
// CHECK:         linalg.fill
// CHECK:         tcgemm.launch @touched_0
func.func @touched(%a: memref<8x8xf32>, %b: memref<8x8xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c = memref.alloc() : memref<8x8xf32>
  // expected-remark @below {{'linalg.fill' is left as it is}}
  linalg.fill ins(%zero : f32) outs(%c : memref<8x8xf32>)
  %x = memref.load %c[%c0, %c0] : memref<8x8xf32>
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
  %part = memref.subview %c[0, 0] [4, 8] [1, 1] : memref<8x8xf32> to memref<4x8xf32, strided<[8, 1]>>
  // expected-remark @below {{'linalg.fill' is left as it is}}
  linalg.fill ins(%zero : f32) outs(%part : memref<4x8xf32, strided<[8, 1]>>)
  linalg.matmul ins(%a, %b : memref<8x8xf32>, memref<8x8xf32>) outs(%c : memref<8x8xf32>)
  return %x : f32
}

// -----

// An output that may overlap A or B in one buffer is not taken; disjoint parts
// are. Of arguments nothing is known.

// CHECK-LABEL: func.func @overlap
// CHECK:         linalg.matmul
// CHECK:         linalg.matmul
// CHECK:         tcgemm.launch @overlap_0
// CHECK:         tcgemm.launch @overlap_0
func.func @overlap(%a: memref<8x8xf32>, %d: memref<8x8xf32>) {
  %c = memref.alloc() : memref<16x16xf32>
  %x = memref.subview %c[0, 0] [8, 8] [1, 1] : memref<16x16xf32> to memref<8x8xf32, strided<[16, 1]>>
  %y = memref.subview %c[4, 4] [8, 8] [1, 1] : memref<16x16xf32> to memref<8x8xf32, strided<[16, 1], offset: 68>>
  %z = memref.subview %c[8, 0] [8, 8] [1, 1] : memref<16x16xf32> to memref<8x8xf32, strided<[16, 1], offset: 128>>
  // expected-remark @below {{'linalg.matmul' is left as it is: its output may overlap its operand B, which is a view of the same buffer}}
  linalg.matmul ins(%a, %x : memref<8x8xf32>, memref<8x8xf32, strided<[16, 1]>>) outs(%x : memref<8x8xf32, strided<[16, 1]>>)
  // expected-remark @below {{'linalg.matmul' is left as it is: its output may overlap its operand A, which is a view of the same buffer}}
  linalg.matmul ins(%x, %a : memref<8x8xf32, strided<[16, 1]>>, memref<8x8xf32>) outs(%y : memref<8x8xf32, strided<[16, 1], offset: 68>>)
  linalg.matmul ins(%x, %a : memref<8x8xf32, strided<[16, 1]>>, memref<8x8xf32>) outs(%z : memref<8x8xf32, strided<[16, 1], offset: 128>>)
  // expected-remark @below {{a launch of kernel 'overlap_0': its output must not overlap B, which cannot be proven here}}
  linalg.matmul ins(%x, %a : memref<8x8xf32, strided<[16, 1]>>, memref<8x8xf32>) outs(%d : memref<8x8xf32>)
  return
}

// -----

// What a kernel's memory cannot be.

#tiled = affine_map<(i, j) -> (i floordiv 4, j, i mod 4)>
func.func @memory(%a: memref<8x8xf16>, %b: memref<8x8xf16, #tiled>, %s: memref<8x8xf16, #gpu.address_space<workgroup>>,
                  %g: memref<8x8xf16, #gpu.address_space<global>>) {
  %c = memref.alloc() : memref<8x8xf32>
  %gaps = memref.alloc() : memref<8x8x2xf32>
  %o = memref.subview %gaps[0, 0, 0] [8, 8, 1] [1, 1, 1] : memref<8x8x2xf32> to memref<8x8xf32, strided<[16, 2]>>
  // expected-remark @below {{whose layout has no strides}}
  linalg.matmul ins(%a, %b : memref<8x8xf16>, memref<8x8xf16, #tiled>) outs(%c : memref<8x8xf32>)
  // expected-remark @below {{it has a buffer in the memory space #gpu.address_space<workgroup>; only global memory is supported}}
  linalg.matmul ins(%a, %s : memref<8x8xf16>, memref<8x8xf16, #gpu.address_space<workgroup>>) outs(%c : memref<8x8xf32>)
  // expected-remark @below {{its output has elements 2 apart; a kernel writes rows without gaps}}
  linalg.matmul ins(%a, %a : memref<8x8xf16>, memref<8x8xf16>) outs(%o : memref<8x8xf32, strided<[16, 2]>>)
  linalg.matmul ins(%a, %g : memref<8x8xf16>, memref<8x8xf16, #gpu.address_space<global>>) outs(%c : memref<8x8xf32>)
  return
}

// -----

// A vector is a matrix with one row, by whatever stride.

// CHECK-LABEL: tcgemm.kernel @vector_0 <1x1x?x?>
// CHECK-SAME:    [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "nk">, #tcgemm.operand<output, f32, "mn">]
// CHECK-LABEL: func.func @vector
// CHECK-SAME:    %[[A:.*]]: memref<?x?xf16>, %[[X:.*]]: memref<?xf16, strided<[?], offset: ?>>
// CHECK-DAG:     %[[XM:.*]] = memref.expand_shape %[[X]] {{\[\[}}0, 1]] output_shape [1, %{{.*}}] : {{.*}} into memref<1x?xf16, strided<[?, ?], offset: ?>>
// CHECK-DAG:     %[[YM:.*]] = memref.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [1, %{{.*}}] : memref<?xf32> into memref<1x?xf32>
// CHECK:         tcgemm.launch @vector_0 ins(%[[XM]], %[[A]] : {{.*}}) outs(%[[YM]] :
func.func @vector(%a: memref<?x?xf16>, %x: memref<?xf16, strided<[?], offset: ?>>, %n: index) {
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc(%n) : memref<?xf32>
  linalg.fill ins(%zero : f32) outs(%y : memref<?xf32>)
  linalg.matvec ins(%a, %x : memref<?x?xf16>, memref<?xf16, strided<[?], offset: ?>>) outs(%y : memref<?xf32>)
  return
}
