// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file -verify-diagnostics

func.func @types(%a: tensor<?x?xf16>, %b: tensor<?x?x?xbf16>, %o: tensor<?xi32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{its operands have the types f16 and bf16, which no instruction multiplies}}
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x?xf16>, tensor<?x?x?xbf16>, tensor<?xi32>)
    outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

func.func @result(%a: tensor<?x?xf16>, %b: tensor<?x?x?xf16>, %o: tensor<?xi32>, %e: tensor<?x?xf64>) -> tensor<?x?xf64> {
  // expected-remark @below {{its result is f64; only f32, f16 and bf16 are supported}}
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x?xf16>, tensor<?x?x?xf16>, tensor<?xi32>)
    outs(%e : tensor<?x?xf64>) -> tensor<?x?xf64>
  return %d : tensor<?x?xf64>
}

// -----

func.func @skipped(%a: tensor<?x?xf16>, %b: tensor<?x?x?xf16>, %o: tensor<?xi32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{it is marked tcgemm.skip}}
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x?xf16>, tensor<?x?x?xf16>, tensor<?xi32>)
    outs(%e : tensor<?x?xf32>) {tcgemm.skip} -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

func.func @singles(%a: tensor<?x?xf32>, %b: tensor<?x?x?xf32>, %o: tensor<?xi32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{its operands have the types f32 and f32, but groups need types that wgmma multiplies}}
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x?xf32>, tensor<?x?x?xf32>, tensor<?xi32>)
    outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

func.func @rowmax(%a: tensor<?x64xbf16>, %b: tensor<4x96x64xbf16>, %o: tensor<4xi32>) -> (tensor<?x96xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%t) : tensor<?x96xf32>
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x64xbf16>, tensor<4x96x64xbf16>, tensor<4xi32>)
    outs(%e : tensor<?x96xf32>) transpose_b -> tensor<?x96xf32>
  %ninf = arith.constant 0xFF800000 : f32
  %m0 = tensor.empty(%t) : tensor<?xf32>
  // expected-remark @below {{it is neither a contraction nor does it consume one's result}}
  %m1 = linalg.fill ins(%ninf : f32) outs(%m0 : tensor<?xf32>) -> tensor<?xf32>
  // expected-remark @below {{it is a reduction, which kernels for groups do not compute}}
  %m = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
    ins(%d : tensor<?x96xf32>) outs(%m1 : tensor<?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = arith.maximumf %x, %acc : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %d, %m : tensor<?x96xf32>, tensor<?xf32>
}

// -----

func.func @turned(%a: tensor<?x64xbf16>, %b: tensor<4x96x64xbf16>, %o: tensor<4xi32>) -> tensor<96x?xf32> {
  %c0 = arith.constant 0 : index
  %t = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%t) : tensor<?x96xf32>
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x64xbf16>, tensor<4x96x64xbf16>, tensor<4xi32>)
    outs(%e : tensor<?x96xf32>) transpose_b -> tensor<?x96xf32>
  %e2 = tensor.empty(%t) : tensor<96x?xf32>
  // expected-remark @below {{its result is transposed, but groups are stored by rows}}
  %m = linalg.generic {indexing_maps = [affine_map<(n, m) -> (m, n)>, affine_map<(n, m) -> (n, m)>], iterator_types = ["parallel", "parallel"]}
    ins(%d : tensor<?x96xf32>) outs(%e2 : tensor<96x?xf32>) {
  ^bb0(%x: f32, %acc: f32):
    %s = math.exp %x : f32
    linalg.yield %s : f32
  } -> tensor<96x?xf32>
  return %m : tensor<96x?xf32>
}

// -----

func.func @unused(%a: tensor<?x?xf16>, %b: tensor<?x?x?xf16>, %o: tensor<?xi32>, %e: tensor<?x?xf32>) {
  // expected-remark @below {{its result is not used}}
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x?xf16>, tensor<?x?x?xf16>, tensor<?xi32>)
    outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @small(%a: tensor<?x?xi8>, %b: tensor<?x?x?xi4>, %o: tensor<?xi32>, %e: tensor<?x?xi32>) -> tensor<?x?xi32> {
  // expected-remark @below {{its operands have the types i8 and i4, but groups need types that wgmma multiplies}}
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x?xi8>, tensor<?x?x?xi4>, tensor<?xi32>)
    outs(%e : tensor<?x?xi32>) transpose_b -> tensor<?x?xi32>
  return %d : tensor<?x?xi32>
}

// -----

func.func @sum(%a: tensor<?x?xi8>, %b: tensor<?x?x?xi8>, %o: tensor<?xi32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{its result is f32; only i32 is supported}}
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x?xi8>, tensor<?x?x?xi8>, tensor<?xi32>)
    outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

