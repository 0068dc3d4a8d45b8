// Products with a diagonal matrix, which become elementwise: on the left, on the right
// of a product whose result it scales, and the identity.
func.func @left(%d: tensor<70xf16>, %b: tensor<70x33xf16>, %c: tensor<70x33xf32>) -> tensor<70x33xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %b : tensor<70xf16>, tensor<70x33xf16>) outs(%c : tensor<70x33xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %i = linalg.index 0 : index
    %k = linalg.index 2 : index
    %zero = arith.constant 0.0 : f16
    %is = arith.cmpi eq, %i, %k : index
    %a = arith.select %is, %x, %zero : f16
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %y : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<70x33xf32>
  return %r : tensor<70x33xf32>
}

func.func @scaled(%a: tensor<40x64xf16>, %b: tensor<64x24xf16>, %d: tensor<24x24xf32>) -> tensor<40x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<40x24xf32>) -> tensor<40x24xf32>
  %p = linalg.matmul ins(%a, %b : tensor<40x64xf16>, tensor<64x24xf16>) outs(%f : tensor<40x24xf32>) -> tensor<40x24xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(k, m, n) -> (m, k)>, affine_map<(k, m, n) -> (n, k)>, affine_map<(k, m, n) -> (m, n)>],
                       iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%p, %d : tensor<40x24xf32>, tensor<24x24xf32>) outs(%f : tensor<40x24xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %k = linalg.index 0 : index
    %j = linalg.index 2 : index
    %isnt = arith.cmpi ne, %k, %j : index
    %v = arith.select %isnt, %zero, %y : f32
    %0 = arith.mulf %x, %v : f32
    %1 = arith.addf %0, %s : f32
    linalg.yield %1 : f32
  } -> tensor<40x24xf32>
  return %r : tensor<40x24xf32>
}

// Rows of whole vectors, and a sum that starts with a constant.
func.func @vectors(%d: tensor<64xf16>, %b: tensor<64x48xf16>) -> tensor<64x48xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<64x48xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<64x48xf16>) -> tensor<64x48xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%d, %b : tensor<64xf16>, tensor<64x48xf16>) outs(%f : tensor<64x48xf16>) {
  ^bb0(%x: f16, %y: f16, %s: f16):
    %i = linalg.index 0 : index
    %k = linalg.index 2 : index
    %is = arith.cmpi eq, %i, %k : index
    %a = arith.select %is, %x, %zero : f16
    %2 = arith.mulf %a, %y : f16
    %3 = arith.addf %s, %2 : f16
    linalg.yield %3 : f16
  } -> tensor<64x48xf16>
  return %r : tensor<64x48xf16>
}
