// RUN: tcgemm-opt %s -split-input-file -verify-diagnostics

// Products that the table of instructions does not have.

!tile = !tcgemm.tile<64 x 128 x i8, b128>
!ring = !tcgemm.ring<4, mbarrier, [!tile, !tile]>
// expected-error @below {{an accumulator's elements must be f32, f64, f16 or i32, but are 'i16'}}
func.func @element(%ring: !ring, %acc: !tcgemm.acc<64 x 64 of i16, wgmma>) {
  return
}

// -----

!tile = !tcgemm.tile<64 x 128 x i8, b128>
!ring = !tcgemm.ring<4, mbarrier, [!tile, !tile]>
!read = !tcgemm.token<read>
func.func @sums(%ring: !ring, %s: !tcgemm.ring_state, %r: !read, %acc: !tcgemm.acc<64 x 64, wgmma>) {
  // expected-error @below {{no wgmma multiplies}}
  %x = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %acc : !ring, !read, !tcgemm.acc<64 x 64, wgmma> -> !tcgemm.acc<64 x 64, wgmma, in_flight = true>
  return
}

// -----

!a = !tcgemm.tile<64 x 128 x i8, b128>
!b = !tcgemm.tile<40 x 128 x ui8, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !b]>
!read = !tcgemm.token<read>
func.func @columns(%ring: !ring, %s: !tcgemm.ring_state, %r: !read, %acc: !tcgemm.acc<64 x 40 of i32, wgmma>) {
  // expected-error @below {{wgmma has no product of 40 columns and depth 128 for 'i8' by 'ui8'}}
  %x = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %acc : !ring, !read, !tcgemm.acc<64 x 40 of i32, wgmma> -> !tcgemm.acc<64 x 40 of i32, wgmma, in_flight = true>
  return
}

// -----

!a = !tcgemm.tile<64 x 128 x f8E4M3FN, b128>
!b = !tcgemm.tile<128 x 64 x f8E5M2, b64>
!ring = !tcgemm.ring<4, mbarrier, [!a, !b]>
!read = !tcgemm.token<read>
func.func @transposed(%ring: !ring, %s: !tcgemm.ring_state, %r: !read, %acc: !tcgemm.acc<64 x 64, wgmma>) {
  // expected-error @below {{wgmma takes no transposed tiles of 'f8E4M3FN' and 'f8E5M2'}}
  %x = tcgemm.mma.async %ring, %s, %r tiles 0, 1 b_transposed into %acc : !ring, !read, !tcgemm.acc<64 x 64, wgmma> -> !tcgemm.acc<64 x 64, wgmma, in_flight = true>
  return
}

// -----

func.func @mixture(%a: !tcgemm.fragment<a, 16 x 32 x i8>, %b: !tcgemm.fragment<b, 16 x 32 x f8E4M3FN>, %acc: !tcgemm.acc<16 x 16 of i32, mma_sync>) {
  // expected-error @below {{no instruction multiplies}}
  %x = tcgemm.mma %a, %b, %acc : !tcgemm.fragment<a, 16 x 32 x i8>, !tcgemm.fragment<b, 16 x 32 x f8E4M3FN>, !tcgemm.acc<16 x 16 of i32, mma_sync>
  return
}

// -----

// The widest instruction of f64 has depth 16; others need their shape.
func.func @depth(%a: !tcgemm.fragment<a, 16 x 8 x f64>, %b: !tcgemm.fragment<b, 16 x 8 x f64>, %acc: !tcgemm.acc<16 x 16 of f64, mma_sync>) {
  // expected-error @below {{fragments have depth 8, but the instruction needs 16}}
  %x = tcgemm.mma %a, %b, %acc : !tcgemm.fragment<a, 16 x 8 x f64>, !tcgemm.fragment<b, 16 x 8 x f64>, !tcgemm.acc<16 x 16 of f64, mma_sync>
  return
}

// -----

// The width of tf32 in memory is 32 bits: a row of 32 elements has 128 bytes.