func.func @order(%a: tensor<?x?xbf16>, %b: tensor<?x?x?xi4>, %o: tensor<?xi32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-remark @below {{its operand of i4 must be a matrix with k innermost}}
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x?xbf16>, tensor<?x?x?xi4>, tensor<?xi32>)
    outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

func.func @odd(%a: tensor<?x63xbf16>, %b: tensor<4x8x63xi4>, %o: tensor<4xi32>, %e: tensor<?x8xf32>) -> tensor<?x8xf32> {
  // expected-remark @below {{its operand of i4 has 63 elements along k; that must be a multiple of 2}}
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x63xbf16>, tensor<4x8x63xi4>, tensor<4xi32>)
    outs(%e : tensor<?x8xf32>) transpose_b -> tensor<?x8xf32>
  return %d : tensor<?x8xf32>
}

// -----

// The rows of other offsets are not the kernel's.
func.func @others(%a: tensor<?x64xbf16>, %b: tensor<4x96x64xbf16>, %o: tensor<4xi32>, %p: tensor<4xi32>, %v: tensor<4x96xf32>, %e: tensor<?x96xf32>) -> tensor<?x96xf32> {
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x64xbf16>, tensor<4x96x64xbf16>, tensor<4xi32>)
    outs(%e : tensor<?x96xf32>) transpose_b -> tensor<?x96xf32>
  // expected-remark @below {{'tcgemm.group_broadcast' is left as it is: no kernel of its groups reads it}}
  %r = tcgemm.group_broadcast ins(%v, %p : tensor<4x96xf32>, tensor<4xi32>) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  // expected-remark @below {{it reads values of groups, but its rows are not those of a product with the same offsets}}
  %s = arith.addf %d, %r : tensor<?x96xf32>
  return %s : tensor<?x96xf32>
}

// -----

// Counts of padded groups are no ends of rows.
func.func @counts(%a: tensor<4x8x64xbf16>, %b: tensor<4x96x64xbf16>, %c: tensor<4xi32>, %v: tensor<4x8x96xf32>, %e: tensor<4x8x96xf32>) -> tensor<4x8x96xf32> {
  %d = tcgemm.grouped_matmul ins(%a, %b, %c : tensor<4x8x64xbf16>, tensor<4x96x64xbf16>, tensor<4xi32>)
    outs(%e : tensor<4x8x96xf32>) transpose_b -> tensor<4x8x96xf32>
  // expected-remark @below {{no kernel of its groups reads it}}
  %r = tcgemm.group_broadcast ins(%v, %c : tensor<4x8x96xf32>, tensor<4xi32>) outs(%e : tensor<4x8x96xf32>) -> tensor<4x8x96xf32>
  // expected-remark @below {{it reads values of groups, but its rows are not those of a product with the same offsets}}
  %s = arith.addf %d, %r : tensor<4x8x96xf32>
  return %s : tensor<4x8x96xf32>
}

// -----

// The rows are the columns of the product.
func.func @columns(%a: tensor<96x64xbf16>, %b: tensor<4x96x64xbf16>, %o: tensor<4xi32>, %v: tensor<4x96xf32>, %e: tensor<96x96xf32>) -> tensor<96x96xf32> {
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<96x64xbf16>, tensor<4x96x64xbf16>, tensor<4xi32>)
    outs(%e : tensor<96x96xf32>) transpose_b -> tensor<96x96xf32>
  // expected-remark @below {{no kernel of its groups reads it}}
  %r = tcgemm.group_broadcast ins(%v, %o : tensor<4x96xf32>, tensor<4xi32>) outs(%e : tensor<96x96xf32>) -> tensor<96x96xf32>
  // expected-remark @below {{it reads values of groups, but its rows are not those of a product with the same offsets}}
  %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n, m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%d, %r : tensor<96x96xf32>, tensor<96x96xf32>) outs(%e : tensor<96x96xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %q = arith.addf %x, %y : f32
    linalg.yield %q : f32
  } -> tensor<96x96xf32>
  return %s : tensor<96x96xf32>
}

// -----

// No product is there.
func.func @alone(%v: tensor<4x96xf32>, %o: tensor<4xi32>, %e: tensor<?x96xf32>) -> tensor<?x96xf32> {
  // expected-remark @below {{no kernel of its groups reads it}}
  %r = tcgemm.group_broadcast ins(%v, %o : tensor<4x96xf32>, tensor<4xi32>) outs(%e : tensor<?x96xf32>) -> tensor<?x96xf32>
  return %r : tensor<?x96xf32>
}
