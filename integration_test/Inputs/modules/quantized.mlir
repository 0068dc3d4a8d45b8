// Products with zero points: both operands, one of them, and batches.
func.func @both(%a: tensor<33x40xi8>, %b: tensor<40x24xi8>) -> tensor<33x24xi32> {
  %p = arith.constant 3 : i32
  %q = arith.constant -7 : i32
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<33x24xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<33x24xi32>) -> tensor<33x24xi32>
  %0 = linalg.quantized_matmul ins(%a, %b, %p, %q : tensor<33x40xi8>, tensor<40x24xi8>, i32, i32) outs(%f : tensor<33x24xi32>) -> tensor<33x24xi32>
  return %0 : tensor<33x24xi32>
}
func.func @requantized(%a: tensor<64x96xi8>, %b: tensor<96x32xi8>, %s: tensor<f32>) -> tensor<64x32xi8> {
  %p = arith.constant 5 : i32
  %q = arith.constant 0 : i32
  %z = arith.constant 0 : i32
  %low = arith.constant -128.0 : f32
  %high = arith.constant 127.0 : f32
  %e = tensor.empty() : tensor<64x32xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<64x32xi32>) -> tensor<64x32xi32>
  %0 = linalg.quantized_matmul ins(%a, %b, %p, %q : tensor<64x96xi8>, tensor<96x32xi8>, i32, i32) outs(%f : tensor<64x32xi32>) -> tensor<64x32xi32>
  %r = tensor.empty() : tensor<64x32xi8>
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> ()>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%0, %s : tensor<64x32xi32>, tensor<f32>) outs(%r : tensor<64x32xi8>) {
  ^bb0(%x: i32, %y: f32, %o: i8):
    %2 = arith.sitofp %x : i32 to f32
    %3 = arith.mulf %2, %y : f32
    %4 = math.roundeven %3 : f32
    %5 = arith.maximumf %4, %low : f32
    %6 = arith.minimumf %5, %high : f32
    %7 = arith.fptosi %6 : f32 to i8
    linalg.yield %7 : i8
  } -> tensor<64x32xi8>
  return %1 : tensor<64x32xi8>
}
func.func @batches(%a: tensor<3x20x16xi8>, %b: tensor<3x16x36xi8>) -> tensor<3x20x36xi32> {
  %p = arith.constant 0 : i32
  %q = arith.constant 11 : i32
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<3x20x36xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<3x20x36xi32>) -> tensor<3x20x36xi32>
  %0 = linalg.quantized_batch_matmul ins(%a, %b, %p, %q : tensor<3x20x16xi8>, tensor<3x16x36xi8>, i32, i32) outs(%f : tensor<3x20x36xi32>) -> tensor<3x20x36xi32>
  return %0 : tensor<3x20x36xi32>
}
