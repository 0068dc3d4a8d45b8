// What the C library compiles for alpha and beta in device memory.
#mn = affine_map<(m, n) -> (m, n)>
#none = affine_map<(m, n) -> ()>
func.func @main(%A: tensor<?x?xf16>, %B: tensor<?x?xf16>, %C: tensor<?x?xf16>,
                %alpha: tensor<f32>, %beta: tensor<f32>) -> tensor<?x?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %A, %c0 : tensor<?x?xf16>
  %n = tensor.dim %B, %c1 : tensor<?x?xf16>
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty(%m, %n) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<?x?xf32>) -> tensor<?x?xf32>
  %acc = linalg.matmul ins(%A, %B : tensor<?x?xf16>, tensor<?x?xf16>)
      outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf16>
  %D = linalg.generic {
    indexing_maps = [#mn, #none, #mn, #none, #mn],
    iterator_types = ["parallel", "parallel"]}
    ins(%acc, %alpha, %C, %beta : tensor<?x?xf32>, tensor<f32>, tensor<?x?xf16>, tensor<f32>)
    outs(%empty : tensor<?x?xf16>) {
  ^bb0(%x: f32, %alpha_e: f32, %C_e: f16, %beta_e: f32, %o: f16):
    %v0 = arith.mulf %x, %alpha_e : f32
    %v1 = arith.extf %C_e : f16 to f32
    %v2 = arith.mulf %v1, %beta_e : f32
    %v3 = arith.addf %v0, %v2 : f32
    %v4 = arith.constant 0.0 : f32
    %v5 = arith.cmpf oeq, %beta_e, %v4 : f32
    %v6 = arith.select %v5, %v0, %v3 : f32
    %v7 = arith.truncf %v6 : f32 to f16
    linalg.yield %v7 : f16
  } -> tensor<?x?xf16>
  return %D : tensor<?x?xf16>
}
