// The host decides by an element of a result which product comes next.
func.func @branches(%a: tensor<32x64xf16>, %b: tensor<64x32xf16>, %c: tensor<32x32xf16>) -> (tensor<32x32xf32>, f32) {
  %zero = arith.constant 0.0 : f32
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<32x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<32x64xf16>, tensor<64x32xf16>) outs(%f : tensor<32x32xf32>) -> tensor<32x32xf32>
  %v = tensor.extract %0[%c3, %c5] : tensor<32x32xf32>
  %positive = arith.cmpf ogt, %v, %zero : f32
  %r = scf.if %positive -> tensor<32x32xf32> {
    %1 = linalg.matmul ins(%c, %c : tensor<32x32xf16>, tensor<32x32xf16>) outs(%0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    scf.yield %1 : tensor<32x32xf32>
  } else {
    %2 = tensor.insert %v into %0[%c5, %c3] : tensor<32x32xf32>
    scf.yield %2 : tensor<32x32xf32>
  }
  return %r, %v : tensor<32x32xf32>, f32
}