!a = !tcgemm.tile<64 x 32 x tf32, b128>
!b = !tcgemm.tile<64 x 32 x tf32, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !b]>
!read = !tcgemm.token<read>
func.func @transposed_tf32(%ring: !ring, %s: !tcgemm.ring_state, %r: !read, %acc: !tcgemm.acc<64 x 64, wgmma>) {
  // expected-error @below {{wgmma takes no transposed tiles of 'tf32' and 'tf32'}}
  %x = tcgemm.mma.async %ring, %s, %r tiles 0, 1 b_transposed into %acc : !ring, !read, !tcgemm.acc<64 x 64, wgmma> -> !tcgemm.acc<64 x 64, wgmma, in_flight = true>
  return
}

// -----

func.func @shape(%a: !tcgemm.fragment<a, 16 x 8 x f64>, %b: !tcgemm.fragment<b, 16 x 8 x f64>, %acc: !tcgemm.acc<16 x 16 of f64, mma_sync>) {
  // expected-error @below {{no instruction of shape array<i64: 8, 8, 8> multiplies}}
  %x = tcgemm.mma %a, %b, %acc shape [8, 8, 8] : !tcgemm.fragment<a, 16 x 8 x f64>, !tcgemm.fragment<b, 16 x 8 x f64>, !tcgemm.acc<16 x 16 of f64, mma_sync>
  return
}

// -----

!a = !tcgemm.tile<64 x 32 x tf32, b128>
!b = !tcgemm.tile<64 x 32 x f32, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !b]>
!read = !tcgemm.token<read>
func.func @precisions(%ring: !ring, %s: !tcgemm.ring_state, %r: !read, %acc: !tcgemm.acc<64 x 64, wgmma>) {
  // expected-error @below {{no wgmma multiplies}}
  %x = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %acc : !ring, !read, !tcgemm.acc<64 x 64, wgmma> -> !tcgemm.acc<64 x 64, wgmma, in_flight = true>
  return
}

// -----

// Copies by a role's threads round one element at a time.

!tile = !tcgemm.tile<64 x 32 x tf32, b128>
!ring = !tcgemm.ring<2, mbarrier, [!tile]>
!loader = !tcgemm.loader<!tile, bytes = 16, k_contiguous = true, threads = 128>
!write = !tcgemm.token<write>
func.func @outside(%ring: !ring, %loader: !loader, %at: i64, %s: !tcgemm.ring_state, %w: !write) {
  tcgemm.loader.copy %loader, %at to %ring, %s, %w tile 0 part 0 of 1 : !loader, !ring, !write
  tcgemm.role producer warps [0, 4] {
    // expected-error @below {{rounds 'tf32' in a role, which copies one element at a time, not 4}}
    tcgemm.loader.copy %loader, %at to %ring, %s, %w tile 0 part 0 of 1 : !loader, !ring, !write
  }
  return
}

// -----

func.func @opaque(%a: !tcgemm.acc<16 x 16, wmma_m16n16>) {
  // expected-error @below {{adds elements in registers, but the layout of '!tcgemm.acc<16 x 16, wmma_m16n16>' is opaque}}
  %x = tcgemm.acc.add %a, %a : !tcgemm.acc<16 x 16, wmma_m16n16>
  return
}

// -----

func.func @extend(%a: !tcgemm.acc<64 x 64 of f16, mma_sync>) {
  // expected-error @below {{converts '!tcgemm.acc<64 x 64 of f16, mma_sync>' to '!tcgemm.acc<64 x 64, wgmma>', but it must be from f16 to f32 of the same shape and layout}}
  %x = tcgemm.acc.extend %a : <64 x 64 of f16, mma_sync> -> <64 x 64, wgmma>
  return
}

// -----

func.func @scale(%a: !tcgemm.acc<64 x 64 of f16, mma_sync>) {
  // expected-error @below {{multiplies '!tcgemm.acc<64 x 64 of f16, mma_sync>', but it must be f32 and not in flight}}
  %x = tcgemm.acc.scale %a by 6 : <64 x 64 of f16, mma_sync>
  return
}

// -----

