// RUN: rm -rf %t.pack
// RUN: tcgemm-opt %s --tcgemm-write-pack=path=%t.pack -o /dev/null
// RUN: %python -c "import json; m = json.load(open('%t.pack/manifest.json')); [print(json.dumps(c)) for c in m['constants']]; [print(f['name'], json.dumps(f['arguments'][0].get('access')), *map(json.dumps, f.get('views', []) + f['launches']), sep='\n') for f in m['functions']]" | FileCheck %s
// RUN: %python -c "print(open('%t.pack/constant0.bin', 'rb').read().hex())" | FileCheck %s --check-prefix=BYTES
// RUN: %python -c "print(open('%t.pack/constant2.bin', 'rb').read().hex())" | FileCheck %s --check-prefix=RESOURCE
// RUN: not ls %t.pack/constant1.bin

// Constants that are used by functions of the pack, with elements of one value
// or with a file.

// CHECK: {"file": "constant0.bin", "name": "weights", "sha256": "{{[0-9a-f]+}}", "shape": [2, 2], "type": "f16"}
// CHECK-NEXT: {"name": "half", "shape": [4], "type": "bf16", "value": 0.5}
// CHECK-NEXT: {"file": "constant2.bin", "name": "resource", "sha256": "{{[0-9a-f]+}}", "shape": [2], "type": "f32"}
// CHECK-NEXT: {"file": "constant3.bin", "name": "bits", {{.*}}"shape": [3], "type": "i1"}
// BYTES: 003c004000420044
// RESOURCE: 0000803f00000040
memref.global "private" constant @weights : memref<2x2xf16> = dense<[[1.0, 2.0], [3.0, 4.0]]>
memref.global "private" constant @half : memref<4xbf16> = dense<0.5>
memref.global "private" constant @resource : memref<2xf32> = dense_resource<two>
memref.global "private" constant @bits : memref<3xi1> = dense<[true, false, true]>
memref.global "private" constant @unused : memref<2xf32> = dense<[1.0, 2.0]>

// CHECK-LABEL: slices
// CHECK-NEXT: "read"
// CHECK-NEXT: {"buffer": "arg0", "offset": "192", "sizes": ["32", "64"], "strides": ["128", "1"]}
// CHECK-NEXT: {"buffer": "arg1", "offset": "64", "sizes": ["32", "64"], "strides": ["64", "1"]}
// CHECK-NEXT: {"buffer": "arg0", "offset": "192", "sizes": ["64", "32"], "strides": ["1", "128"]}
// CHECK-NEXT: {"copy": "view0", "to": "view1"}
// CHECK-NEXT: {"copy": "view2", "to": "arg2"}
func.func @slices(%x: memref<128x64xf16>, %y: memref<128x64xf16>, %z: memref<64x32xf16>) {
  %0 = memref.subview %x[3, 0] [32, 64] [2, 1] : memref<128x64xf16> to memref<32x64xf16, strided<[128, 1], offset: 192>>
  %1 = memref.subview %y[1, 0] [32, 64] [1, 1] : memref<128x64xf16> to memref<32x64xf16, strided<[64, 1], offset: 64>>
  memref.copy %0, %1 : memref<32x64xf16, strided<[128, 1], offset: 192>> to memref<32x64xf16, strided<[64, 1], offset: 64>>
  memref.copy %1, %1 : memref<32x64xf16, strided<[64, 1], offset: 64>> to memref<32x64xf16, strided<[64, 1], offset: 64>>
  %2 = memref.transpose %0 (i, j) -> (j, i) : memref<32x64xf16, strided<[128, 1], offset: 192>> to memref<64x32xf16, strided<[1, 128], offset: 192>>
  memref.copy %2, %z : memref<64x32xf16, strided<[1, 128], offset: 192>> to memref<64x32xf16>
  return
}

// A slice may drop dimensions of size 1.

