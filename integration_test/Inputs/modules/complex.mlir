// Complex numbers between real planes: products, sums, conjugates and magnitudes.

#id = affine_map<(m, n) -> (m, n)>
#pair = {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}

func.func private @join(%re: tensor<?x?xf32>, %im: tensor<?x?xf32>) -> tensor<?x?xcomplex<f32>> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %re, %c0 : tensor<?x?xf32>
  %n = tensor.dim %re, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xcomplex<f32>>
  %joined = linalg.generic #pair ins(%re, %im : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%empty : tensor<?x?xcomplex<f32>>) {
  ^bb0(%x: f32, %y: f32, %out: complex<f32>):
    %z = complex.create %x, %y : complex<f32>
    linalg.yield %z : complex<f32>
  } -> tensor<?x?xcomplex<f32>>
  return %joined : tensor<?x?xcomplex<f32>>
}

// The sum has a complex scale, which is no scale of the components.
func.func @product(%ar: tensor<20x24xf32>, %ai: tensor<20x24xf32>, %br: tensor<24x28xf32>, %bi: tensor<24x28xf32>)
    -> (tensor<20x28xf32>, tensor<20x28xf32>) {
  %ard = tensor.cast %ar : tensor<20x24xf32> to tensor<?x?xf32>
  %aid = tensor.cast %ai : tensor<20x24xf32> to tensor<?x?xf32>
  %brd = tensor.cast %br : tensor<24x28xf32> to tensor<?x?xf32>
  %bid = tensor.cast %bi : tensor<24x28xf32> to tensor<?x?xf32>
  %a = call @join(%ard, %aid) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xcomplex<f32>>
  %b = call @join(%brd, %bid) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xcomplex<f32>>
  %as = tensor.cast %a : tensor<?x?xcomplex<f32>> to tensor<20x24xcomplex<f32>>
  %bs = tensor.cast %b : tensor<?x?xcomplex<f32>> to tensor<24x28xcomplex<f32>>
  %zero = complex.constant [0.0 : f32, 0.0 : f32] : complex<f32>
  %empty = tensor.empty() : tensor<20x28xcomplex<f32>>
  %zeros = linalg.fill ins(%zero : complex<f32>) outs(%empty : tensor<20x28xcomplex<f32>>) -> tensor<20x28xcomplex<f32>>
  %d = linalg.matmul ins(%as, %bs : tensor<20x24xcomplex<f32>>, tensor<24x28xcomplex<f32>>)
      outs(%zeros : tensor<20x28xcomplex<f32>>) -> tensor<20x28xcomplex<f32>>
  %scaled = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<20x28xcomplex<f32>>) outs(%empty : tensor<20x28xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %out: complex<f32>):
    %scale = complex.constant [0.5 : f32, -2.0 : f32] : complex<f32>
    %0 = complex.mul %x, %scale : complex<f32>
    linalg.yield %0 : complex<f32>
  } -> tensor<20x28xcomplex<f32>>
  %reals = tensor.empty() : tensor<20x28xf32>
  %re, %im = linalg.generic #pair ins(%scaled : tensor<20x28xcomplex<f32>>)
      outs(%reals, %reals : tensor<20x28xf32>, tensor<20x28xf32>) {
  ^bb0(%x: complex<f32>, %r: f32, %i: f32):
    %0 = complex.re %x : complex<f32>
    %1 = complex.im %x : complex<f32>
    linalg.yield %0, %1 : f32, f32
  } -> (tensor<20x28xf32>, tensor<20x28xf32>)
  return %re, %im : tensor<20x28xf32>, tensor<20x28xf32>
}

// Rows of A by the conjugates of rows of A, in a loop, and magnitudes.
func.func @magnitudes(%ar: tensor<20x24xf32>, %ai: tensor<20x24xf32>) -> tensor<20x20xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %ard = tensor.cast %ar : tensor<20x24xf32> to tensor<?x?xf32>
  %aid = tensor.cast %ai : tensor<20x24xf32> to tensor<?x?xf32>
  %a = call @join(%ard, %aid) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xcomplex<f32>>
  %as = tensor.cast %a : tensor<?x?xcomplex<f32>> to tensor<20x24xcomplex<f32>>
  %start = arith.constant dense<(0.5, -1.0)> : tensor<20x20xcomplex<f32>>
  %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %start) -> tensor<20x20xcomplex<f32>> {
    %d = linalg.generic {
        indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%as, %as : tensor<20x24xcomplex<f32>>, tensor<20x24xcomplex<f32>>) outs(%s : tensor<20x20xcomplex<f32>>) {
    ^bb0(%x: complex<f32>, %y: complex<f32>, %acc: complex<f32>):
      %conj = complex.conj %y : complex<f32>
      %0 = complex.mul %x, %conj : complex<f32>
      %1 = complex.add %acc, %0 : complex<f32>
      linalg.yield %1 : complex<f32>
    } -> tensor<20x20xcomplex<f32>>
    scf.yield %d : tensor<20x20xcomplex<f32>>
  }
  %empty = tensor.empty() : tensor<20x20xf32>
  %result = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<20x20xcomplex<f32>>) outs(%empty : tensor<20x20xf32>) {
  ^bb0(%x: complex<f32>, %out: f32):
    %0 = complex.abs %x : complex<f32>
    linalg.yield %0 : f32
  } -> tensor<20x20xf32>
  return %result : tensor<20x20xf32>
}

// Dual numbers, whose zero block is left out: the components of a row are its halves.
func.func @dual(%a: tensor<20x2x24xf32>, %b: tensor<28x2x24xf32>, %c: tensor<20x2x28xf32>) -> tensor<20x2x28xf32> {
  %t = arith.constant dense<[[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 0.0]]]> : tensor<2x2x2xf32>
  %d = linalg.generic {
      indexing_maps = [affine_map<(m, n, p, k, q, r) -> (m, q, k)>, affine_map<(m, n, p, k, q, r) -> (n, r, k)>,
                       affine_map<(m, n, p, k, q, r) -> (q, r, p)>, affine_map<(m, n, p, k, q, r) -> (m, p, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %b, %t : tensor<20x2x24xf32>, tensor<28x2x24xf32>, tensor<2x2x2xf32>) outs(%c : tensor<20x2x28xf32>) {
  ^bb0(%x: f32, %y: f32, %w: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.mulf %0, %w : f32
    %2 = arith.addf %s, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<20x2x28xf32>
  return %d : tensor<20x2x28xf32>
}
