// Sizes that are known at run time only, in every kind of kernel.
func.func @dynamic(%a: tensor<?x?x64xbf16>, %b: tensor<?x64x?xbf16>) -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %batch = tensor.dim %a, %c0 : tensor<?x?x64xbf16>
  %m = tensor.dim %a, %c1 : tensor<?x?x64xbf16>
  %n = tensor.dim %b, %c2 : tensor<?x64x?xbf16>
  %e = tensor.empty(%batch, %m, %n) : tensor<?x?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %p = linalg.batch_matmul ins(%a, %b : tensor<?x?x64xbf16>, tensor<?x64x?xbf16>) outs(%f : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %s = linalg.softmax dimension(2) ins(%p : tensor<?x?x?xf32>) outs(%e : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %et = tensor.empty(%n, %batch, %m) : tensor<?x?x?xf32>
  %t = linalg.transpose ins(%s : tensor<?x?x?xf32>) outs(%et : tensor<?x?x?xf32>) permutation = [2, 0, 1]
  return %s, %t : tensor<?x?x?xf32>, tensor<?x?x?xf32>
}
