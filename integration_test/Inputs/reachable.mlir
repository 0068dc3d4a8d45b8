// Whether two vertices of a graph have a common neighbour: or-and of bits. An element of
// the result may be set before.
func.func @reachable(%a: tensor<33x264xi1>, %b: tensor<47x264xi1>, %c: tensor<33x47xi32>) -> tensor<33x47xi32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
                                        affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<33x264xi1>, tensor<47x264xi1>) outs(%c : tensor<33x47xi32>) {
  ^bb0(%x: i1, %y: i1, %s: i32):
    %u = arith.extui %x : i1 to i32
    %v = arith.extui %y : i1 to i32
    %p = arith.andi %u, %v : i32
    %q = arith.ori %s, %p : i32
    linalg.yield %q : i32
  } -> tensor<33x47xi32>
  return %0 : tensor<33x47xi32>
}
