// RUN: tcgemm-opt %s -tcgemm-check-operands -split-input-file -verify-diagnostics

tcgemm.kernel @k <1x4x2x8> [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}
memref.global "private" constant @weights : memref<8x2xf16> = dense<1.0>
func.func @constant(%a: memref<4x8xf16>, %d: memref<4x2xf32>) {
  // expected-note @below {{the constant}}
  %b = memref.get_global @weights : memref<8x2xf16>
  // expected-error @below {{operand 1 of kernel 'k' is the constant '@weights', which is in host memory; make it an argument}}
  tcgemm.launch @k ins(%a, %b : memref<4x8xf16>, memref<8x2xf16>) outs(%d : memref<4x2xf32>)
  return
}

// -----

// Through a view, too. A copy of a constant is no constant.

tcgemm.kernel @k <1x?x2x8> [#tcgemm.operand<a, f16, "mk">, #tcgemm.operand<b, f16, "kn">, #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}
memref.global "private" constant @rows : memref<6x8xf16> = dense<1.0>
func.func @view(%b: memref<8x2xf16>, %d: memref<4x2xf32>) {
  // expected-note @below {{the constant}}
  %all = memref.get_global @rows : memref<6x8xf16>
  %a = memref.subview %all[1, 0] [4, 8] [1, 1] : memref<6x8xf16> to memref<4x8xf16, strided<[8, 1], offset: 8>>
  // expected-error @below {{operand 0 of kernel 'k' is the constant '@rows'}}
  tcgemm.launch @k ins(%a, %b : memref<4x8xf16, strided<[8, 1], offset: 8>>, memref<8x2xf16>) outs(%d : memref<4x2xf32>)
  %copy = memref.alloc() : memref<6x8xf16>
  memref.copy %all, %copy : memref<6x8xf16> to memref<6x8xf16>
  %d6 = memref.alloc() : memref<6x2xf32>
  tcgemm.launch @k ins(%copy, %b : memref<6x8xf16>, memref<8x2xf16>) outs(%d6 : memref<6x2xf32>)
  return
}
