// RUN: tcgemm-opt %s --transform-interpreter --split-input-file --verify-diagnostics

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    // expected-error@+1 {{takes a configuration either as an attribute or as a parameter}}
    transform.tcgemm.configure_op %module : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %config = transform.param.constant #tcgemm.config<stages = 3> -> !transform.any_param
    // expected-error@+1 {{takes a configuration either as an attribute or as a parameter}}
    transform.tcgemm.configure_op %module with %config config = <stages = 4> : !transform.any_op, !transform.any_param
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %config = transform.param.constant 3 : i64 -> !transform.any_param
    // expected-error@+1 {{the parameter is no #tcgemm.config, but 3 : i64}}
    transform.tcgemm.configure_op %module with %config : !transform.any_op, !transform.any_param
    transform.yield
  }
}

// -----

// expected-note@+1 {{this operation}}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    // expected-error@+1 {{cannot configure an operation that is neither a tcgemm.kernel nor an operation that becomes one}}
    transform.tcgemm.configure_op %module config = <stages = 4> : !transform.any_op
    transform.yield
  }
}

// -----

func.func @twice(%a: tensor<8x8xf16>, %b: tensor<8x8xf16>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-note@+1 {{this operation}}
  %d = linalg.matmul ins(%a, %b : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %product = transform.structured.match ops{["linalg.matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    transform.tcgemm.configure_op %product config = <stages = 4> : !transform.any_op
    // expected-error@+1 {{cannot configure an operation that has a configuration already}}
    transform.tcgemm.configure_op %product config = <stages = 4> : !transform.any_op
    transform.yield
  }
}

// -----

func.func @skipped(%a: tensor<8x8xf16>, %b: tensor<8x8xf16>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-note@+1 {{this operation}}
  %d = linalg.matmul {tcgemm.skip} ins(%a, %b : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %d : tensor<8x8xf32>
}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %product = transform.structured.match ops{["linalg.matmul"]} in %module : (!transform.any_op) -> !transform.any_op
    // expected-error@+1 {{cannot configure an operation that has the attribute tcgemm.skip}}
    transform.tcgemm.configure_op %product config = <stages = 4> : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @match(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error@+1 {{kernel 'bf16 tn': expected type, layout, result type and epilogue, but it has 2 words}}
    transform.tcgemm.match_product %kernel "bf16 tn" sizes [1, 2, 3, 4] : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @match(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error@+1 {{the sizes are the batch, M, N and K, but there are 3}}
    transform.tcgemm.match_product %kernel "bf16 tn bf16 none" sizes [1, 2, 3] : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @match(%kernel: !transform.any_op {transform.readonly}) {
    // expected-error@+1 {{the size 0 is out of the range 1 to}}
    transform.tcgemm.match_product %kernel "bf16 tn bf16 none" sizes [1, 2, 0, 4] : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    // expected-error@+1 {{entry 0 of the table: it is no dictionary}}
    transform.tcgemm.configure_products %module from [3] : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    // expected-error@+1 {{entry 1 of the table: it must have the keys kernel (a string), sizes (an array<i64>) and config (a #tcgemm.config), and no others}}
    transform.tcgemm.configure_products %module from [
      {kernel = "f16 tn f16 none", sizes = array<i64: 1, 40, 72, 96>, config = #tcgemm.config<stages = 2>},
      {kernel = "f16 tn f16 none", sizes = array<i64: 1, 40, 72, 96>, config = #tcgemm.config<stages = 2>, stage = 3}
    ] : !transform.any_op
    transform.yield
  }
}

// -----

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    // expected-error@+1 {{entry 0 of the table: kernel 'f16 tn f16 none fast': 'fast' is none of alpha}}
    transform.tcgemm.configure_products %module from [
      {kernel = "f16 tn f16 none fast", sizes = array<i64: 1, 40, 72, 96>, config = #tcgemm.config<stages = 2>}
    ] : !transform.any_op
    transform.yield
  }
}
