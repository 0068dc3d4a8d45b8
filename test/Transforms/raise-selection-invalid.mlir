// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -tcgemm-configure -split-input-file -verify-diagnostics

func.func @wrong_type(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{'linalg.matmul' op tcgemm.config must be a #tcgemm.config, but is "cta=64x64x32"}}
  %0 = linalg.matmul {tcgemm.config = "cta=64x64x32"} ins(%a, %a : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @no_unit(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{'linalg.matmul' op tcgemm.skip must be a unit attribute, but is false}}
  %0 = linalg.matmul {tcgemm.skip = false} ins(%a, %a : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @both(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{'linalg.matmul' op has both tcgemm.skip and tcgemm.take}}
  %0 = linalg.matmul {tcgemm.skip, tcgemm.take} ins(%a, %a : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @unknown(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{'linalg.matmul' op has the unknown attribute 'tcgemm.confg'; known are tcgemm.config, tcgemm.precision, tcgemm.size_hint, tcgemm.skip, tcgemm.symmetric and tcgemm.take}}
  %0 = linalg.matmul {tcgemm.confg = #tcgemm.config<stages = 3>} ins(%a, %a : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// expected-error @below {{'func.func' op has the attribute 'tcgemm.take', which only linalg operations may have}}
func.func @function() attributes {tcgemm.take} {
  return
}

// -----

func.func @illegal(%a: tensor<8x8xf16>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{illegal config: stages = 99, but it must be from 2 to 12 [stages], of kernel 'illegal_0'}}
  %0 = linalg.matmul {tcgemm.config = #tcgemm.config<stages = 99>} ins(%a, %a : tensor<8x8xf16>, tensor<8x8xf16>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

// Who marks an operation is told that it was not taken, without remarks too.

func.func @not_taken(%a: tensor<8x8xi16>, %c: tensor<8x8xi16>) -> tensor<8x8xi16> {
  // expected-warning @below {{'linalg.matmul' is marked to be taken, but is left as it is: its operands are i16}}
  %0 = linalg.matmul {tcgemm.config = #tcgemm.config<stages = 3>} ins(%a, %a : tensor<8x8xi16>, tensor<8x8xi16>) outs(%c : tensor<8x8xi16>) -> tensor<8x8xi16>
  return %0 : tensor<8x8xi16>
}