func.func @scale_in_flight(%a: !tcgemm.acc<64 x 64, wgmma, in_flight = true>) {
  // expected-error @below {{but it must be f32 and not in flight}}
  %x = tcgemm.acc.scale %a by 6 : <64 x 64, wgmma, in_flight = true>
  return
}

// -----

func.func @scale_exponent(%a: !tcgemm.acc<64 x 64, mma_sync>) {
  // expected-error @below {{exponent is 128, but powers of two of f32 have -126 to 127}}
  %x = tcgemm.acc.scale %a by 128 : <64 x 64, mma_sync>
  return
}

// -----

func.func @scale_opaque(%a: !tcgemm.acc<16 x 16, wmma_m16n16>) {
  // expected-error @below {{multiplies elements in registers, but the layout of '!tcgemm.acc<16 x 16, wmma_m16n16>' is opaque}}
  %x = tcgemm.acc.scale %a by 6 : <16 x 16, wmma_m16n16>
  return
}

// -----

func.func @layout(%a: !tcgemm.acc<64 x 64, mma_sync>, %s: !tcgemm.scales<a, 64>) {
  // expected-error @below {{scales a '!tcgemm.acc<64 x 64, mma_sync>', but scales are for f32 sums with their layout, which is wgmma}}
  %x = tcgemm.acc.add %a, %a scaled(%s : !tcgemm.scales<a, 64>) : !tcgemm.acc<64 x 64, mma_sync>
  return
}

// -----

func.func @extent(%a: !tcgemm.acc<64 x 64, wgmma>, %s: !tcgemm.scales<b, 128>) {
  // expected-error @below {{has '!tcgemm.scales<b, 128>', but the accumulator has 64 columns}}
  %x = tcgemm.acc.add %a, %a scaled(%s : !tcgemm.scales<b, 128>) : !tcgemm.acc<64 x 64, wgmma>
  return
}

// -----

func.func @twice(%a: !tcgemm.acc<64 x 64, wgmma>, %s: !tcgemm.scales<a, 64>) {
  // expected-error @below {{has scales of the same side twice: '!tcgemm.scales<a, 64>'}}
  %x = tcgemm.acc.add %a, %a scaled(%s, %s : !tcgemm.scales<a, 64>, !tcgemm.scales<a, 64>) : !tcgemm.acc<64 x 64, wgmma>
  return
}

// -----

func.func @outside() {
  // expected-error @below {{must be in the block of a consumer role}}
  %s = tcgemm.scales.create : <a, 64, 4>
  return
}

// -----

func.func @pending(%s: !tcgemm.scales_buffer<a, 64, 4>, %k: i32) {
  // expected-error @below {{leaves 4 groups pending, but the buffer has 4 slots}}
  %x = tcgemm.scales.read %s[%k] pending 4 : <a, 64, 4> -> <a, 64>
  return
}

// -----

func.func @side(%s: !tcgemm.scales_buffer<a, 64, 4>, %k: i32) {
  // expected-error @below {{reads '!tcgemm.scales<b, 64>' from '!tcgemm.scales_buffer<a, 64, 4>'}}
  %x = tcgemm.scales.read %s[%k] pending 3 : <a, 64, 4> -> <b, 64>
  return
}

// -----

// Tiles of bits count bytes: 32 bytes have a depth of 256.
!a = !tcgemm.tile<64 x 32 x ui1, b32>
!b = !tcgemm.tile<64 x 32 x i8, b32>
!ring = !tcgemm.ring<4, mbarrier, [!a, !b]>
!read = !tcgemm.token<read>
func.func @bits_by_bytes(%ring: !ring, %s: !tcgemm.ring_state, %r: !read, %acc: !tcgemm.acc<64 x 64 of i32, wgmma>) {
  // expected-error @below {{shapes do not fit}}
  %x = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %acc : !ring, !read, !tcgemm.acc<64 x 64 of i32, wgmma> -> !tcgemm.acc<64 x 64 of i32, wgmma, in_flight = true>
  return
}

// -----

