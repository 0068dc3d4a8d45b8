// Products of complex matrices, for run-complex.test.

func.func @product(%A: tensor<?x?xcomplex<f32>>, %B: tensor<?x?xcomplex<f32>>, %C: tensor<?x?xcomplex<f32>>) -> tensor<?x?xcomplex<f32>> {
  %D = linalg.matmul ins(%A, %B : tensor<?x?xcomplex<f32>>, tensor<?x?xcomplex<f32>>)
      outs(%C : tensor<?x?xcomplex<f32>>) -> tensor<?x?xcomplex<f32>>
  return %D : tensor<?x?xcomplex<f32>>
}

// The conjugate reads both components.
func.func @conjugate(%A: tensor<8x8xcomplex<f32>>, %C: tensor<8x8xcomplex<f32>>) -> tensor<8x8xcomplex<f32>> {
  %D = linalg.matmul ins(%A, %A : tensor<8x8xcomplex<f32>>, tensor<8x8xcomplex<f32>>)
      outs(%C : tensor<8x8xcomplex<f32>>) -> tensor<8x8xcomplex<f32>>
  %empty = tensor.empty() : tensor<8x8xcomplex<f32>>
  %E = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%D : tensor<8x8xcomplex<f32>>) outs(%empty : tensor<8x8xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %out: complex<f32>):
    %0 = complex.conj %x : complex<f32>
    linalg.yield %0 : complex<f32>
  } -> tensor<8x8xcomplex<f32>>
  return %E : tensor<8x8xcomplex<f32>>
}
