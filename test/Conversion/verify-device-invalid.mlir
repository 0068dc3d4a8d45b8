// RUN: tcgemm-opt %s -tcgemm-verify-device -split-input-file -verify-diagnostics

func.func @allowed(%a: memref<8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %d = memref.dim %a, %c0 : memref<8xf32>
  %host = memref.alloca() : memref<f32>
  %v = memref.load %host[] : memref<f32>
  return %v : f32
}

// -----

func.func @load(%a: memref<8xf32>, %i: index) -> f32 {
  // expected-error @below {{'memref.load' cannot run on the device: only linalg operations, copies, and loads and stores of elements can}}
  %v = memref.load %a[%i] : memref<8xf32>
  return %v : f32
}

// -----

func.func @vector(%a: memref<8xf32>, %i: index) -> vector<4xf32> {
  // expected-error @below {{'vector.load' cannot run on the device}}
  %v = vector.load %a[%i] : memref<8xf32>, vector<4xf32>
  return %v : vector<4xf32>
}

// -----

func.func @tensor(%a: tensor<8xf32>, %i: index) -> f32 {
  // expected-error @below {{'tensor.extract' works on tensors that no buffer could be found for}}
  %v = tensor.extract %a[%i] : tensor<8xf32>
  return %v : f32
}
