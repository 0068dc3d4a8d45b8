// RUN: tcgemm-opt %s -split-input-file -verify-diagnostics

!global = memref<?xf16, #gpu.address_space<global>>
!a = !tcgemm.fragment<a, 32 x 16 x f16>
func.func @layout(%x: !global, %i: i32, %k: i64) {
  // expected-error @below {{loads wmma fragments and those of a thread, but not a '!tcgemm.fragment<a, 32 x 16 x f16>'}}
  %a = tcgemm.fragment.fetch %x[%k] stride %k at %i of %i : !global -> !a
  return
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>
!a = !tcgemm.fragment<a, 32 x 16 x f16 for wmma_m16n16>
func.func @element(%x: !global, %i: i32, %k: i64) {
  // expected-error @below {{loads a '!tcgemm.fragment<a, 32 x 16 x f16 for wmma_m16n16>' from a 'memref<?xf32, #gpu.address_space<global>>'}}
  %a = tcgemm.fragment.fetch %x[%k] stride %k at %i of %i : !global -> !a
  return
}

// -----

!global = memref<?xf16, #gpu.address_space<global>>
!a = !tcgemm.fragment<a, 16 x 16 x f16 for wmma_m32n8>
func.func @rows(%x: !global, %i: i32, %k: i64) {
  // expected-error @below {{needs elements that wmma multiplies, a depth of 16 and a multiple of 32 rows, but has a '!tcgemm.fragment<a, 16 x 16 x f16 for wmma_m32n8>'}}
  %a = tcgemm.fragment.fetch %x[%k] stride %k at %i of %i : !global -> !a
  return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
!b = !tcgemm.fragment<b, 32 x 16 x bf16 for wmma_m8n32>
func.func @type(%x: !global, %i: i32, %k: i64) {
  // expected-error @below {{needs elements that wmma multiplies, a depth of 16 and a multiple of 32 rows, but has a '!tcgemm.fragment<b, 32 x 16 x bf16 for wmma_m8n32>'}}
  %b = tcgemm.fragment.fetch %x[%k] stride %k at %i of %i : !global -> !b
  return
}

// -----

!a = !tcgemm.fragment<a, 16 x 16 x f16 for wmma_m16n16>
!b = !tcgemm.fragment<b, 16 x 16 x f16>
!acc = !tcgemm.acc<16 x 16, wmma_m16n16>
func.func @mixed(%a: !a, %b: !b, %acc: !acc) {
  // expected-error @below {{layouts do not fit: '!tcgemm.fragment<a, 16 x 16 x f16 for wmma_m16n16>' by '!tcgemm.fragment<b, 16 x 16 x f16>' into '!tcgemm.acc<16 x 16, wmma_m16n16>'}}
  %sum = tcgemm.mma %a, %b, %acc : !a, !b, !acc
  return
}

// -----

!a = !tcgemm.fragment<a, 16 x 16 x f16 for wmma_m8n32>
!b = !tcgemm.fragment<b, 16 x 16 x f16 for wmma_m8n32>
!acc = !tcgemm.acc<16 x 16, wmma_m8n32>
func.func @columns(%a: !a, %b: !b, %acc: !acc) {
  // expected-error @below {{needs elements that wmma multiplies, a depth of 16 and a multiple of 32 rows, but has a '!tcgemm.fragment<b, 16 x 16 x f16 for wmma_m8n32>'}}
  %sum = tcgemm.mma %a, %b, %acc : !a, !b, !acc
  return
}

// -----

func.func @part() {
  // expected-error @below {{makes a '!tcgemm.acc<32 x 12, wmma_m32n8>', but it must be one of whole 32 x 8 matrices}}
  %acc = tcgemm.acc.zero : !tcgemm.acc<32 x 12, wmma_m32n8>
  return
}

// -----

// The instruction knows no swizzles.

!tile = !tcgemm.tile<64 x 16 x f16, xor>
!ring = !tcgemm.ring<2, cp_async, [!tile]>
!a = !tcgemm.fragment<a, 32 x 16 x f16 for wmma_m16n16>
func.func @swizzled(%ring: !ring, %s: !tcgemm.ring_state, %r: !tcgemm.token<read>, %w: i32) {
  // expected-error @below {{cannot read a '!tcgemm.fragment<a, 32 x 16 x f16 for wmma_m16n16>' from a '!tcgemm.tile<64 x 16 x f16, xor>'}}
  %a = tcgemm.fragment.load %ring, %s, %r warp %w tile 0 k_step 0 transposed false : !ring, !tcgemm.token<read> -> !a
  return
}

// -----

!acc = !tcgemm.acc<32 x 32, mma_sync>
func.func @stage(%acc: !acc, %i: i32) {
  // expected-error @below {{writes accumulators of wmma, but not a '!tcgemm.acc<32 x 32, mma_sync>'}}
  tcgemm.acc.stage %acc at (%i, %i) of 64 pitch 72 : !acc
  return
}

// -----

!acc = !tcgemm.acc<32 x 32, wmma_m16n16>
func.func @pitch(%acc: !acc, %i: i32) {
  // expected-error @below {{has a tile of 64 rows with a pitch of 68 for a '!tcgemm.acc<32 x 32, wmma_m16n16>': both must hold it and be at most 65536, the pitch a multiple of 8}}
  tcgemm.acc.stage %acc at (%i, %i) of 64 pitch 68 : !acc
  return
}

// -----

!acc = !tcgemm.acc<32 x 32, wmma_m16n16>
func.func @small(%acc: !acc, %i: i32) {
  // expected-error @below {{has a tile of 16 rows with a pitch of 72}}
  tcgemm.acc.stage %acc at (%i, %i) of 16 pitch 72 : !acc
  return
}

// -----

!row = !tcgemm.acc<1 x 3, row>
func.func @segment(%i: i32) {
  // expected-error @below {{reads 1, 2 or 4 columns of a row, but not a '!tcgemm.acc<1 x 3, row>'}}
  %row = tcgemm.acc.unstage (%i, %i) of 64 pitch 72 : !row
  return
}

// -----

// The tile takes the ring's place.

!tile = !tcgemm.tile<64 x 16 x f16, none>
!ring = !tcgemm.ring<2, cp_async, [!tile]>
!acc = !tcgemm.acc<32 x 32, wmma_m16n16>
gpu.module @module {
  tcgemm.program @busy(%i: i32) attributes {threads = 128 : i64, chip = "sm_80"} {
    %ring = tcgemm.ring.create : !ring
    %s = tcgemm.ring.start %ring : !ring
    %w = tcgemm.ring.acquire %ring, %s : !ring -> !tcgemm.token<write>
    %acc = tcgemm.acc.zero : !acc
    // expected-error @below {{needs the ring's memory, but a stage of it is in use}}
    tcgemm.acc.stage %acc at (%i, %i) of 64 pitch 72 : !acc
    %g = tcgemm.ring.commit %ring, %w : !ring, !tcgemm.token<write> -> !tcgemm.token<in_flight>
    tcgemm.ring.drain %ring, %g : !ring, !tcgemm.token<in_flight>
    tcgemm.return
  }
}

// -----

!acc = !tcgemm.acc<32 x 32, wmma_m16n16>
gpu.module @module {
  // expected-error @below {{too much shared memory: uses 270336 bytes of shared memory; the limit of sm_90 is 232448}}
  tcgemm.program @large(%i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
    %acc = tcgemm.acc.zero : !acc
    tcgemm.acc.stage %acc at (%i, %i) of 256 pitch 264 : !acc
    tcgemm.return
  }
}

// -----

!acc = !tcgemm.acc<16 x 16, wmma_m16n16>
!global = memref<?xf32, #gpu.address_space<global>>
gpu.module @module {
  tcgemm.program @share(%out: !global, %i: i32, %ld: i64) attributes {threads = 64 : i64, chip = "sm_80"} {
    %acc = tcgemm.acc.zero : !acc
    // expected-error @below {{stages 1024 bytes of a '!tcgemm.acc<16 x 16, wmma_m16n16>', but each warp needs a matrix of one instruction in rows of a multiple of 8 elements}}
    tcgemm.epilogue %acc at(%i, %i, %i) of(%i, %i) outputs(%out : !global) strides(%ld) dims ["mn"] arguments [] guards [] staging 1024 {
    ^bb0(%x: f32):
      tcgemm.yield %x : f32
    } : !acc
    tcgemm.return
  }
}

// -----

// No instruction of this shape multiplies tf32, and none of the other f16.

!global = memref<?xf32, #gpu.address_space<global>>
!a = !tcgemm.fragment<a, 32 x 8 x tf32 for wmma_m16n16>
func.func @depth(%x: !global, %i: i32, %k: i64) {
  // expected-error @below {{needs elements that wmma multiplies, a depth of 16 and a multiple of 16 rows, but has a '!tcgemm.fragment<a, 32 x 8 x tf32 for wmma_m16n16>'}}
  %a = tcgemm.fragment.fetch %x[%k] stride %k at %i of %i : !global -> !a
  return
}

// -----

!global = memref<?xf16, #gpu.address_space<global>>
!a = !tcgemm.fragment<a, 32 x 8 x f16 for wmma_m16n16k8>
func.func @halves(%x: !global, %i: i32, %k: i64) {
  // expected-error @below {{needs elements that wmma multiplies, a depth of 8 and a multiple of 16 rows}}
  %a = tcgemm.fragment.fetch %x[%k] stride %k at %i of %i : !global -> !a
  return
}

// -----

// Both operands of integers have the same sign.

!a = !tcgemm.fragment<a, 16 x 16 x i8 for wmma_m16n16>
!b = !tcgemm.fragment<b, 16 x 16 x ui8 for wmma_m16n16>
!acc = !tcgemm.acc<16 x 16 of i32, wmma_m16n16>
func.func @signs(%a: !a, %b: !b, %acc: !acc) {
  // expected-error @below {{no instruction multiplies}}
  %sum = tcgemm.mma %a, %b, %acc : !a, !b, !acc
  return
}

// -----

!acc = !tcgemm.acc<16 x 16 of f16, wmma_m16n16>
func.func @extend(%acc: !acc) {
  // expected-error @below {{converts elements in registers, but the layout of '!tcgemm.acc<16 x 16 of f16, wmma_m16n16>' is opaque}}
  %wide = tcgemm.acc.extend %acc : !acc -> !tcgemm.acc<16 x 16, wmma_m16n16>
  return
}

// -----

!acc = !tcgemm.acc<16 x 16 of i32, wmma_m16n16>
!global = memref<?xf32, #gpu.address_space<global>>
gpu.module @module {
  tcgemm.program @body(%out: !global, %i: i32, %ld: i64) attributes {threads = 64 : i64, chip = "sm_80"} {
    %acc = tcgemm.acc.zero : !acc
    // expected-error @below {{evaluates a body of 'f32' for a '!tcgemm.acc<16 x 16 of i32, wmma_m16n16>'}}
    tcgemm.epilogue %acc at(%i, %i, %i) of(%i, %i) outputs(%out : !global) strides(%ld) dims ["mn"] arguments [] guards [] staging 3072 {
    ^bb0(%x: f32):
      tcgemm.yield %x : f32
    } : !acc
    tcgemm.return
  }
}

// -----

!acc = !tcgemm.acc<16 x 16, wmma_m16n16>
!global = memref<?xf32, #gpu.address_space<global>>
gpu.module @module {
  tcgemm.program @arguments(%out: !global, %i: i32, %ld: i64) attributes {threads = 64 : i64, chip = "sm_80"} {
    %acc = tcgemm.acc.zero : !acc
    // expected-error @below {{evaluates a body without arguments for a '!tcgemm.acc<16 x 16, wmma_m16n16>'}}
    tcgemm.epilogue %acc at(%i, %i, %i) of(%i, %i) outputs(%out : !global) strides(%ld) dims ["mn"] arguments [] guards [] staging 3072 {
      %zero = arith.constant 0.0 : f32
      tcgemm.yield %zero : f32
    } : !acc
    tcgemm.return
  }
}

// -----

!acc = !tcgemm.acc<16 x 16, wmma_m16n16>
!global = memref<?xf32, #gpu.address_space<global>>
gpu.module @module {
  tcgemm.program @outer(%out: !global, %i: i32, %ld: i64) attributes {threads = 64 : i64, chip = "sm_80"} {
    %acc = tcgemm.acc.zero : !acc
    // expected-error @below {{has a buffer with the dims bdmn, but coordinates of m, n, bc only}}
    tcgemm.epilogue %acc at(%i, %i, %i) outer(%i) of(%i, %i) outputs(%out : !global) strides(%ld, %ld, %ld) dims ["bdmn"] arguments [] guards [] staging 3072 {
    ^bb0(%x: f32):
      tcgemm.yield %x : f32
    } : !acc
    tcgemm.return
  }
}

// -----

!global = memref<?xi8, #gpu.address_space<global>>
!a = !tcgemm.fragment<a, 2 x 16 x i8, runs = [1, 16]>
func.func @words_across_k(%x: !global, %i: i32, %k: i64) {
  // expected-error @below {{cannot load a '!tcgemm.fragment<a, 2 x 16 x i8, runs = [1, 16]>' where k is not contiguous}}
  %a = tcgemm.fragment.fetch %x[%k] stride %k at %i of %i transposed : !global -> !a
  return
}

// -----

!global = memref<?xf64, #gpu.address_space<global>>
!a = !tcgemm.fragment<a, 8 x 1 x f32, runs = [4, 64]>
func.func @element_of_thread(%x: !global, %i: i32, %k: i64) {
  // expected-error @below {{loads a '!tcgemm.fragment<a, 8 x 1 x f32, runs = [4, 64]>' from a 'memref<?xf64, #gpu.address_space<global>>'}}
  %a = tcgemm.fragment.fetch %x[%k] stride %k at %i of %i : !global -> !a
  return
}

// -----

// Bits have one instruction.

!global = memref<?xi8, #gpu.address_space<global>>
!a = !tcgemm.fragment<a, 8 x 64 x ui1 for wmma_m8n8k128>
func.func @bits(%x: !global, %i: i32, %k: i64) {
  // expected-error @below {{needs elements that wmma multiplies, a depth of 128 and a multiple of 8 rows, but has a '!tcgemm.fragment<a, 8 x 64 x ui1 for wmma_m8n8k128>'}}
  %a = tcgemm.fragment.fetch %x[%k] stride %k at %i of %i : !global -> !a
  return
}

// -----

!global = memref<?xi8, #gpu.address_space<global>>
!a = !tcgemm.fragment<a, 16 x 16 x ui1 for wmma_m16n16>
func.func @bits_of_bytes(%x: !global, %i: i32, %k: i64) {
  // expected-error @below {{needs elements that wmma multiplies, a depth of 16}}
  %a = tcgemm.fragment.fetch %x[%k] stride %k at %i of %i : !global -> !a
  return
}
