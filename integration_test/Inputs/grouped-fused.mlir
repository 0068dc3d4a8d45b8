// Products of groups of rows with elementwise consumers.

func.func @fused(%a: tensor<?x64xbf16>, %b: tensor<4x96x64xbf16>, %o: tensor<4xi32>, %bias: tensor<96xf32>, %res: tensor<?x96xbf16>) -> tensor<?x96xbf16> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%t) : tensor<?x96xf32>
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x64xbf16>, tensor<4x96x64xbf16>, tensor<4xi32>)
    outs(%e : tensor<?x96xf32>) transpose_b -> tensor<?x96xf32>
  %e2 = tensor.empty(%t) : tensor<?x96xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%d, %bias, %res : tensor<?x96xf32>, tensor<96xf32>, tensor<?x96xbf16>) outs(%e2 : tensor<?x96xbf16>) {
  ^bb0(%x: f32, %y: f32, %z: bf16, %out: bf16):
    %zero = arith.constant 0.0 : f32
    %s = arith.addf %x, %y : f32
    %p = arith.maximumf %s, %zero : f32
    %w = arith.extf %z : bf16 to f32
    %q = arith.addf %p, %w : f32
    %h = arith.truncf %q : f32 to bf16
    linalg.yield %h : bf16
  } -> tensor<?x96xbf16>
  return %r : tensor<?x96xbf16>
}

func.func @gate(%a: tensor<?x64xbf16>, %b: tensor<4x96x64xbf16>, %c: tensor<4x96x64xbf16>, %o: tensor<4xi32>) -> tensor<?x96xbf16> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%t) : tensor<?x96xbf16>
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x64xbf16>, tensor<4x96x64xbf16>, tensor<4xi32>)
    outs(%e : tensor<?x96xbf16>) transpose_b -> tensor<?x96xbf16>
  %d2 = tcgemm.grouped_matmul ins(%a, %c, %o : tensor<?x64xbf16>, tensor<4x96x64xbf16>, tensor<4xi32>)
    outs(%e : tensor<?x96xbf16>) transpose_b -> tensor<?x96xbf16>
  %r = arith.mulf %d, %d2 : tensor<?x96xbf16>
  return %r : tensor<?x96xbf16>
}

func.func @index(%a: tensor<?x64xbf16>, %b: tensor<4x64x96xbf16>, %o: tensor<4xi32>, %v: tensor<?xf32>) -> (tensor<?x96xf32>, tensor<?x96xbf16>) {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%t) : tensor<?x96xf32>
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x64xbf16>, tensor<4x64x96xbf16>, tensor<4xi32>)
    outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  %e2 = tensor.empty(%t) : tensor<?x96xbf16>
  %m = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%d, %v : tensor<?x96xf32>, tensor<?xf32>) outs(%e2 : tensor<?x96xbf16>) {
  ^bb0(%x: f32, %w: f32, %acc: bf16):
    %i = linalg.index 0 : index
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    %y = arith.mulf %x, %w : f32
    %s = arith.addf %y, %f : f32
    %h = arith.truncf %s : f32 to bf16
    linalg.yield %h : bf16
  } -> tensor<?x96xbf16>
  return %d, %m : tensor<?x96xf32>, tensor<?x96xbf16>
}

// Values of groups: a scale for each group, and a vector of another type.
func.func @values(%a: tensor<?x64xbf16>, %b: tensor<4x96x64xbf16>, %o: tensor<4xi32>, %scale: tensor<4xf32>, %bias: tensor<4x96xbf16>) -> tensor<?x96xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%t) : tensor<?x96xf32>
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x64xbf16>, tensor<4x96x64xbf16>, tensor<4xi32>)
    outs(%e : tensor<?x96xf32>) transpose_b -> tensor<?x96xf32>
  %e1 = tensor.empty(%t) : tensor<?xf32>
  %s = tcgemm.group_broadcast ins(%scale, %o : tensor<4xf32>, tensor<4xi32>) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %e2 = tensor.empty(%t) : tensor<?x96xbf16>
  %v = tcgemm.group_broadcast ins(%bias, %o : tensor<4x96xbf16>, tensor<4xi32>) outs(%e2 : tensor<?x96xbf16>) -> tensor<?x96xbf16>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%d, %s, %v : tensor<?x96xf32>, tensor<?xf32>, tensor<?x96xbf16>) outs(%e : tensor<?x96xf32>) {
  ^bb0(%x: f32, %y: f32, %z: bf16, %out: f32):
    %w = arith.extf %z : bf16 to f32
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %p, %w : f32
    linalg.yield %q : f32
  } -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}
