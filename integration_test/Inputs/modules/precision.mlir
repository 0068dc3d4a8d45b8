// A product of f32 with the precision tf32 beside one without it.

func.func @precisions(%a: tensor<40x64xf32>, %b: tensor<64x48xf32>, %c: tensor<48x20xf32>) -> tensor<40x20xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x48xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<40x48xf32>) -> tensor<40x48xf32>
  %p = linalg.matmul {tcgemm.precision = "tf32"} ins(%a, %b : tensor<40x64xf32>, tensor<64x48xf32>) outs(%i : tensor<40x48xf32>) -> tensor<40x48xf32>
  %f = tensor.empty() : tensor<40x20xf32>
  %j = linalg.fill ins(%z : f32) outs(%f : tensor<40x20xf32>) -> tensor<40x20xf32>
  %q = linalg.matmul ins(%p, %c : tensor<40x48xf32>, tensor<48x20xf32>) outs(%j : tensor<40x20xf32>) -> tensor<40x20xf32>
  return %q : tensor<40x20xf32>
}
