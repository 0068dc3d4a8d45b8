// Functions of the operands' elements: in producers, in the body of the product, of
// scalars, and of vectors along m and k.

#id = affine_map<(i, j) -> (i, j)>
#first = affine_map<(i, j) -> (i)>
#second = affine_map<(i, j) -> (j)>

// relu(relu(A + 1)·B), of an odd K: relu(0 + 1) is not 0.
func.func @layers(%a: tensor<40x33xf16>, %b: tensor<33x48xf16>) -> tensor<40x48xf16> {
  %one = arith.constant 1.0 : f16
  %none = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<40x33xf16>
  %x = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a : tensor<40x33xf16>) outs(%e : tensor<40x33xf16>) {
  ^bb0(%u: f16, %o: f16):
    %v = arith.addf %u, %one : f16
    linalg.yield %v : f16
  } -> tensor<40x33xf16>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<40x33xf16>) outs(%e : tensor<40x33xf16>) {
  ^bb0(%u: f16, %o: f16):
    %v = arith.maximumf %u, %none : f16
    linalg.yield %v : f16
  } -> tensor<40x33xf16>
  %z = arith.constant 0.0 : f32
  %i = tensor.empty() : tensor<40x48xf32>
  %f = linalg.fill ins(%z : f32) outs(%i : tensor<40x48xf32>) -> tensor<40x48xf32>
  %p = linalg.matmul ins(%y, %b : tensor<40x33xf16>, tensor<33x48xf16>) outs(%f : tensor<40x48xf32>) -> tensor<40x48xf32>
  %d = tensor.empty() : tensor<40x48xf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%p : tensor<40x48xf32>) outs(%d : tensor<40x48xf16>) {
  ^bb0(%u: f32, %o: f16):
    %v = arith.maximumf %u, %z : f32
    %w = arith.truncf %v : f32 to f16
    linalg.yield %w : f16
  } -> tensor<40x48xf16>
  return %r : tensor<40x48xf16>
}

// A layer norm's factors: A's elements are scaled by vectors along m and k.
func.func @scaled(%a: tensor<?x?xf32>, %rows: tensor<?xf32>, %columns: tensor<?xf32>, %b: tensor<?x?xf32>,
                  %init: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %k = tensor.dim %a, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %k) : tensor<?x?xf32>
  %x = linalg.generic {indexing_maps = [#id, #first, #second, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a, %rows, %columns : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%u: f32, %v: f32, %w: f32, %o: f32):
    %s = arith.subf %u, %v : f32
    %t = arith.mulf %s, %w : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %r = linalg.matmul ins(%x, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>

// Functions of both operands, one of a scalar.
func.func @both(%A: tensor<17x35xf32>, %B: tensor<19x35xf32>, %s: f32, %D: tensor<17x19xf32>) -> tensor<17x19xf32> {
  %r = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%A, %B : tensor<17x35xf32>, tensor<19x35xf32>) outs(%D : tensor<17x19xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %half = arith.constant 0.5 : f32
    %u = math.exp %x : f32
    %w = arith.mulf %y, %s : f32
    %v = arith.addf %w, %half : f32
    %p = arith.mulf %u, %v : f32
    %next = arith.addf %sum, %p : f32
    linalg.yield %next : f32
  } -> tensor<17x19xf32>
  return %r : tensor<17x19xf32>
}
