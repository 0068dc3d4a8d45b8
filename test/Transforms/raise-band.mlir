// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file | FileCheck %s

// A selection in the body by the indices of row and column, on the element or
// on what it is extended to.
// CHECK-LABEL: tcgemm.kernel @body_0 <1x?x?x?> [#tcgemm.operand<a, bf16, "mk", band = <"lower">>, #tcgemm.operand<b, bf16, "kn">,
// CHECK: func.func @body
// CHECK-NOT: tcgemm.band
// CHECK: tcgemm.launch @body_0 ins(%arg0, %arg1 :
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @body(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
                %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.generic {indexing_maps = [#mk, #kn, #mn],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%init : tensor<?x?xf32>) {
  ^bb0(%x: bf16, %y: bf16, %sum: f32):
    %m = linalg.index 0 : index
    %k = linalg.index 2 : index
    %inside = arith.cmpi sle, %k, %m : index
    %wide = arith.extf %x : bf16 to f32
    %masked = arith.select %inside, %wide, %zero : f32
    %right = arith.extf %y : bf16 to f32
    %product = arith.mulf %masked, %right : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

// An elementwise producer: a band by two comparisons, of which one is inverted.
// B's rows are along k.
// CHECK-LABEL: tcgemm.kernel @producer_0
// CHECK-SAME: #tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "kn", band = <"band:3:-1">>
// CHECK: tcgemm.launch @producer_0 ins(%arg0, %arg1 :
#id = affine_map<(i, j) -> (i, j)>
func.func @producer(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>,
                    %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0.0 : f16
  %three = arith.constant 3 : index
  %empty = tensor.empty() : tensor<64x64xf16>
  %band = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<64x64xf16>) outs(%empty : tensor<64x64xf16>) {
  ^bb0(%x: f16, %o: f16):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %reach = arith.addi %j, %three : index
    %far = arith.cmpi sgt, %i, %reach : index
    %near = arith.cmpi slt, %j, %i : index
    %first = arith.select %far, %none, %x : f16
    %second = arith.select %near, %first, %none : f16
    linalg.yield %second : f16
  } -> tensor<64x64xf16>
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %d = linalg.matmul ins(%a, %band : tensor<64x64xf16>, tensor<64x64xf16>)
      outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// -----

// The operation, with what the memory holds; its transpose is a view of the
// same memory, and has the same band.
// CHECK-LABEL: tcgemm.kernel @operation_0
// CHECK-SAME: #tcgemm.operand<a, bf16, "km", band = <"upper:zeros">>, #tcgemm.operand<b, bf16, "kn", band = <"unit-lower">>
func.func @operation(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
                     %c: tensor<?x?xf32>, %e: tensor<?x?xbf16>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %u = tcgemm.band %a <"upper:zeros"> : tensor<?x?xbf16>
  %l = tcgemm.band %b <"unit-lower"> : tensor<?x?xbf16>
  %t = linalg.transpose ins(%u : tensor<?x?xbf16>) outs(%e : tensor<?x?xbf16>) permutation = [1, 0]
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.matmul ins(%t, %l : tensor<?x?xbf16>, tensor<?x?xbf16>)
      outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

// A result with a symmetric half: the operand's band is that of both.
// CHECK-LABEL: tcgemm.kernel @symmetric_0
// CHECK-SAME: #tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">, #tcgemm.operand<output, bf16, "mn">
// CHECK: attributes {symmetric}
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
func.func @symmetric(%a: tensor<256x?xbf16>, %c: tensor<256x256xf32>,
                     %e: tensor<256x256xbf16>) -> tensor<256x256xbf16> {
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%c : tensor<256x256xf32>) -> tensor<256x256xf32>
  %d = linalg.matmul indexing_maps = [#mk, #nk, #mn] {tcgemm.symmetric}
      ins(%a, %a : tensor<256x?xbf16>, tensor<256x?xbf16>)
      outs(%init : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<256x256xf32>) outs(%e : tensor<256x256xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %y = arith.truncf %x : f32 to bf16
    linalg.yield %y : bf16
  } -> tensor<256x256xbf16>
  return %r : tensor<256x256xbf16>
}

// -----

// A band of no operand becomes a copy with selections.
// CHECK-LABEL: func.func @copy
// CHECK-NOT: tcgemm.band
// CHECK: linalg.generic
// CHECK: %[[I:.*]] = linalg.index 1
// CHECK: %[[J:.*]] = linalg.index 2
// CHECK: arith.cmpi sle, %[[J]]
// CHECK: arith.cmpi sge, %[[J]]
func.func @copy(%a: tensor<2x?x8xf32>) -> tensor<2x?x8xf32> {
  %0 = tcgemm.band %a <"band:1:2"> : tensor<2x?x8xf32>
  return %0 : tensor<2x?x8xf32>
}
