// Layer norm, a product with bias and ReLU, a product with a residual.
func.func @layer_norm_mlp(%x: tensor<40x96xf32>, %gamma: tensor<96xf32>, %beta: tensor<96xf32>,
                          %w1: tensor<96x128xbf16>, %b1: tensor<128xf32>, %w2: tensor<128x96xbf16>) -> tensor<40x96xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 96.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %er = tensor.empty() : tensor<40xf32>
  %fr = linalg.fill ins(%zero : f32) outs(%er : tensor<40xf32>) -> tensor<40xf32>
  %sum = linalg.reduce ins(%x : tensor<40x96xf32>) outs(%fr : tensor<40xf32>) dimensions = [1]
    (%a: f32, %c: f32) {
      %s = arith.addf %a, %c : f32
      linalg.yield %s : f32
    }
  %mean = linalg.map ins(%sum : tensor<40xf32>) outs(%er : tensor<40xf32>)
    (%s: f32, %o: f32) {
      %m = arith.divf %s, %count : f32
      linalg.yield %m : f32
    }
  %var = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x, %mean : tensor<40x96xf32>, tensor<40xf32>) outs(%fr : tensor<40xf32>) {
  ^bb0(%v: f32, %m: f32, %acc: f32):
    %d = arith.subf %v, %m : f32
    %q = arith.mulf %d, %d : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> tensor<40xf32>
  %eh = tensor.empty() : tensor<40x96xbf16>
  %h = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>,
                       affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean, %var, %gamma, %beta : tensor<40x96xf32>, tensor<40xf32>, tensor<40xf32>, tensor<96xf32>, tensor<96xf32>)
      outs(%eh : tensor<40x96xbf16>) {
  ^bb0(%v: f32, %m: f32, %s: f32, %g: f32, %b: f32, %o: bf16):
    %d = arith.subf %v, %m : f32
    %vv = arith.divf %s, %count : f32
    %ve = arith.addf %vv, %eps : f32
    %rs = math.rsqrt %ve : f32
    %n = arith.mulf %d, %rs : f32
    %ng = arith.mulf %n, %g : f32
    %y = arith.addf %ng, %b : f32
    %t = arith.truncf %y : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<40x96xbf16>
  %e1 = tensor.empty() : tensor<40x128xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<40x128xf32>) -> tensor<40x128xf32>
  %u = linalg.matmul ins(%h, %w1 : tensor<40x96xbf16>, tensor<96x128xbf16>) outs(%f1 : tensor<40x128xf32>) -> tensor<40x128xf32>
  %ea = tensor.empty() : tensor<40x128xbf16>
  %act = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%u, %b1 : tensor<40x128xf32>, tensor<128xf32>) outs(%ea : tensor<40x128xbf16>) {
  ^bb0(%v: f32, %b: f32, %o: bf16):
    %s = arith.addf %v, %b : f32
    %y = arith.maximumf %s, %zero : f32
    %t = arith.truncf %y : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<40x128xbf16>
  %r = linalg.matmul ins(%act, %w2 : tensor<40x128xbf16>, tensor<128x96xbf16>) outs(%x : tensor<40x96xf32>) -> tensor<40x96xf32>
  return %r : tensor<40x96xf32>
}
