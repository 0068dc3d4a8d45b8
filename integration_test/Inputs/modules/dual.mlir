// Two products that share A, in one kernel: a SwiGLU layer whose result a third product
// reads, and products whose own result has another user.
#id = affine_map<(m, n) -> (m, n)>

func.func @swiglu(%a: tensor<70x64xbf16>, %gate: tensor<96x64xbf16>, %up: tensor<96x64xbf16>,
                  %down: tensor<40x96xbf16>) -> tensor<70x40xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e0 = tensor.empty() : tensor<70x96xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<70x96xf32>) -> tensor<70x96xf32>
  %g = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %gate : tensor<70x64xbf16>, tensor<96x64xbf16>) outs(%f0 : tensor<70x96xf32>) -> tensor<70x96xf32>
  %u = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %up : tensor<70x64xbf16>, tensor<96x64xbf16>) outs(%f0 : tensor<70x96xf32>) -> tensor<70x96xf32>
  %e1 = tensor.empty() : tensor<70x96xbf16>
  %h = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g, %u : tensor<70x96xf32>, tensor<70x96xf32>) outs(%e1 : tensor<70x96xbf16>) {
  ^bb0(%x: f32, %y: f32, %o: bf16):
    %0 = arith.negf %x : f32
    %1 = math.exp %0 : f32
    %2 = arith.addf %1, %one : f32
    %3 = arith.divf %x, %2 : f32
    %4 = arith.mulf %3, %y : f32
    %5 = arith.truncf %4 : f32 to bf16
    linalg.yield %5 : bf16
  } -> tensor<70x96xbf16>
  %e2 = tensor.empty() : tensor<70x40xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<70x40xf32>) -> tensor<70x40xf32>
  %d = linalg.matmul
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%h, %down : tensor<70x96xbf16>, tensor<40x96xbf16>) outs(%f2 : tensor<70x40xf32>) -> tensor<70x40xf32>
  return %d : tensor<70x40xf32>
}

func.func @outputs(%a: tensor<?x64xf16>, %b: tensor<64x32xf16>, %c: tensor<64x32xf16>, %i: tensor<?x32xf32>,
                   %z: tensor<?x32xf32>) -> (tensor<?x32xf32>, tensor<?x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %n = linalg.fill ins(%zero : f32) outs(%z : tensor<?x32xf32>) -> tensor<?x32xf32>
  %x = linalg.matmul ins(%a, %b : tensor<?x64xf16>, tensor<64x32xf16>) outs(%i : tensor<?x32xf32>) -> tensor<?x32xf32>
  %y = linalg.matmul ins(%a, %c : tensor<?x64xf16>, tensor<64x32xf16>) outs(%n : tensor<?x32xf32>) -> tensor<?x32xf32>
  %p = arith.addf %x, %y : tensor<?x32xf32>
  return %y, %p : tensor<?x32xf32>, tensor<?x32xf32>
}
