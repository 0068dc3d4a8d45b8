// Rows chosen by computed numbers, transposed, concatenated, multiplied.
func.func @gather(%table: tensor<50x64xbf16>, %w: tensor<64x48xbf16>) -> (tensor<40x48xf32>, tensor<64x20xbf16>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<20x64xbf16>
  %rows = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<20x64xbf16>) {
  ^bb0(%o: bf16):
    %c7 = arith.constant 7 : index
    %c50 = arith.constant 50 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %i7 = arith.muli %i, %c7 : index
    %at = arith.remui %i7, %c50 : index
    %v = tensor.extract %table[%at, %j] : tensor<50x64xbf16>
    linalg.yield %v : bf16
  } -> tensor<20x64xbf16>
  %et = tensor.empty() : tensor<64x20xbf16>
  %t = linalg.transpose ins(%rows : tensor<20x64xbf16>) outs(%et : tensor<64x20xbf16>) permutation = [1, 0]
  %first = tensor.extract_slice %table[0, 0] [20, 64] [1, 1] : tensor<50x64xbf16> to tensor<20x64xbf16>
  %both = tensor.concat dim(0) %rows, %first : (tensor<20x64xbf16>, tensor<20x64xbf16>) -> tensor<40x64xbf16>
  %ep = tensor.empty() : tensor<40x48xf32>
  %fp = linalg.fill ins(%zero : f32) outs(%ep : tensor<40x48xf32>) -> tensor<40x48xf32>
  %p = linalg.matmul ins(%both, %w : tensor<40x64xbf16>, tensor<64x48xbf16>) outs(%fp : tensor<40x48xf32>) -> tensor<40x48xf32>
  return %p, %t : tensor<40x48xf32>, tensor<64x20xbf16>
}
