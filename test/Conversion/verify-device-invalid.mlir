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
  // expected-error @below {{'gpu.memcpy' works on elements that share bytes: only products can read them}}
  gpu.memcpy %a, %b : memref<4x8xi4>, memref<4x8xi4>
  return
}

// -----

func.func @packed_load(%a: memref<4x8xi4>, %b: memref<4x8xi32>) {
  %one = arith.constant 1 : index
  gpu.launch blocks(%x, %y, %z) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%i, %j, %k) in (%bx = %one, %by = %one, %bz = %one) {
    // expected-error @below {{'memref.load' works on elements that share bytes: only products can read them}}
    %v = memref.load %a[%x, %i] : memref<4x8xi4>
    %w = arith.extsi %v : i4 to i32
    memref.store %w, %b[%x, %i] : memref<4x8xi32>
    gpu.terminator
  }
  return
}

// -----

// A product reads eight elements of i1 in a byte; the loop would read one.
tcgemm.kernel @bits <1x4x6x64> [#tcgemm.operand<a, ui1, "mk">, #tcgemm.operand<b, ui1, "nk">, #tcgemm.operand<output, i32, "mn">] epilogue {
^bb0(%acc: i32):
  tcgemm.yield %acc : i32
}
func.func @bits_load(%a: memref<8x64xi1>, %b: memref<6x64xi1>, %d: memref<4x6xi32>, %mask: memref<8x64xi1>) {
  %part = memref.subview %a[0, 0] [4, 64] [1, 1] : memref<8x64xi1> to memref<4x64xi1, strided<[64, 1]>>
  tcgemm.launch @bits ins(%part, %b : memref<4x64xi1, strided<[64, 1]>>, memref<6x64xi1>) outs(%d : memref<4x6xi32>)
  %one = arith.constant 1 : index
  gpu.launch blocks(%x, %y, %z) in (%gx = %one, %gy = %one, %gz = %one)
             threads(%i, %j, %k) in (%bx = %one, %by = %one, %bz = %one) {
    // A mask has a byte for each element.
    %m = memref.load %mask[%x, %i] : memref<8x64xi1>
    // expected-error @below {{'memref.load' works on elements that share bytes: only products can read them}}
    %v = memref.load %a[%x, %i] : memref<8x64xi1>
    %w = arith.andi %m, %v : i1
    memref.store %w, %mask[%x, %i] : memref<8x64xi1>
    gpu.terminator
  }
  return
}
