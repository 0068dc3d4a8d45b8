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
  // expected-remark @below {{its operands have the types f32 and f32, but groups of rows need types that wgmma multiplies}}
  %d = tcgemm.grouped_matmul ins(%a, %b, %o : tensor<?x?xf32>, tensor<?x?x?xf32>, tensor<?xi32>)
    outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}
