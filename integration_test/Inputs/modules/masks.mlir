// Epilogues that read and write bits, which take a byte each, and indices; and
// products without rows.

#mn = affine_map<(m, n) -> (m, n)>
#n = affine_map<(m, n) -> (n)>

func.func @masked(%a: tensor<33x64xf16>, %b: tensor<64x48xf16>, %mask: tensor<33x48xi1>, %columns: tensor<48xi1>)
    -> tensor<33x48xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<33x48xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<33x48xf32>) -> tensor<33x48xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<33x64xf16>, tensor<64x48xf16>) outs(%fill : tensor<33x48xf32>) -> tensor<33x48xf32>
  %1 = linalg.generic {indexing_maps = [#mn, #mn, #n, #mn], iterator_types = ["parallel", "parallel"]}
    ins(%0, %mask, %columns : tensor<33x48xf32>, tensor<33x48xi1>, tensor<48xi1>) outs(%empty : tensor<33x48xf32>) {
  ^bb0(%x: f32, %keep: i1, %column: i1, %out: f32):
    %both = arith.andi %keep, %column : i1
    %selected = arith.select %both, %x, %zero : f32
    linalg.yield %selected : f32
  } -> tensor<33x48xf32>
  return %1 : tensor<33x48xf32>
}

func.func @signs(%a: tensor<33x64xi8>, %b: tensor<64x48xi8>) -> (tensor<33x48xi1>, tensor<33x48xi32>) {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<33x48xi32>
  %bits = tensor.empty() : tensor<33x48xi1>
  %fill = linalg.fill ins(%zero : i32) outs(%empty : tensor<33x48xi32>) -> tensor<33x48xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<33x64xi8>, tensor<64x48xi8>) outs(%fill : tensor<33x48xi32>) -> tensor<33x48xi32>
  %1:2 = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
    ins(%0 : tensor<33x48xi32>) outs(%bits, %empty : tensor<33x48xi1>, tensor<33x48xi32>) {
  ^bb0(%x: i32, %bit: i1, %out: i32):
    %positive = arith.cmpi sgt, %x, %zero : i32
    linalg.yield %positive, %x : i1, i32
  } -> (tensor<33x48xi1>, tensor<33x48xi32>)
  return %1#0, %1#1 : tensor<33x48xi1>, tensor<33x48xi32>
}

func.func @places(%a: tensor<33x64xi8>, %b: tensor<64x48xi8>) -> tensor<33x48xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<33x48xi32>
  %places = tensor.empty() : tensor<33x48xindex>
  %fill = linalg.fill ins(%zero : i32) outs(%empty : tensor<33x48xi32>) -> tensor<33x48xi32>
  %0 = linalg.matmul ins(%a, %b : tensor<33x64xi8>, tensor<64x48xi8>) outs(%fill : tensor<33x48xi32>) -> tensor<33x48xi32>
  %1 = linalg.generic {indexing_maps = [#mn, #mn], iterator_types = ["parallel", "parallel"]}
    ins(%0 : tensor<33x48xi32>) outs(%places : tensor<33x48xindex>) {
  ^bb0(%x: i32, %out: index):
    %place = arith.index_cast %x : i32 to index
    linalg.yield %place : index
  } -> tensor<33x48xindex>
  %2 = linalg.matmul ins(%a, %b : tensor<33x64xi8>, tensor<64x48xi8>) outs(%0 : tensor<33x48xi32>) -> tensor<33x48xi32>
  %3 = linalg.generic {indexing_maps = [#mn, #mn, #mn], iterator_types = ["parallel", "parallel"]}
    ins(%2, %1 : tensor<33x48xi32>, tensor<33x48xindex>) outs(%empty : tensor<33x48xi32>) {
  ^bb0(%x: i32, %place: index, %out: i32):
    %number = arith.index_cast %place : index to i32
    %sum = arith.addi %x, %number : i32
    linalg.yield %sum : i32
  } -> tensor<33x48xi32>
  return %3 : tensor<33x48xi32>
}

func.func @no_rows(%a: tensor<0x16xf16>, %b: tensor<16x24xf16>, %c: tensor<0x24xf32>) -> tensor<0x24xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<0x16xf16>, tensor<16x24xf16>) outs(%c : tensor<0x24xf32>) -> tensor<0x24xf32>
  return %0 : tensor<0x24xf32>
}
