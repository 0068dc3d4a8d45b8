// Sums of a product's rows, columns and all elements; the largest of each row
// and where it is; a scalar result.
func.func @reductions(%a: tensor<70x32xf16>, %b: tensor<32x45xf16>)
    -> (tensor<70xf32>, tensor<45xf32>, tensor<70xf32>, tensor<70xi32>, f32) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %i0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<70x45xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<70x45xf32>) -> tensor<70x45xf32>
  %p = linalg.matmul ins(%a, %b : tensor<70x32xf16>, tensor<32x45xf16>) outs(%f : tensor<70x45xf32>) -> tensor<70x45xf32>
  %er = tensor.empty() : tensor<70xf32>
  %fr = linalg.fill ins(%zero : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %rows = linalg.reduce ins(%p : tensor<70x45xf32>) outs(%fr : tensor<70xf32>) dimensions = [1]
    (%x: f32, %s: f32) {
      %y = arith.addf %x, %s : f32
      linalg.yield %y : f32
    }
  %ec = tensor.empty() : tensor<45xf32>
  %fc = linalg.fill ins(%zero : f32) outs(%ec : tensor<45xf32>) -> tensor<45xf32>
  %columns = linalg.reduce ins(%p : tensor<70x45xf32>) outs(%fc : tensor<45xf32>) dimensions = [0]
    (%x: f32, %s: f32) {
      %y = arith.addf %x, %s : f32
      linalg.yield %y : f32
    }
  %ea = tensor.empty() : tensor<f32>
  %fa = linalg.fill ins(%zero : f32) outs(%ea : tensor<f32>) -> tensor<f32>
  %all = linalg.reduce ins(%p : tensor<70x45xf32>) outs(%fa : tensor<f32>) dimensions = [0, 1]
    (%x: f32, %s: f32) {
      %y = arith.addf %x, %s : f32
      linalg.yield %y : f32
    }
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %ei = tensor.empty() : tensor<70xi32>
  %fi = linalg.fill ins(%i0 : i32) outs(%ei : tensor<70xi32>) -> tensor<70xi32>
  %max:2 = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<70x45xf32>) outs(%fm, %fi : tensor<70xf32>, tensor<70xi32>) {
  ^bb0(%x: f32, %m: f32, %at: i32):
    %j = linalg.index 1 : index
    %ji = arith.index_cast %j : index to i32
    %larger = arith.cmpf ogt, %x, %m : f32
    %nm = arith.select %larger, %x, %m : f32
    %na = arith.select %larger, %ji, %at : i32
    linalg.yield %nm, %na : f32, i32
  } -> (tensor<70xf32>, tensor<70xi32>)
  %sum = tensor.extract %all[] : tensor<f32>
  return %rows, %columns, %max#0, %max#1, %sum : tensor<70xf32>, tensor<45xf32>, tensor<70xf32>, tensor<70xi32>, f32
}

// LayerNorm of a product whose mean is not 0, in two passes.
func.func @layer_norm(%a: tensor<70x32xf16>, %b: tensor<32x45xf16>)
    -> (tensor<70x45xf32>, tensor<70xf32>, tensor<70xf32>) {
  %zero = arith.constant 0.0 : f32
  %shift = arith.constant 4.0 : f32
  %count = arith.constant 45.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<70x45xf32>
  %f = linalg.fill ins(%shift : f32) outs(%e : tensor<70x45xf32>) -> tensor<70x45xf32>
  %x = linalg.matmul ins(%a, %b : tensor<70x32xf16>, tensor<32x45xf16>) outs(%f : tensor<70x45xf32>) -> tensor<70x45xf32>
  %er = tensor.empty() : tensor<70xf32>
  %fr = linalg.fill ins(%zero : f32) outs(%er : tensor<70xf32>) -> tensor<70xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<70x45xf32>) outs(%fr : tensor<70xf32>) dimensions = [1]
  %mean = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%sum : tensor<70xf32>) outs(%er : tensor<70xf32>) {
  ^bb0(%s: f32, %o: f32):
    %m = arith.divf %s, %count : f32
    linalg.yield %m : f32
  } -> tensor<70xf32>
  %squares = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x, %mean : tensor<70x45xf32>, tensor<70xf32>) outs(%fr : tensor<70xf32>) {
  ^bb0(%v: f32, %m: f32, %acc: f32):
    %d = arith.subf %v, %m : f32
    %q = arith.mulf %d, %d : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> tensor<70xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean, %squares : tensor<70x45xf32>, tensor<70xf32>, tensor<70xf32>) outs(%e : tensor<70x45xf32>) {
  ^bb0(%v: f32, %m: f32, %s: f32, %o: f32):
    %d = arith.subf %v, %m : f32
    %vv = arith.divf %s, %count : f32
    %ve = arith.addf %vv, %eps : f32
    %rs = math.rsqrt %ve : f32
    %n = arith.mulf %d, %rs : f32
    linalg.yield %n : f32
  } -> tensor<70x45xf32>
  return %y, %mean, %squares : tensor<70x45xf32>, tensor<70xf32>, tensor<70xf32>
}
