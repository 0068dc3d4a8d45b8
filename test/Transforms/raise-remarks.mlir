// RUN: tcgemm-opt %s -tcgemm-raise -split-input-file -verify-diagnostics -o %t
// RUN: FileCheck %s --input-file %t
// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -split-input-file 2>&1 \
// RUN:   | FileCheck %s --check-prefix=QUIET
// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -split-input-file \
// RUN:   -remarks-filter=tcgemm-raise -remark-format=emitRemark 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ENGINE

// What cannot be raised or fused stays, and a remark names it and the reason.

// QUIET-NOT: remark:
// ENGINE: remark: [Missed] not-raised | Category:tcgemm-raise | Function=undefined | {{.*}}Operation=linalg.matmul, Reason="it reads a tensor.empty
// ENGINE: remark: [Passed] raised | Category:tcgemm-raise | Function=reduction | FusedOps=1, Kernel=reduction_0

// CHECK-LABEL: func.func @undefined
// CHECK:         linalg.matmul
func.func @undefined(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>) -> tensor<4x4xf32> {
  %e = tensor.empty() : tensor<4x4xf32>
  // expected-remark @below {{'linalg.matmul' is left as it is: it reads a tensor.empty, whose content is undefined; fill it first}}
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf16>, tensor<8x4xf16>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func.func @types
// CHECK-NOT:     tcgemm.launch
func.func @types(%a: tensor<4x8xi16>, %b: tensor<8x4xi16>, %h: tensor<4x8xf16>, %g: tensor<8x4xbf16>, %c: tensor<4x4xf32>,
                 %ai: tensor<4x8xi8>, %bi: tensor<8x4xi8>, %ci: tensor<4x4xi16>, %hb: tensor<8x4xf16>, %cd: tensor<4x4xf64>)
    -> (tensor<4x4xi16>, tensor<4x4xf32>, tensor<4x4xi16>, tensor<4x4xf64>) {
  // expected-remark @below {{its operands are i16; only f16, bf16, i8, i1, f8E4M3FN, f8E5M2, f64, f32, i32, i4 are supported}}
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xi16>, tensor<8x4xi16>) outs(%ci : tensor<4x4xi16>) -> tensor<4x4xi16>
  // expected-remark @below {{its operands have the types f16 and bf16, which no instruction multiplies}}
  %1 = linalg.matmul ins(%h, %g : tensor<4x8xf16>, tensor<8x4xbf16>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @below {{its result is i16; only i32 is supported}}
  %2 = linalg.matmul ins(%ai, %bi : tensor<4x8xi8>, tensor<8x4xi8>) outs(%ci : tensor<4x4xi16>) -> tensor<4x4xi16>
  // expected-remark @below {{its result is f64; only f32, f16 and bf16 are supported}}
  %3 = linalg.matmul ins(%h, %hb : tensor<4x8xf16>, tensor<8x4xf16>) outs(%cd : tensor<4x4xf64>) -> tensor<4x4xf64>
  return %0, %1, %2, %3 : tensor<4x4xi16>, tensor<4x4xf32>, tensor<4x4xi16>, tensor<4x4xf64>
}

// -----

#in_a = affine_map<(b, m, n, k) -> (m, k, b)>
#in_b = affine_map<(b, m, n, k) -> (b, k, n)>
#in_c = affine_map<(b, m, n, k) -> (b, m, n)>
// CHECK-LABEL: func.func @dims
// CHECK-NOT:     tcgemm.launch
func.func @dims(%ai: tensor<4x8x2xf16>, %bi: tensor<2x8x4xf16>, %ci: tensor<2x4x4xf32>,
                %ar: tensor<2x4x8xf16>, %cr: tensor<4x4xf32>, %br: tensor<2x8x4xf16>, %bt: tensor<4x4xf16>,
                %v: tensor<4xf16>)
    -> (tensor<2x4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  // expected-remark @below {{it has the indices 'bda,adc->abc': the innermost index 'a' of A is not one that a kernel tiles; transpose A}}
  %1 = linalg.contract indexing_maps = [#in_a, #in_b, #in_c]
    ins(%ai, %bi : tensor<4x8x2xf16>, tensor<2x8x4xf16>) outs(%ci : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  // expected-remark @below {{it has the indices 'abd,adc->bc': the k indices 'a' and 'd' are not one index in memory; transpose an operand so that they are neighbours in the same order}}
  %3 = linalg.batch_reduce_matmul ins(%ar, %br : tensor<2x4x8xf16>, tensor<2x8x4xf16>) outs(%cr : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @below {{it has the indices 'ac,c->ab': index 'b' of D is neither in A nor in B}}
  %4 = linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%bt, %v : tensor<4x4xf16>, tensor<4xf16>) outs(%cr : tensor<4x4xf32>) {
  ^bb0(%x: f16, %y: f16, %o: f32):
    %u = arith.extf %x : f16 to f32
    %w = arith.extf %y : f16 to f32
    %p = arith.mulf %u, %w : f32
    %s = arith.addf %o, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  return %1, %3, %4 : tensor<2x4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// A product rounded before it is summed is not what the tensor core computes.

// CHECK-LABEL: func.func @rounded_product
// CHECK-NOT:     tcgemm.launch
func.func @rounded_product(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-remark @below {{'linalg.generic' is left as it is: it is neither a contraction nor does it consume one's result}}
  %0 = linalg.generic {
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : tensor<4x8xf16>, tensor<8x4xf16>) outs(%c : tensor<4x4xf32>) {
  ^bb0(%p: f16, %q: f16, %acc: f32):
    %1 = arith.mulf %p, %q : f16
    %2 = arith.extf %1 : f16 to f32
    %3 = arith.addf %acc, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// A softmax's numerator: the exponential fuses, the reduction does not, and what
// needs the reduction's result cannot.

#id = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
// CHECK-LABEL: tcgemm.kernel @reduction_0
// CHECK:         math.exp
// CHECK-LABEL: func.func @reduction
// CHECK:         %[[E:.*]] = tcgemm.launch @reduction_0
// CHECK:         %[[S:.*]] = linalg.reduce {{.*}} ins(%[[E]] :
// CHECK:         linalg.generic {{.*}} ins(%[[E]], %[[S]] :
func.func @reduction(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %e: tensor<4x4xf32>, %z: tensor<4xf32>) -> tensor<4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf16>, tensor<8x4xf16>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.exp ins(%0 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @below {{'linalg.reduce' is left as it is: it is a reduction whose initial value is not a constant}}
  %2 = linalg.reduce {arith.addf} ins(%1 : tensor<4x4xf32>) outs(%z : tensor<4xf32>) dimensions = [1]
  // expected-remark @below {{its operand 1 needs the contraction's result itself}}
  %3 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
    ins(%1, %2 : tensor<4x4xf32>, tensor<4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x: f32, %s: f32, %o: f32):
    %q = arith.divf %x, %s : f32
    linalg.yield %q : f32
  } -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

#id = affine_map<(m, n) -> (m, n)>
#t = affine_map<(m, n) -> (n, m)>
#first = affine_map<(m, n) -> (0, n)>
#id3 = affine_map<(m, n, p) -> (m, n, p)>
#mn3 = affine_map<(m, n, p) -> (m, n)>
func.func private @observe(tensor<4x4xf32>)
// CHECK-LABEL: func.func @consumers
func.func @consumers(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %e: tensor<4x4xf32>, %r: tensor<1x4xf32>, %w: tensor<4x4x2xf32>, %table: tensor<16xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4x2xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  // A bias that is computed: only consumers are fused.
  // expected-remark @below {{'linalg.exp' is left as it is: it computes an operand of a contraction; only functions of A's and B's elements and what consumes the result are fused}}
  %p = linalg.exp ins(%e : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<4x8xf16>, tensor<8x4xf16>) outs(%p : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @below {{it reads the contraction's result in two different orders}}
  %1 = linalg.generic {indexing_maps = [#id, #t, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0, %0 : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %q = arith.addf %x, %y : f32
    linalg.yield %q : f32
  } -> tensor<4x4xf32>
  // expected-remark @below {{it reads an operand through (d0, d1) -> (0, d1), which is not a projected permutation}}
  %2 = linalg.generic {indexing_maps = [#id, #first, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0, %r : tensor<4x4xf32>, tensor<1x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %q = arith.addf %x, %y : f32
    linalg.yield %q : f32
  } -> tensor<4x4xf32>
  // expected-remark @below {{'linalg.generic' is left as it is: it has 3 dimensions, the contraction's result 2}}
  %3 = linalg.generic {indexing_maps = [#mn3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%0 : tensor<4x4xf32>) outs(%w : tensor<4x4x2xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<4x4x2xf32>
  // expected-remark @below {{its body holds 'tensor.extract', which is not scalar arith or math}}
  %4 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%0 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %y = tensor.extract %table[%i] : tensor<16xf32>
    %q = arith.mulf %x, %y : f32
    linalg.yield %q : f32
  } -> tensor<4x4xf32>
  func.call @observe(%0) : (tensor<4x4xf32>) -> ()
  // expected-remark @below {{it follows 'func.call', which uses the contraction's result and has side effects}}
  %5 = linalg.exp ins(%0 : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1, %2, %3, %4, %5, %0 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4x2xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// -----

// CHECK-LABEL: func.func @other
func.func @other(%x: tensor<4x4xf32>,
                 %ta: tensor<4x8xf16>, %tb: tensor<8x4xf16>) -> tensor<4x4xf32> {
  // expected-remark @below {{its result is not used}}
  %0 = linalg.matmul ins(%ta, %tb : tensor<4x8xf16>, tensor<8x4xf16>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @below {{'linalg.softmax' is left as it is: it is not a structured linalg operation}}
  %1 = linalg.softmax dimension(1) ins(%x : tensor<4x4xf32>) outs(%x : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

func.func @blocks(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>, %p: i1) -> tensor<?x?xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  cf.cond_br %p, ^bb1, ^bb2
^bb1:
  // expected-remark @below {{'linalg.exp' is left as it is: it is in another block than the contraction}}
  %1 = linalg.exp ins(%0 : tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
^bb2:
  return %0 : tensor<?x?xf32>
}

// -----

func.func @not_matmul(%i: tensor<10xf16>, %w: tensor<3xf16>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-remark @below {{'linalg.generic' is left as it is: it has an indexing map that is not a projected permutation}}
  %0 = linalg.generic {indexing_maps = [affine_map<(x, k) -> (x + k)>, affine_map<(x, k) -> (k)>, affine_map<(x, k) -> (x)>],
      iterator_types = ["parallel", "reduction"]} ins(%i, %w : tensor<10xf16>, tensor<3xf16>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: f16, %b: f16, %c: f32):
    %2 = arith.extf %a : f16 to f32
    %3 = arith.extf %b : f16 to f32
    %4 = arith.mulf %2, %3 : f32
    %5 = arith.addf %c, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// An encoding says that a tensor is not dense.

func.func @encoding(%a: tensor<64x64xf16, "csr">, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-remark @below {{'linalg.matmul' is left as it is: it has an operand with the encoding "csr"; only tensors without one are supported}}
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf16, "csr">, tensor<64x64xf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

func.func @encoded_consumer(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>, %r: tensor<64x64xf32, "csr">,
                            %o: tensor<64x64xf32, "csr">) -> (tensor<64x64xf32>, tensor<64x64xf32, "csr">) {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-remark @below {{'linalg.mul' is left as it is: it has an operand with the encoding "csr"}}
  %1 = linalg.mul ins(%0, %r : tensor<64x64xf32>, tensor<64x64xf32, "csr">) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-remark @below {{'linalg.exp' is left as it is: it has an operand with the encoding "csr"}}
  %2 = linalg.exp ins(%0 : tensor<64x64xf32>) outs(%o : tensor<64x64xf32, "csr">) -> tensor<64x64xf32, "csr">
  return %1, %2 : tensor<64x64xf32>, tensor<64x64xf32, "csr">
}

// -----

// Sizes and widths that programs cannot have.

#id = affine_map<(m, n) -> (m, n)>
func.func @large(%a: tensor<2147483648x8xf16>, %b: tensor<8x4xf16>, %c: tensor<2147483648x4xf32>,
                 %s: tensor<4x8xf16>, %d: tensor<4x4xf32>) -> (tensor<2147483648x4xf32>, tensor<4x4xf32>) {
  // expected-remark @below {{it has an operand of type tensor<2147483648x8xf16>; sizes up to 2147483647 are supported}}
  %0 = linalg.matmul ins(%a, %b : tensor<2147483648x8xf16>, tensor<8x4xf16>) outs(%c : tensor<2147483648x4xf32>) -> tensor<2147483648x4xf32>
  %1 = linalg.matmul ins(%s, %b : tensor<4x8xf16>, tensor<8x4xf16>) outs(%d : tensor<4x4xf32>) -> tensor<4x4xf32>
  // expected-remark @below {{its body computes a value of type i65; at most 64 bits are supported}}
  %2 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%1 : tensor<4x4xf32>) outs(%d : tensor<4x4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = arith.fptosi %x : f32 to i65
    %y = arith.sitofp %i : i65 to f32
    linalg.yield %y : f32
  } -> tensor<4x4xf32>
  return %0, %2 : tensor<2147483648x4xf32>, tensor<4x4xf32>
}

// -----

// Only functions of the module itself are searched.

module @nested {
  func.func @f(%a: tensor<4x8xf16>, %b: tensor<8x4xf16>, %c: tensor<4x4xf32>) -> tensor<4x4xf32> {
    // expected-remark @below {{'linalg.matmul' is left as it is: only operations in a func.func of the module itself are taken, not those in nested modules or other functions}}
    %0 = linalg.matmul ins(%a, %b : tensor<4x8xf16>, tensor<8x4xf16>) outs(%c : tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}
gpu.module @device {
  gpu.func @g(%a: memref<4x8xf16>, %b: memref<8x4xf16>, %c: memref<4x4xf32>) kernel {
    // expected-remark @below {{not those in nested modules or other functions}}
    linalg.matmul ins(%a, %b : memref<4x8xf16>, memref<8x4xf16>) outs(%c : memref<4x4xf32>)
    gpu.return
  }
}
func.func @in_launch(%a: memref<4x8xf16>, %b: memref<8x4xf16>, %c: memref<4x4xf32>) {
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    // expected-remark @below {{it is in a gpu.launch, and kernels are launched by the host}}
    linalg.matmul ins(%a, %b : memref<4x8xf16>, memref<8x4xf16>) outs(%c : memref<4x4xf32>)
    gpu.terminator
  }
  return
}

// -----

// An elementwise operation on tensors that cannot be fused stays as it was.

// CHECK-LABEL: func.func @elementwise
// CHECK:         %[[L:.*]] = tcgemm.launch
// CHECK-NEXT:    call @see(%[[L]])
// CHECK-NEXT:    %[[T:.*]] = math.tanh %[[L]] : tensor<?x?xf32>
// CHECK-NEXT:    %[[R:.*]] = arith.truncf %[[T]] : tensor<?x?xf32> to tensor<?x?xf16>
// CHECK-NEXT:    return %[[R]]
func.func private @see(tensor<?x?xf32>)
func.func @elementwise(%a: tensor<?x8xf16>, %b: tensor<8x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xf16>, tensor<8x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  func.call @see(%0) : (tensor<?x?xf32>) -> ()
  // expected-remark @below {{'math.tanh' is left as it is: it follows 'func.call'}}
  %1 = math.tanh %0 : tensor<?x?xf32>
  // expected-remark @below {{'arith.truncf' is left as it is}}
  %2 = arith.truncf %1 : tensor<?x?xf32> to tensor<?x?xf16>
  return %2 : tensor<?x?xf16>
}

// -----

// Elements that an epilogue reads and writes take whole bytes. An i1 takes one.

// CHECK-LABEL: func.func @shared_bytes
// CHECK:         tcgemm.launch
// CHECK:         linalg.generic
#map = affine_map<(m, n) -> (m, n)>
func.func @shared_bytes(%a: tensor<?x8xi8>, %b: tensor<8x?xi8>, %c: tensor<?x?xi32>, %t: tensor<?x?xi4>, %e: tensor<?x?xi32>)
    -> tensor<?x?xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xi8>, tensor<8x?xi8>) outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
  // expected-remark @below {{it has elements of type i4; epilogues read and write only i1, i8, i16, i32, i64, index, f16, bf16, f32, f64, f8E4M3FN, f8E5M2}}
  %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
    ins(%0, %t : tensor<?x?xi32>, tensor<?x?xi4>) outs(%e : tensor<?x?xi32>) {
  ^bb0(%x: i32, %y: i4, %out: i32):
    %2 = arith.extsi %y : i4 to i32
    %3 = arith.addi %x, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<?x?xi32>
  return %1 : tensor<?x?xi32>
}

// -----

// CHECK-LABEL: func.func @shared_bytes_out
// CHECK:         tcgemm.launch
// CHECK:         linalg.generic
#map = affine_map<(m, n) -> (m, n)>
func.func @shared_bytes_out(%a: tensor<?x8xi8>, %b: tensor<8x?xi8>, %c: tensor<?x?xi32>, %e: tensor<?x?xi24>) -> tensor<?x?xi24> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xi8>, tensor<8x?xi8>) outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
  // expected-remark @below {{it has elements of type i24; epilogues read and write only i1,}}
  %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
    ins(%0 : tensor<?x?xi32>) outs(%e : tensor<?x?xi24>) {
  ^bb0(%x: i32, %out: i24):
    %2 = arith.trunci %x : i32 to i24
    linalg.yield %2 : i24
  } -> tensor<?x?xi24>
  return %1 : tensor<?x?xi24>
}

// -----

// CHECK-LABEL: func.func @mask
// CHECK:         tcgemm.launch
// CHECK-NOT:     linalg.generic
#map = affine_map<(m, n) -> (m, n)>
func.func @mask(%a: tensor<?x8xi8>, %b: tensor<8x?xi8>, %c: tensor<?x?xi32>, %mask: tensor<?x?xi1>, %e: tensor<?x?xi32>)
    -> tensor<?x?xi32> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x8xi8>, tensor<8x?xi8>) outs(%c : tensor<?x?xi32>) -> tensor<?x?xi32>
  %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]}
    ins(%0, %mask : tensor<?x?xi32>, tensor<?x?xi1>) outs(%e : tensor<?x?xi32>) {
  ^bb0(%x: i32, %y: i1, %out: i32):
    %2 = arith.extui %y : i1 to i32
    %3 = arith.addi %x, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<?x?xi32>
  return %1 : tensor<?x?xi32>
}