!a = !tcgemm.tile<64 x 32 x ui1, b32>
!b = !tcgemm.tile<40 x 32 x ui1, b32>
!ring = !tcgemm.ring<4, mbarrier, [!a, !b]>
!read = !tcgemm.token<read>
func.func @columns_of_bits(%ring: !ring, %s: !tcgemm.ring_state, %r: !read, %acc: !tcgemm.acc<64 x 40 of i32, wgmma>) {
  // expected-error @below {{wgmma has no product of 40 columns and depth 256 for 'ui1' by 'ui1'}}
  %x = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %acc : !ring, !read, !tcgemm.acc<64 x 40 of i32, wgmma> -> !tcgemm.acc<64 x 40 of i32, wgmma, in_flight = true>
  return
}

// -----

func.func @depth_of_bits(%a: !tcgemm.fragment<a, 16 x 128 x ui1>, %b: !tcgemm.fragment<b, 16 x 128 x ui1>, %acc: !tcgemm.acc<16 x 16 of i32, mma_sync>) {
  // expected-error @below {{fragments have depth 128, but the instruction needs 256}}
  %x = tcgemm.mma %a, %b, %acc : !tcgemm.fragment<a, 16 x 128 x ui1>, !tcgemm.fragment<b, 16 x 128 x ui1>, !tcgemm.acc<16 x 16 of i32, mma_sync>
  return
}

// -----

!bytes = memref<?xi8, #gpu.address_space<global>>
func.func @loaded(%b: !bytes, %l: i64, %i: i32) {
  // expected-error @below {{loads '!tcgemm.group_values<f16, 64>' from a 'memref<?xi8, #gpu.address_space<global>>'}}
  %x = tcgemm.group_values.load %b[%l] by %l, %l from %i below %i group %i below %i : !bytes -> <f16, 64>
  return
}

// -----

func.func @rows(%v: !tcgemm.group_values<f16, 64>, %g: i32) {
  // expected-error @below {{selects '!tcgemm.scales<a, 128>' from '!tcgemm.group_values<f16, 64>', but scales are floats of the same rows, with the layout wgmma}}
  %x = tcgemm.scales.select %v[%g] : <f16, 64> -> <a, 128>
  return
}

// -----

func.func @floats(%v: !tcgemm.group_values<f16, 64>, %g: i32) {
  // expected-error @below {{but zero points are i8 of the same rows, with the layout wgmma}}
  %x = tcgemm.zero_points.select %v[%g] : <f16, 64> -> <a, 64, wgmma>
  return
}

// -----

func.func @minus(%f: !tcgemm.fragment<a, 64 x 16 x i8 for wgmma>, %z: !tcgemm.zero_points<a, 64, wgmma>) {
  // expected-error @below {{but only elements of 4 bits that become f16 or bf16 have zero points, of the same rows, with the layout wgmma}}
  %x = tcgemm.fragment.convert %f minus %z(!tcgemm.zero_points<a, 64, wgmma>)
    : <a, 64 x 16 x i8 for wgmma> -> <a, 64 x 16 x bf16 for wgmma>
  return
}

// -----

func.func @other_layout(%f: !tcgemm.fragment<a, 64 x 32 x i4 for wgmma>, %z: !tcgemm.zero_points<a, 64>) {
  // expected-error @below {{subtracts '!tcgemm.zero_points<a, 64>' from a}}
  %x = tcgemm.fragment.convert %f minus %z(!tcgemm.zero_points<a, 64>)
    : <a, 64 x 32 x i4 for wgmma> -> <a, 64 x 32 x bf16 for wgmma>
  return
}

// -----

func.func @fp8(%f: !tcgemm.fragment<a, 64 x 32 x i4 for wgmma>, %z: !tcgemm.zero_points<a, 64, wgmma>) {
  // expected-error @below {{but only elements of 4 bits that become f16 or bf16 have zero points}}
  %x = tcgemm.fragment.convert %f minus %z(!tcgemm.zero_points<a, 64, wgmma>)
    : <a, 64 x 32 x i4 for wgmma> -> <a, 64 x 32 x f8E4M3FN for wgmma>
  return
}
