// RUN: tcgemm-opt %s -split-input-file -verify-diagnostics

func.func @bytes(%a: !tcgemm.fragment<a, 64 x 32 x i8>) {
  // expected-error@+1 {{has elements of type 'i8', but they must be f16, bf16, f32, f64 or i32}}
  %0 = tcgemm.fragment.map %a {
  ^bb0(%x: i8):
    tcgemm.yield %x : i8
  } : <a, 64 x 32 x i8>
  return
}

// -----

func.func @opaque(%a: !tcgemm.fragment<a, 64 x 16 x f16 for wmma_m16n16>) {
  // expected-error@+1 {{whose registers have no defined elements}}
  %0 = tcgemm.fragment.map %a {
  ^bb0(%x: f16):
    tcgemm.yield %x : f16
  } : <a, 64 x 16 x f16 for wmma_m16n16>
  return
}

// -----

func.func @cut(%a: !tcgemm.fragment<a, 64 x 16 x f16 for wgmma>, %left: i32) {
  // expected-error@+1 {{cannot replace elements of a '!tcgemm.fragment<a, 64 x 16 x f16 for wgmma>' by zeros}}
  %0 = tcgemm.fragment.map %a valid %left {
  ^bb0(%x: f16):
    tcgemm.yield %x : f16
  } : <a, 64 x 16 x f16 for wgmma>
  return
}

// -----

func.func @type(%a: !tcgemm.fragment<a, 64 x 16 x f16>) {
  // expected-error@+1 {{the body must end with a tcgemm.yield of one value of type 'f16'}}
  %0 = tcgemm.fragment.map %a {
  ^bb0(%x: f16):
    %y = arith.extf %x : f16 to f32
    tcgemm.yield %y : f32
  } : <a, 64 x 16 x f16>
  return
}

// -----

func.func @arguments(%a: !tcgemm.fragment<a, 64 x 16 x f16>, %s: f32) {
  // expected-error@+1 {{the body must have arguments of the types ('f16', 'f32')}}
  %0 = tcgemm.fragment.map %a scalars(%s : f32) {
  ^bb0(%x: f16):
    tcgemm.yield %x : f16
  } : <a, 64 x 16 x f16>
  return
}

// -----

func.func @impure(%a: !tcgemm.fragment<a, 64 x 16 x f16>, %m: memref<f16>) {
  // expected-error@+1 {{the body has 'memref.load', which is not scalar arith or math}}
  %0 = tcgemm.fragment.map %a {
  ^bb0(%x: f16):
    %y = memref.load %m[] : memref<f16>
    tcgemm.yield %y : f16
  } : <a, 64 x 16 x f16>
  return
}
