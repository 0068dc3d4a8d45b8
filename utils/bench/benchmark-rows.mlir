// Softmax, transposition and layer norm of 8192 x 4096 f32: benchmark-rows.py runs
// the kernels that tcgemm-to-device makes of them.
func.func @softmax(%x: tensor<8192x4096xf32>) -> tensor<8192x4096xf32> {
  %e = tensor.empty() : tensor<8192x4096xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<8192x4096xf32>) outs(%e : tensor<8192x4096xf32>) -> tensor<8192x4096xf32>
  return %0 : tensor<8192x4096xf32>
}
func.func @transpose(%x: tensor<8192x4096xf32>) -> tensor<4096x8192xf32> {
  %e = tensor.empty() : tensor<4096x8192xf32>
  %0 = linalg.transpose ins(%x : tensor<8192x4096xf32>) outs(%e : tensor<4096x8192xf32>) permutation = [1, 0]
  return %0 : tensor<4096x8192xf32>
}
func.func @layernorm(%x: tensor<8192x4096xf32>, %g: tensor<4096xf32>, %b: tensor<4096xf32>) -> tensor<8192x4096xf32> {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 4.096000e+03 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e1 = tensor.empty() : tensor<8192xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<8192xf32>) -> tensor<8192xf32>
  %sum = linalg.reduce ins(%x : tensor<8192x4096xf32>) outs(%f1 : tensor<8192xf32>) dimensions = [1]
    (%a: f32, %c: f32) { %s = arith.addf %a, %c : f32
      linalg.yield %s : f32 }
  %mean = linalg.generic {indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>], iterator_types = ["parallel"]} ins(%sum : tensor<8192xf32>) outs(%e1 : tensor<8192xf32>) {
    ^bb0(%s: f32, %o: f32):
      %m = arith.divf %s, %n : f32
      linalg.yield %m : f32 } -> tensor<8192xf32>
  %var = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(i)>], iterator_types = ["parallel", "reduction"]} ins(%x, %mean : tensor<8192x4096xf32>, tensor<8192xf32>) outs(%f1 : tensor<8192xf32>) {
    ^bb0(%v: f32, %m: f32, %acc: f32):
      %d = arith.subf %v, %m : f32
      %q = arith.mulf %d, %d : f32
      %s = arith.addf %acc, %q : f32
      linalg.yield %s : f32 } -> tensor<8192xf32>
  %e2 = tensor.empty() : tensor<8192x4096xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(j)>, affine_map<(i,j)->(j)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %mean, %var, %g, %b : tensor<8192x4096xf32>, tensor<8192xf32>, tensor<8192xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e2 : tensor<8192x4096xf32>) {
    ^bb0(%v: f32, %m: f32, %s2: f32, %gg: f32, %bb: f32, %o: f32):
      %d = arith.subf %v, %m : f32
      %vv = arith.divf %s2, %n : f32
      %ve = arith.addf %vv, %eps : f32
      %rs = math.rsqrt %ve : f32
      %y = arith.mulf %d, %rs : f32
      %y2 = arith.mulf %y, %gg : f32
      %y3 = arith.addf %y2, %bb : f32
      linalg.yield %y3 : f32 } -> tensor<8192x4096xf32>
  return %r : tensor<8192x4096xf32>
}
