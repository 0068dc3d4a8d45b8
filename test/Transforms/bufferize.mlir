// RUN: tcgemm-opt %s -tcgemm-host -split-input-file | FileCheck %s

// A result becomes a trailing argument, which the launch writes directly.

// CHECK-LABEL: func.func @dynamic
// CHECK-SAME:    %[[A:.*]]: memref<?x64xbf16>, %[[B:.*]]: memref<64x?xbf16>, %[[ALPHA:.*]]: f32, %[[D:.*]]: memref<?x?xf32> {bufferize.result})
// CHECK-NEXT:    tcgemm.launch @dynamic_0 ins(%[[A]], %[[B]], %[[ALPHA]] : memref<?x64xbf16>, memref<64x?xbf16>, f32) outs(%[[D]] : memref<?x?xf32>)
// CHECK-NEXT:    return
func.func @dynamic(%a: tensor<?x64xbf16>, %b: tensor<64x?xbf16>, %alpha: f32) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x64xbf16>
  %n = tensor.dim %b, %c1 : tensor<64x?xbf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x64xbf16>, tensor<64x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%0 : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %2 = arith.mulf %x, %alpha : f32
    linalg.yield %2 : f32
  } -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// -----

// Two outputs that share a destination in the source do not share a buffer.

// CHECK-LABEL: func.func @two_results
// CHECK-SAME:    %[[D0:[^:]*]]: memref<16x8xf32> {bufferize.result}, %[[D1:[^:]*]]: memref<16x8xf32> {bufferize.result})
// CHECK-NEXT:    tcgemm.launch @two_results_0 {{.*}} outs(%[[D0]], %[[D1]] : memref<16x8xf32>, memref<16x8xf32>)
// CHECK-NEXT:    return
func.func @two_results(%a: tensor<16x64xf16>, %b: tensor<64x8xf16>) -> (tensor<16x8xf32>, tensor<16x8xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<16x64xf16>, tensor<64x8xf16>) outs(%f : tensor<16x8xf32>) -> tensor<16x8xf32>
  %1 = linalg.exp ins(%0 : tensor<16x8xf32>) outs(%e : tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0, %1 : tensor<16x8xf32>, tensor<16x8xf32>
}

// -----

// C is read-only: the result goes elsewhere, and nothing is copied.

// CHECK-LABEL: func.func @read_only
// CHECK-SAME:    %[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<?x?xbf16>, %[[C:.*]]: memref<?x?xf32>, %[[D:.*]]: memref<?x?xf32> {bufferize.result})
// CHECK-NEXT:    tcgemm.launch @read_only_0 ins(%[[A]], %[[B]], %[[C]] : {{.*}}) outs(%[[D]] : memref<?x?xf32>)
// CHECK-NEXT:    return
func.func @read_only(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// A destination that is writable is written, and is no result any more.

// CHECK-LABEL: func.func @writable
// CHECK-SAME:    %[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<?x?xbf16>, %[[D:.*]]: memref<?x?xf32>)
// CHECK-NEXT:    tcgemm.launch @writable_0 ins(%[[A]], %[[B]] : {{.*}}) outs(%[[D]] : memref<?x?xf32>)
// CHECK-NEXT:    return
func.func @writable(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %d: tensor<?x?xf32> {bufferization.writable = true}) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%d : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// C is overwritten: the kernel reads each of its elements just before it writes
// that element.

// CHECK-LABEL: func.func @accumulate
// CHECK-SAME:    %[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<?x?xbf16>, %[[C:.*]]: memref<?x?xf32>)
// CHECK-NEXT:    tcgemm.launch @accumulate_0 ins(%[[A]], %[[B]], %[[C]] : {{.*}}) outs(%[[C]] :
// CHECK-NEXT:    return
func.func @accumulate(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %c: tensor<?x?xf32> {bufferization.writable = true}) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// The old C is a result, too: it is not overwritten.

// CHECK-LABEL: func.func @accumulate_and_keep
// CHECK-SAME:    %[[C:[a-z0-9]*]]: memref<?x?xf32>, %[[D:.*]]: memref<?x?xf32> {bufferize.result}, %[[OLD:.*]]: memref<?x?xf32> {bufferize.result})
// CHECK-NEXT:    tcgemm.launch @accumulate_0 ins(%{{.*}}, %{{.*}}, %[[C]] : {{.*}}) outs(%[[D]] :
// CHECK-NEXT:    memref.copy %[[C]], %[[OLD]]
// CHECK-NEXT:    return
func.func @accumulate_and_keep(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %c: tensor<?x?xf32> {bufferization.writable = true}) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %c : tensor<?x?xf32>, tensor<?x?xf32>
}

