// A loop that multiplies and normalises: its buffers must be freed.
func.func @loops(%a: tensor<48x48xf16>, %b: tensor<48x48xf16>) -> tensor<48x48xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 5 : index
  %z = arith.constant 0.0 : f16
  %zf = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<48x48xf16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<48x48xf16>) -> tensor<48x48xf16>
  %er = tensor.empty() : tensor<48xf32>
  %fr = linalg.fill ins(%zf : f32) outs(%er : tensor<48xf32>) -> tensor<48xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> tensor<48x48xf16> {
    %0 = linalg.matmul ins(%x, %b : tensor<48x48xf16>, tensor<48x48xf16>) outs(%f : tensor<48x48xf16>) -> tensor<48x48xf16>
    %m = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%0 : tensor<48x48xf16>) outs(%fr : tensor<48xf32>) {
    ^bb0(%v: f16, %acc: f32):
      %w = arith.extf %v : f16 to f32
      %abs = math.absf %w : f32
      %s = arith.maximumf %abs, %acc : f32
      linalg.yield %s : f32
    } -> tensor<48xf32>
    %q = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%0, %m : tensor<48x48xf16>, tensor<48xf32>) outs(%e : tensor<48x48xf16>) {
    ^bb0(%v: f16, %s: f32, %o: f16):
      %w = arith.extf %v : f16 to f32
      %d = arith.divf %w, %s : f32
      %t = arith.truncf %d : f32 to f16
      linalg.yield %t : f16
    } -> tensor<48x48xf16>
    scf.yield %q : tensor<48x48xf16>
  }
  return %r : tensor<48x48xf16>
}
