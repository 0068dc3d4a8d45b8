#matrix = affine_map<(i, j) -> (i, j)>

// relu(A·B), as a matrix that the second product reads, times C.
func.func @chain(%a: tensor<?x64xbf16>, %b: tensor<64x48xbf16>,
                 %c: tensor<48x40xbf16>) -> tensor<?x40xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %e0 = tensor.empty(%m) : tensor<?x48xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x48xf32>) -> tensor<?x48xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x64xbf16>, tensor<64x48xbf16>)
                     outs(%f0 : tensor<?x48xf32>) -> tensor<?x48xf32>
  %e1 = tensor.empty(%m) : tensor<?x48xbf16>
  %r = linalg.generic {indexing_maps = [#matrix, #matrix],
                       iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<?x48xf32>) outs(%e1 : tensor<?x48xbf16>) {
  ^bb0(%x: f32, %old: bf16):
    %positive = arith.maximumf %x, %zero : f32
    %rounded = arith.truncf %positive : f32 to bf16
    linalg.yield %rounded : bf16
  } -> tensor<?x48xbf16>
  %e2 = tensor.empty(%m) : tensor<?x40xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x40xf32>) -> tensor<?x40xf32>
  %d = linalg.matmul ins(%r, %c : tensor<?x48xbf16>, tensor<48x40xbf16>)
                     outs(%f2 : tensor<?x40xf32>) -> tensor<?x40xf32>
  return %d : tensor<?x40xf32>
}

// factor * (A·B) + 1.
func.func @affine(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %factor: f32)
    -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %b, %c1 : tensor<?x?xbf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>)
                     outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.generic {indexing_maps = [#matrix, #matrix],
                       iterator_types = ["parallel", "parallel"]}
      ins(%p : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %old: f32):
    %scaled = arith.mulf %x, %factor : f32
    %sum = arith.addf %scaled, %one : f32
    linalg.yield %sum : f32
  } -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// A times weights that are part of the module, and times ones.
func.func @weights(%a: tensor<?x4xbf16>) -> (tensor<?x3xf32>, tensor<?x5xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %b = arith.constant dense<[[1.0, 2.0, 3.0], [-1.0, 4.0, 0.5],
                             [2.0, -2.0, 8.0], [0.25, 7.0, -3.0]]> : tensor<4x3xbf16>
  %ones = arith.constant dense<1.0> : tensor<4x5xbf16>
  %m = tensor.dim %a, %c0 : tensor<?x4xbf16>
  %e0 = tensor.empty(%m) : tensor<?x3xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x3xf32>) -> tensor<?x3xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x4xbf16>, tensor<4x3xbf16>)
                     outs(%f0 : tensor<?x3xf32>) -> tensor<?x3xf32>
  %e1 = tensor.empty(%m) : tensor<?x5xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x5xf32>) -> tensor<?x5xf32>
  %q = linalg.matmul ins(%a, %ones : tensor<?x4xbf16>, tensor<4x5xbf16>)
                     outs(%f1 : tensor<?x5xf32>) -> tensor<?x5xf32>
  return %p, %q : tensor<?x3xf32>, tensor<?x5xf32>
}

// A·B, and the transpose of A, which a copy writes.
func.func @transposed(%a: tensor<?x64xbf16>, %b: tensor<64x48xbf16>)
    -> (tensor<?x48xf32>, tensor<64x?xbf16>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %e0 = tensor.empty(%m) : tensor<?x48xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?x48xf32>) -> tensor<?x48xf32>
  %p = linalg.matmul ins(%a, %b : tensor<?x64xbf16>, tensor<64x48xbf16>)
                     outs(%f0 : tensor<?x48xf32>) -> tensor<?x48xf32>
  %e1 = tensor.empty(%m) : tensor<64x?xbf16>
  %t = linalg.transpose ins(%a : tensor<?x64xbf16>)
                        outs(%e1 : tensor<64x?xbf16>) permutation = [1, 0]
  return %p, %t : tensor<?x48xf32>, tensor<64x?xbf16>
}

// A product, and a result that is filled with a number.
func.func @filled(%a: tensor<32x64xbf16>, %b: tensor<64x48xbf16>)
    -> (tensor<32x48xf32>, tensor<8x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %e0 = tensor.empty() : tensor<32x48xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<32x48xf32>) -> tensor<32x48xf32>
  %p = linalg.matmul ins(%a, %b : tensor<32x64xbf16>, tensor<64x48xbf16>)
                     outs(%f0 : tensor<32x48xf32>) -> tensor<32x48xf32>
  %e1 = tensor.empty() : tensor<8x8xf32>
  %f1 = linalg.fill ins(%half : f32) outs(%e1 : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %p, %f1 : tensor<32x48xf32>, tensor<8x8xf32>
}
