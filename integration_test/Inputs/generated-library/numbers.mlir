// Products of complex matrices for numbers.c: B is contiguous along n, or along k.

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @along_k(%A: tensor<?x?xcomplex<f64>>, %B: tensor<?x?xcomplex<f64>>, %C: tensor<?x?xcomplex<f64>>) -> tensor<?x?xcomplex<f64>> {
  %D = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : tensor<?x?xcomplex<f64>>, tensor<?x?xcomplex<f64>>) outs(%C : tensor<?x?xcomplex<f64>>) {
  ^bb0(%x: complex<f64>, %y: complex<f64>, %s: complex<f64>):
    %0 = complex.mul %x, %y : complex<f64>
    %1 = complex.add %s, %0 : complex<f64>
    linalg.yield %1 : complex<f64>
  } -> tensor<?x?xcomplex<f64>>
  return %D : tensor<?x?xcomplex<f64>>
}
func.func @along_n(%A: tensor<?x?xcomplex<f64>>, %B: tensor<?x?xcomplex<f64>>, %C: tensor<?x?xcomplex<f64>>) -> tensor<?x?xcomplex<f64>> {
  %D = linalg.matmul ins(%A, %B : tensor<?x?xcomplex<f64>>, tensor<?x?xcomplex<f64>>) outs(%C : tensor<?x?xcomplex<f64>>) -> tensor<?x?xcomplex<f64>>
  return %D : tensor<?x?xcomplex<f64>>
}
