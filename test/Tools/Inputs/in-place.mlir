func.func @in_place(%a: memref<?x48xbf16>, %b: memref<48x42xbf16>, %c: memref<?x42xf32>) {
  linalg.matmul ins(%a, %b : memref<?x48xbf16>, memref<48x42xbf16>) outs(%c : memref<?x42xf32>)
  return
}