// CHECK-LABEL: rows
// CHECK-NEXT: "read"
// CHECK-NEXT: {"buffer": "arg0", "offset": "arg0.dim0 / 2 * 64", "sizes": ["64"], "strides": ["1"]}
// CHECK-NEXT: {"copy": "view0", "to": "arg1"}
func.func @rows(%x: memref<?x64xf16>, %y: memref<64xf16>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %m = memref.dim %x, %c0 : memref<?x64xf16>
  %h = arith.divsi %m, %c2 : index
  %0 = memref.subview %x[%h, 0] [1, 64] [1, 1] : memref<?x64xf16> to memref<64xf16, strided<[1], offset: ?>>
  memref.copy %0, %y : memref<64xf16, strided<[1], offset: ?>> to memref<64xf16>
  return
}

// A reshape and its inverse give the buffer itself.

// CHECK-LABEL: reshapes
// CHECK-NEXT: "write"
// CHECK-NEXT: {"buffer": "arg0", "offset": "0", "sizes": ["arg0.dim0 * 16", "8"], "strides": ["8", "1"]}
// CHECK-NEXT: {"buffer": "tmp0", "offset": "0", "sizes": ["1", "arg0.dim0"], "strides": ["arg0.dim0", "1"]}
// CHECK-NEXT: {"fill": "view0", "type": "f32", "value": "-inf"}
// CHECK-NEXT: {"fill": "arg0", "type": "f32", "value": 0.1{{[0-9]*}}}
// CHECK-NEXT: {"fill": "view1", "type": "i64", "value": -9223372036854775807}
func.func @reshapes(%x: memref<?x16x8xf32>) {
  %c0 = arith.constant 0 : index
  %inf = arith.constant 0xFF800000 : f32
  %v = arith.constant 0.1 : f32
  %i = arith.constant -9223372036854775807 : i64
  %m = memref.dim %x, %c0 : memref<?x16x8xf32>
  %0 = memref.collapse_shape %x [[0, 1], [2]] : memref<?x16x8xf32> into memref<?x8xf32>
  linalg.fill ins(%inf : f32) outs(%0 : memref<?x8xf32>)
  %1 = memref.expand_shape %0 [[0, 1], [2]] output_shape [%m, 16, 8] : memref<?x8xf32> into memref<?x16x8xf32>
  linalg.fill ins(%v : f32) outs(%1 : memref<?x16x8xf32>)
  %t = memref.alloc(%m) : memref<?xi64>
  %2 = memref.expand_shape %t [[0, 1]] output_shape [1, %m] : memref<?xi64> into memref<1x?xi64>
  linalg.fill ins(%i : i64) outs(%2 : memref<1x?xi64>)
  return
}

// CHECK-LABEL: constants
// CHECK-NEXT: "write"
// CHECK-NEXT: {"buffer": "const0", "offset": "2", "sizes": ["2"], "strides": ["1"]}
// CHECK-NEXT: {"copy": "view0", "to": "arg0"}
// CHECK-NEXT: {"copy": "const1", "to": "arg1"}
// CHECK-NEXT: {"copy": "const2", "to": "arg2"}
// CHECK-NEXT: {"copy": "const3", "to": "arg3"}
func.func @constants(%x: memref<2xf16>, %y: memref<4xbf16>, %z: memref<2xf32>, %b: memref<3xi1>) {
  %0 = memref.get_global @weights : memref<2x2xf16>
  %1 = memref.subview %0[1, 0] [1, 2] [1, 1] : memref<2x2xf16> to memref<2xf16, strided<[1], offset: 2>>
  memref.copy %1, %x : memref<2xf16, strided<[1], offset: 2>> to memref<2xf16>
  %2 = memref.get_global @half : memref<4xbf16>
  memref.copy %2, %y : memref<4xbf16> to memref<4xbf16>
  %3 = memref.get_global @resource : memref<2xf32>
  memref.copy %3, %z : memref<2xf32> to memref<2xf32>
  %4 = memref.get_global @bits : memref<3xi1>
  memref.copy %4, %b : memref<3xi1> to memref<3xi1>
  return
}

// The pack does not have the constants of a function that is left out.

func.func @left_out(%x: memref<2xf32>) {
  %0 = memref.get_global @unused : memref<2xf32>
  memref.copy %0, %x : memref<2xf32> to memref<2xf32>
  linalg.exp ins(%0 : memref<2xf32>) outs(%x : memref<2xf32>)
  return
}

{-#
  dialect_resources: {
    builtin: {
      two: "0x040000000000803F00000040"
    }
  }
#-}
