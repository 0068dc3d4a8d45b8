// Products of vectors: a number, and numbers of a batch.

func.func @dot(%a: tensor<1000xf32>, %b: tensor<1000xf32>, %c: tensor<f32>) -> tensor<f32> {
  %0 = linalg.dot ins(%a, %b : tensor<1000xf32>, tensor<1000xf32>) outs(%c : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// With an elementwise consumer of the number.
#k = affine_map<(k) -> (k)>
#number = affine_map<(k) -> ()>
#scalar = affine_map<() -> ()>
func.func @length(%a: tensor<?xbf16>, %b: tensor<?xbf16>) -> tensor<bf16> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %0 = linalg.generic {indexing_maps = [#k, #k, #number], iterator_types = ["reduction"]}
    ins(%a, %b : tensor<?xbf16>, tensor<?xbf16>) outs(%init : tensor<f32>) {
  ^bb0(%x: bf16, %y: bf16, %s: f32):
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %v : f32
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %result = tensor.empty() : tensor<bf16>
  %1 = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []}
    ins(%0 : tensor<f32>) outs(%result : tensor<bf16>) {
  ^bb0(%x: f32, %o: bf16):
    %y = math.absf %x : f32
    %z = arith.truncf %y : f32 to bf16
    linalg.yield %z : bf16
  } -> tensor<bf16>
  return %1 : tensor<bf16>
}

// Rows of two matrices, with a number for each row that the consumer reads.
#rows = affine_map<(b, k) -> (b, k)>
#row = affine_map<(b, k) -> (b)>
#vector = affine_map<(b) -> (b)>
func.func @rows(%a: tensor<?x96xf16>, %b: tensor<?x96xf16>, %c: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?x96xf16>
  %empty = tensor.empty(%size) : tensor<?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %0 = linalg.generic {indexing_maps = [#rows, #rows, #row], iterator_types = ["parallel", "reduction"]}
    ins(%a, %b : tensor<?x96xf16>, tensor<?x96xf16>) outs(%init : tensor<?xf32>) {
  ^bb0(%x: f16, %y: f16, %s: f32):
    %u = arith.extf %x : f16 to f32
    %v = arith.extf %y : f16 to f32
    %p = arith.mulf %u, %v : f32
    %r = arith.addf %s, %p : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %1 = linalg.generic {indexing_maps = [#vector, #vector, #vector], iterator_types = ["parallel"]}
    ins(%0, %c : tensor<?xf32>, tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<?xf32>
  return %1 : tensor<?xf32>
}

// Integers, and several k.
#ab = affine_map<(a, b) -> (a, b)>
#none = affine_map<(a, b) -> ()>
func.func @frobenius(%a: tensor<33x48xi8>, %b: tensor<33x48xi8>, %c: tensor<i32>) -> tensor<i32> {
  %0 = linalg.generic {indexing_maps = [#ab, #ab, #none], iterator_types = ["reduction", "reduction"]}
    ins(%a, %b : tensor<33x48xi8>, tensor<33x48xi8>) outs(%c : tensor<i32>) {
  ^bb0(%x: i8, %y: i8, %s: i32):
    %u = arith.extsi %x : i8 to i32
    %v = arith.extsi %y : i8 to i32
    %p = arith.muli %u, %v : i32
    %r = arith.addi %s, %p : i32
    linalg.yield %r : i32
  } -> tensor<i32>
  return %0 : tensor<i32>
}

// The number is read by another product's consumer.
func.func @chain(%a: tensor<640xf64>, %b: tensor<640xf64>, %m: tensor<40x64xf64>, %v: tensor<64xf64>) -> tensor<40xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<f64>
  %init = linalg.fill ins(%zero : f64) outs(%empty : tensor<f64>) -> tensor<f64>
  %0 = linalg.dot ins(%a, %b : tensor<640xf64>, tensor<640xf64>) outs(%init : tensor<f64>) -> tensor<f64>
  %e = tensor.empty() : tensor<40xf64>
  %i = linalg.fill ins(%zero : f64) outs(%e : tensor<40xf64>) -> tensor<40xf64>
  %1 = linalg.matvec ins(%m, %v : tensor<40x64xf64>, tensor<64xf64>) outs(%i : tensor<40xf64>) -> tensor<40xf64>
  %2 = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> ()>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]}
    ins(%1, %0 : tensor<40xf64>, tensor<f64>) outs(%e : tensor<40xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %z = arith.mulf %x, %y : f64
    linalg.yield %z : f64
  } -> tensor<40xf64>
  return %2 : tensor<40xf64>
}