// A is C: a kernel reads elements of A after it has written others of D.

// CHECK-LABEL: func.func @square
// CHECK-SAME:    %[[A:.*]]: memref<64x64xf32>, %[[D:.*]]: memref<64x64xf32> {bufferize.result})
// CHECK-NEXT:    tcgemm.launch @square_0 ins(%[[A]], %[[A]], %[[A]] : {{.*}}) outs(%[[D]] :
// CHECK-NEXT:    return
func.func @square(%a: tensor<64x64xf32> {bufferization.writable = true}) -> tensor<64x64xf32> {
  %0 = linalg.matmul ins(%a, %a : tensor<64x64xf32>, tensor<64x64xf32>) outs(%a : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// It is written by its own strides. What is returned after that is no copy.

// CHECK-LABEL: func.func @strided
// CHECK-SAME:    %[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<?x?xbf16>, %[[D:.*]]: memref<?x?xf32, strided<[?, 1], offset: ?>>)
// CHECK-NEXT:    tcgemm.launch @strided_0 ins(%[[A]], %[[B]] : {{.*}}) outs(%[[D]] : memref<?x?xf32, strided<[?, 1], offset: ?>>)
// CHECK-NEXT:    return
func.func @strided(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>,
                   %d: tensor<?x?xf32> {bufferization.writable = true, bufferization.buffer_layout = strided<[?, 1], offset: ?>}) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%d : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// The intermediate of a chain is a temporary.

// CHECK-LABEL: func.func @chain
// CHECK-SAME:    %[[X:.*]]: memref<?x64xf16>, %[[W1:.*]]: memref<64x128xf16>, %[[W2:.*]]: memref<128x32xf16>, %[[Y:.*]]: memref<?x32xf32> {bufferize.result})
// CHECK-NEXT:    %[[C0:.*]] = arith.constant 0 : index
// CHECK-NEXT:    %[[M:.*]] = memref.dim %[[X]], %[[C0]]
// CHECK-NEXT:    %[[H:.*]] = memref.alloc(%[[M]]) {{.*}} : memref<?x128xf16>
// CHECK-NEXT:    tcgemm.launch @chain_0 ins(%[[X]], %[[W1]] : {{.*}}) outs(%[[H]] :
// CHECK-NEXT:    tcgemm.launch @chain_1 ins(%[[H]], %[[W2]] : {{.*}}) outs(%[[Y]] :
// CHECK-NEXT:    return
func.func @chain(%x: tensor<?x64xf16>, %w1: tensor<64x128xf16>, %w2: tensor<128x32xf16>) -> tensor<?x32xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %zero16 = arith.constant 0.0 : f16
  %m = tensor.dim %x, %c0 : tensor<?x64xf16>
  %e0 = tensor.empty(%m) : tensor<?x128xf16>
  %f0 = linalg.fill ins(%zero16 : f16) outs(%e0 : tensor<?x128xf16>) -> tensor<?x128xf16>
  %0 = linalg.matmul ins(%x, %w1 : tensor<?x64xf16>, tensor<64x128xf16>) outs(%f0 : tensor<?x128xf16>) -> tensor<?x128xf16>
  %e2 = tensor.empty(%m) : tensor<?x32xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x32xf32>) -> tensor<?x32xf32>
  %2 = linalg.matmul ins(%0, %w2 : tensor<?x128xf16>, tensor<128x32xf16>) outs(%f2 : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %2 : tensor<?x32xf32>
}

// -----

// The same tensor destination for two products; both results live. The products
// are equal but for their operands: one kernel.

// CHECK-LABEL: func.func @shared_destination
// CHECK-SAME:    %[[D0:[^:]*]]: memref<?x?xf32> {bufferize.result}, %[[D1:[^:]*]]: memref<?x?xf32> {bufferize.result})
// CHECK-NEXT:    tcgemm.launch @shared_destination_0 {{.*}} outs(%[[D0]] :
// CHECK-NEXT:    tcgemm.launch @shared_destination_0 {{.*}} outs(%[[D1]] :
// CHECK-NEXT:    return
func.func @shared_destination(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %c: tensor<?x?xbf16>, %m: index, %n: index) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.matmul ins(%a, %c : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// The same result twice, and one that is an argument.

// CHECK-LABEL: func.func @odd_results
// CHECK-SAME:    %[[A:[^:]*]]: memref<?x?xbf16>, %{{[^:]*}}: memref<?x?xbf16>, %{{[^:]*}}: memref<?x?xf32>, %[[D0:[^:]*]]: memref<?x?xf32> {bufferize.result}, %[[D1:[^:]*]]: memref<?x?xf32> {bufferize.result}, %[[D2:[^:]*]]: memref<?x?xbf16> {bufferize.result})
// CHECK-NEXT:    tcgemm.launch @odd_results_0 {{.*}} outs(%[[D0]] :
// CHECK-NEXT:    memref.copy %[[D0]], %[[D1]]
// CHECK-NEXT:    memref.copy %[[A]], %[[D2]]
// CHECK-NEXT:    return
func.func @odd_results(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %e: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xbf16>) {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0, %0, %a : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xbf16>
}

// -----

// Calls stay. Their results are arguments as others are: the caller allocates
// them, or passes on its own.

// CHECK-LABEL: func.func private @relu
// CHECK-SAME:    (%{{.*}}: memref<8x8xf32>, %[[R:.*]]: memref<8x8xf32> {bufferize.result}) {
// CHECK:         linalg.generic {{.*}} outs(%[[R]] :
// CHECK-LABEL: func.func @caller
// CHECK-SAME:    %[[D:[^:]*]]: memref<8x8xf32> {bufferize.result})
// CHECK:         tcgemm.launch @caller_0 {{.*}} outs(%[[T:.*]] :
// CHECK-NEXT:    call @relu(%[[T]], %[[D]])
// CHECK-NEXT:    return
func.func private @relu(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
  ^bb0(%p: f32, %o: f32):
    %2 = arith.maximumf %p, %zero : f32
    linalg.yield %2 : f32
  } -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
func.func @caller(%a: tensor<8x64xbf16>, %b: tensor<64x8xbf16>, %c: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<8x64xbf16>, tensor<64x8xbf16>) outs(%c : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = func.call @relu(%0) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// Sizes of a callee's result are computed by the caller. A public function may
// be called, too.

// CHECK-LABEL: func.func @layer
// CHECK-SAME:    (%{{.*}}: memref<?x64xbf16>, %{{.*}}: memref<64x64xbf16>, %[[R:.*]]: memref<?x64xbf16> {bufferize.result}) {
// CHECK:         tcgemm.launch @layer_0 {{.*}} outs(%[[R]] :
// CHECK-LABEL: func.func @network
// CHECK-SAME:    (%[[X:.*]]: memref<?x64xbf16>, %[[W:.*]]: memref<64x64xbf16>, %[[D:.*]]: memref<?x64xbf16> {bufferize.result}) {
// CHECK:         %[[M:.*]] = memref.dim %[[X]]
// CHECK:         %[[H:.*]] = memref.alloc(%[[M]])
// CHECK:         call @layer(%[[X]], %[[W]], %[[H]])
// CHECK:         call @layer(%[[H]], %[[W]], %[[D]])
// CHECK-NEXT:    return
func.func @layer(%x: tensor<?x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<?x64xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %m = tensor.dim %x, %c0 : tensor<?x64xbf16>
  %e = tensor.empty(%m) : tensor<?x64xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<?x64xbf16>) -> tensor<?x64xbf16>
  %0 = linalg.matmul ins(%x, %w : tensor<?x64xbf16>, tensor<64x64xbf16>) outs(%f : tensor<?x64xbf16>) -> tensor<?x64xbf16>
  return %0 : tensor<?x64xbf16>
}
func.func @network(%x: tensor<?x64xbf16>, %w: tensor<64x64xbf16>) -> tensor<?x64xbf16> {
  %0 = func.call @layer(%x, %w) : (tensor<?x64xbf16>, tensor<64x64xbf16>) -> tensor<?x64xbf16>
  %1 = func.call @layer(%0, %w) : (tensor<?x64xbf16>, tensor<64x64xbf16>) -> tensor<?x64xbf16>
  return %1 : tensor<?x64xbf16>
}

// -----

// A loop that accumulates hands on a new buffer each time.

// CHECK-LABEL: func.func @loop
// CHECK:         scf.for
// CHECK:           %[[NEW:.*]] = memref.alloc
// CHECK:           tcgemm.launch @loop_0 {{.*}} outs(%[[NEW]] :
// CHECK:           scf.yield %[[NEW]]
func.func @loop(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> tensor<?x?xf32> {
    %1 = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%acc : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %1 : tensor<?x?xf32>
  }
  return %0 : tensor<?x?xf32>
}

// -----

// A result of joined dimensions is written to the caller's buffer, without a copy.

// CHECK-LABEL: func.func @joined
// CHECK-SAME:    %[[D:[a-z0-9]+]]: memref<?x?x?xf32> {bufferize.result}
// CHECK:         %[[JOINED:.*]] = memref.collapse_shape %[[D]] {{.*}}
// CHECK:         tcgemm.launch @joined_0 {{.*}} outs(%[[JOINED]] :
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @joined(%a: tensor<?x?x?xf16>, %b: tensor<?x?xf16>, %x: index, %y: index, %n: index) -> tensor<?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %init = tensor.empty(%x, %y, %n) : tensor<?x?x?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%init : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  %0 = linalg.contract
    indexing_maps = [affine_map<(x, y, n, k) -> (x, y, k)>, affine_map<(x, y, n, k) -> (k, n)>,
                     affine_map<(x, y, n, k) -> (x, y, n)>]
    ins(%a, %b : tensor<?x?x?xf16>, tensor<?x?xf16>) outs(%zeros : tensor<?x?x?xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
}

// Dimensions of the result are one in the product, which adds to an argument that stays as it is. The caller's buffer
// is written, and not copied to; a second result of the same values is a copy.
// CHECK-LABEL: func.func @expanded
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<?x?x2xf32>, %[[FIRST:[a-z0-9]+]]: memref<?x?x2xf32> {bufferize.result}, %[[SECOND:[a-z0-9]+]]: memref<?x?x2xf32> {bufferize.result})
// CHECK-NOT: memref.alloc
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[FIRST]] {{\[\[}}0], [1, 2]] : memref<?x?x2xf32> into memref<?x?xf32>
// CHECK: tcgemm.launch @expanded_0
// CHECK-SAME: outs(%[[FLAT]] : memref<?x?xf32>)
// CHECK: memref.copy %[[FIRST]], %[[SECOND]]
// CHECK-NOT: memref.copy
// CHECK: return
func.func @expanded(%a: tensor<?x64xbf16>, %b: tensor<64x?x2xbf16>, %c: tensor<?x?x2xf32>) -> (tensor<?x?x2xf32>, tensor<?x?x2xf32>) {
  %d = linalg.generic {indexing_maps = [affine_map<(m, n, p, k) -> (m, k)>, affine_map<(m, n, p, k) -> (k, n, p)>, affine_map<(m, n, p, k) -> (m, n, p)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x64xbf16>, tensor<64x?x2xbf16>) outs(%c : tensor<?x?x2xf32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %xw = arith.extf %x : bf16 to f32
    %yw = arith.extf %y : bf16 to f32
    %0 = arith.mulf %xw, %yw : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x?x2xf32>
  return %d, %d : tensor<?x?x2xf32>, tensor<?x?x2xf32>
}
