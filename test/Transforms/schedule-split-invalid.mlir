// RUN: tcgemm-opt %s -tcgemm-raise=remarks=false -tcgemm-configure="chip=sm_90a" -split-input-file -verify-diagnostics

func.func @producer(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
  // expected-error @below {{producer = cp_async, but operands of type bf16x6 are always packed: it must be tma}}
  linalg.matmul {tcgemm.precision = "bf16x6", tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 192], warps = [4, 1, 1], instruction = [64, 64, 16], producer = cp_async>}
    ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>)
  return
}

// -----

func.func @depth(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
  // expected-error @below {{cta K = 64, but with schedule wgmma and operands of type bf16x6 it must be 192 or 384: products of parts count}}
  linalg.matmul {tcgemm.precision = "bf16x6", tcgemm.config = #tcgemm.config<schedule = wgmma, cta = [64, 64, 64], warps = [4, 1, 1], instruction = [64, 64, 16]>}
    ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>)
  return
}

// -----

func.func @unaligned(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
  // expected-error @below {{unaligned = copy_8, but operands of type tf32x3 are always packed: it must be pack}}
  linalg.matmul {tcgemm.precision = "tf32x3", tcgemm.config = #tcgemm.config<cta = [64, 64, 32], warps = [2, 2, 1], unaligned = copy_8>}
    ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>)
  return
}

// -----

func.func @simt(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
  // expected-error @below {{bf16x3}}
  linalg.matmul {tcgemm.precision = "bf16x3", tcgemm.config = #tcgemm.config<schedule = simt>}
    ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%c : memref<64x64xf32>)
  return
}

// -----

// expected-error@+2 {{failed to parse OperandAttr}}
// expected-error@+1 {{'bf16x4' is no type of operands with a precision}}
module attributes {test.o = #tcgemm.operand<a, !tcgemm.precision<bf16x4>, "mk">} {}

// -----

// expected-error@+2 {{failed to parse OperandAttr}}
// expected-error@+1 {{'i4' is no type of interleaved operands}}
module attributes {test.o = #tcgemm.operand<b, !tcgemm.interleaved<i4>, "nk">} {}
