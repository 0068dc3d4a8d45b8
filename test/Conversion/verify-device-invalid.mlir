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

// -----

// MLIR's lowering gives an element of 4 bits a byte; only products know that two
// share one.
func.func @packed(%a: memref<4x8xi4>, %b: memref<4x8xi4>) {
  // expected-error @below {{'gpu.memcpy' works on elements of 4 bits, which share bytes: only products can read them}}
  gpu.memcpy %a, %b : memref<4x8xi4>, memref<4x8xi4>
  return
}

// -----

func.func @packed_load(%a: memref<4x8xi4>, %b: memref<4x8xi32>) {
  %one = arith.constant 1 : index
  gpu.launch blocks(%x, %y, %z) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%i, %j, %k) in (%bx = %one, %by = %one, %bz = %one) {
    // expected-error @below {{'memref.load' works on elements of 4 bits, which share bytes: only products can read them}}
    %v = memref.load %a[%x, %i] : memref<4x8xi4>
    %w = arith.extsi %v : i4 to i32
    memref.store %w, %b[%x, %i] : memref<4x8xi32>
    gpu.terminator
  }
  return
}
