// RUN: tcgemm-opt %s -split-input-file -verify-diagnostics

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32) {
  // expected-error @below {{arrivals must be 1 to 1048575, but are 0}}
  tcgemm.ring.create empty_arrivals 0 : !ring
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32) {
  // expected-error @below {{must start at 0 or later, but starts at -1}}
  %x = tcgemm.ring.start %ring at -1 : !ring
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32) {
  // expected-error @below {{needs a token of kind write, but got read}}
  %x = tcgemm.ring.acquire %ring, %s : !ring -> !read
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32) {
  // expected-error @below {{needs a token of kind in_flight, but got read}}
  tcgemm.ring.commit %ring, %w : !ring, !write -> !read
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32) {
  // expected-error @below {{gives an in_flight token in a cp_async ring}}
  tcgemm.ring.commit %cp, %w : !cp, !write
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32) {
  // expected-error @below {{needs a token of kind in_flight, but got read}}
  %x = tcgemm.ring.commit %cp, %w : !cp, !write -> !read
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32) {
  // expected-error @below {{needs a token of kind write, but got read}}
  tcgemm.ring.commit %ring, %r : !ring, !read
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32) {
  // expected-error @below {{takes an in_flight token in a cp_async ring, and only there}}
  %x = tcgemm.ring.wait %cp, %s : !cp -> !read
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32) {
  // expected-error @below {{takes an in_flight token in a cp_async ring, and only there}}
  %x = tcgemm.ring.wait %ring, %s, %g : !group : !ring -> !read
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32) {
  // expected-error @below {{pending must be 0 in an mbarrier ring, but is 1}}
  %x = tcgemm.ring.wait %ring, %s pending 1 : !ring -> !read
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32) {
  // expected-error @below {{pending must be at least 0, but is -1}}
  %x = tcgemm.ring.wait %cp, %s, %g : !group pending -1 : !cp -> !read
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32) {
  // expected-error @below {{needs a token of kind read, but got write}}
  tcgemm.ring.release %ring, %w : !ring, !write
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32) {
  // expected-error @below {{arrivals must be 1 to 1048575, but are 0}}
  tcgemm.ring.release %ring, %r arrivals 0 : !ring, !read
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32) {
  // expected-error @below {{is for cp_async rings}}
  tcgemm.ring.drain %ring, %r : !ring, !read
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32) {
  // expected-error @below {{turn must be 0 to 7, but is 8}}
  tcgemm.order.wait turn 8 threads 256
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32) {
  // expected-error @below {{threads must be a multiple of 32 from 64 to 1024, but are 100}}
  tcgemm.order.arrive turn 0 threads 100
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32,
             %map: !tcgemm.tensor_map<!a>) {
  // expected-error @below {{names tile 2, but a stage has 2}}
  tcgemm.tma.load %map[%i, %i] to %ring, %s, %w tile 2 : !tcgemm.tensor_map<!a>, !ring, !write
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32,
             %map: !tcgemm.tensor_map<!a>) {
  // expected-error @below {{needs 2 to 5 coordinates, but has 1}}
  tcgemm.tma.load %map[%i] to %ring, %s, %w tile 0 : !tcgemm.tensor_map<!a>, !ring, !write
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32,
             %map: !tcgemm.tensor_map<!a>) {
  // expected-error @below {{needs an mbarrier ring}}
  tcgemm.tma.load %map[%i, %i] to %cp, %s, %w tile 0 : !tcgemm.tensor_map<!a>, !cp, !write
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32,
             %map: !tcgemm.tensor_map<<48 x 64 x bf16, b128>>) {
  // expected-error @below {{copies boxes of '!tcgemm.tile<48 x 64 x bf16, b128>' into a '!tcgemm.tile<64 x 64 x bf16, b128>'}}
  tcgemm.tma.load %map[%i, %i] to %ring, %s, %w tile 0 : !tcgemm.tensor_map<<48 x 64 x bf16, b128>>, !ring, !write
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32,
             %map: !tcgemm.acc<64 x 64, wgmma>) {
  // expected-error @below {{result must be in flight}}
  %x = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %map : !ring, !read, !tcgemm.acc<64 x 64, wgmma> -> !tcgemm.acc<64 x 64, wgmma>
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32,
             %map: !tcgemm.acc<64 x 128, wgmma>) {
  // expected-error @below {{shapes do not fit}}
  %x = tcgemm.mma.async %ring, %s, %r tiles 0, 1 into %map : !ring, !read, !tcgemm.acc<64 x 128, wgmma> -> !tcgemm.acc<64 x 128, wgmma, in_flight = true>
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32,
             %map: !tcgemm.acc<64 x 64, wgmma>) {
  // expected-error @below {{waits for an accumulator that is not in flight}}
  %x = tcgemm.mma.await %map : !tcgemm.acc<64 x 64, wgmma> -> !tcgemm.acc<64 x 64, wgmma>
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32,
             %map: !tcgemm.acc<64 x 64, wgmma, in_flight = true>) {
  // expected-error @below {{result is in flight exactly if pending is not 0}}
  %x = tcgemm.mma.await %map pending 1 : !tcgemm.acc<64 x 64, wgmma, in_flight = true> -> !tcgemm.acc<64 x 64, wgmma>
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32,
             %map: !tcgemm.acc<64 x 64, wgmma>, %c: !tcgemm.tensor_map<!a>) {
  // expected-error @below {{buffers must be 1 to 64, but are 0}}
  tcgemm.tma.store %map to %c[%i, %i] buffers 0 : !tcgemm.acc<64 x 64, wgmma>, !tcgemm.tensor_map<!a>
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %r: !read, %i: i32,
             %map: !tcgemm.acc<64 x 64, mma_sync>, %c: !tcgemm.tensor_map<!a>) {
  // expected-error @below {{stores a}}
  tcgemm.tma.store %map to %c[%i, %i] buffers 1 : !tcgemm.acc<64 x 64, mma_sync>, !tcgemm.tensor_map<!a>
  return
}

// -----

!tile = !tcgemm.tile<64 x 64 x bf16, sectors>
!ring = !tcgemm.ring<4, cp_async, [!tile, <64 x 64 x bf16, xor>]>
!loader = !tcgemm.loader<!tile, bytes = 16, k_contiguous = true, threads = 128>
!across = !tcgemm.loader<!tile, bytes = 16, k_contiguous = false, threads = 128>
!plain = !tcgemm.loader<<64 x 64 x bf16, xor>, bytes = 16, k_contiguous = true, threads = 128>
!other = !tcgemm.loader<<32 x 64 x bf16, sectors>, bytes = 16, k_contiguous = true, threads = 128>
!read = !tcgemm.token<read>
!frag = !tcgemm.fragment<a, 32 x 16 x bf16>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %s: !state, %r: !read, %i: i32, %stride: i64, %p: memref<?xbf16>, %l: !loader, %o: !other) {
  // expected-error @below {{with sectors needs a phase}}
  %x = tcgemm.loader.create %p stride %stride at %i of %i : memref<?xbf16> -> !loader
  return
}

// -----

!tile = !tcgemm.tile<64 x 64 x bf16, sectors>
!ring = !tcgemm.ring<4, cp_async, [!tile, <64 x 64 x bf16, xor>]>
!loader = !tcgemm.loader<!tile, bytes = 16, k_contiguous = true, threads = 128>
!across = !tcgemm.loader<!tile, bytes = 16, k_contiguous = false, threads = 128>
!plain = !tcgemm.loader<<64 x 64 x bf16, xor>, bytes = 16, k_contiguous = true, threads = 128>
!other = !tcgemm.loader<<32 x 64 x bf16, sectors>, bytes = 16, k_contiguous = true, threads = 128>
!read = !tcgemm.token<read>
!frag = !tcgemm.fragment<a, 32 x 16 x bf16>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %s: !state, %r: !read, %i: i32, %stride: i64, %p: memref<?xbf16>, %l: !loader, %o: !other) {
  // expected-error @below {{without sectors has a phase}}
  %x = tcgemm.loader.create %p stride %stride at %i of %i phase %stride : memref<?xbf16> -> !plain
  return
}

// -----

!tile = !tcgemm.tile<64 x 64 x bf16, sectors>
!ring = !tcgemm.ring<4, cp_async, [!tile, <64 x 64 x bf16, xor>]>
!loader = !tcgemm.loader<!tile, bytes = 16, k_contiguous = true, threads = 128>
!across = !tcgemm.loader<!tile, bytes = 16, k_contiguous = false, threads = 128>
!plain = !tcgemm.loader<<64 x 64 x bf16, xor>, bytes = 16, k_contiguous = true, threads = 128>
!other = !tcgemm.loader<<32 x 64 x bf16, sectors>, bytes = 16, k_contiguous = true, threads = 128>
!read = !tcgemm.token<read>
!frag = !tcgemm.fragment<a, 32 x 16 x bf16>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %s: !state, %r: !read, %i: i32, %stride: i64, %p: memref<?xbf16>, %l: !loader, %o: !other) {
  // expected-error @below {{with sectors needs rows along k}}
  %x = tcgemm.loader.create %p stride %stride at %i of %i phase %stride : memref<?xbf16> -> !across
  return
}

// -----

!tile = !tcgemm.tile<64 x 64 x bf16, sectors>
!ring = !tcgemm.ring<4, cp_async, [!tile, <64 x 64 x bf16, xor>]>
!loader = !tcgemm.loader<!tile, bytes = 16, k_contiguous = true, threads = 128>
!across = !tcgemm.loader<!tile, bytes = 16, k_contiguous = false, threads = 128>
!plain = !tcgemm.loader<<64 x 64 x bf16, xor>, bytes = 16, k_contiguous = true, threads = 128>
!other = !tcgemm.loader<<32 x 64 x bf16, sectors>, bytes = 16, k_contiguous = true, threads = 128>
!read = !tcgemm.token<read>
!frag = !tcgemm.fragment<a, 32 x 16 x bf16>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %s: !state, %r: !read, %i: i32, %stride: i64, %p: memref<?xbf16>, %l: !loader, %o: !other) {
  // expected-error @below {{needs the loader of a tile with sectors}}
  %x = tcgemm.fragment.load %ring, %s, %r warp %i tile 0 k_step 0 transposed false : !ring, !read -> !frag
  return
}

// -----

!tile = !tcgemm.tile<64 x 64 x bf16, sectors>
!ring = !tcgemm.ring<4, cp_async, [!tile, <64 x 64 x bf16, xor>]>
!loader = !tcgemm.loader<!tile, bytes = 16, k_contiguous = true, threads = 128>
!across = !tcgemm.loader<!tile, bytes = 16, k_contiguous = false, threads = 128>
!plain = !tcgemm.loader<<64 x 64 x bf16, xor>, bytes = 16, k_contiguous = true, threads = 128>
!other = !tcgemm.loader<<32 x 64 x bf16, sectors>, bytes = 16, k_contiguous = true, threads = 128>
!read = !tcgemm.token<read>
!frag = !tcgemm.fragment<a, 32 x 16 x bf16>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %s: !state, %r: !read, %i: i32, %stride: i64, %p: memref<?xbf16>, %l: !loader, %o: !other) {
  // expected-error @below {{has a loader, but no tile with sectors}}
  %x = tcgemm.fragment.load %ring, %s, %r warp %i tile 1 k_step 0 transposed false from %l(!loader) : !ring, !read -> !frag
  return
}

// -----

!tile = !tcgemm.tile<64 x 64 x bf16, sectors>
!ring = !tcgemm.ring<4, cp_async, [!tile, <64 x 64 x bf16, xor>]>
!loader = !tcgemm.loader<!tile, bytes = 16, k_contiguous = true, threads = 128>
!across = !tcgemm.loader<!tile, bytes = 16, k_contiguous = false, threads = 128>
!plain = !tcgemm.loader<<64 x 64 x bf16, xor>, bytes = 16, k_contiguous = true, threads = 128>
!other = !tcgemm.loader<<32 x 64 x bf16, sectors>, bytes = 16, k_contiguous = true, threads = 128>
!read = !tcgemm.token<read>
!frag = !tcgemm.fragment<a, 32 x 16 x bf16>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %s: !state, %r: !read, %i: i32, %stride: i64, %p: memref<?xbf16>, %l: !loader, %o: !other) {
  // expected-error @below {{reads a '!tcgemm.tile<64 x 64 x bf16, sectors>' with the loader of a '!tcgemm.tile<32 x 64 x bf16, sectors>'}}
  %x = tcgemm.fragment.load %ring, %s, %r warp %i tile 0 k_step 0 transposed false from %o(!other) : !ring, !read -> !frag
  return
}

// -----

!tile = !tcgemm.tile<64 x 64 x bf16, sectors>
!ring = !tcgemm.ring<4, cp_async, [!tile, <64 x 64 x bf16, xor>]>
!loader = !tcgemm.loader<!tile, bytes = 16, k_contiguous = true, threads = 128>
!across = !tcgemm.loader<!tile, bytes = 16, k_contiguous = false, threads = 128>
!plain = !tcgemm.loader<<64 x 64 x bf16, xor>, bytes = 16, k_contiguous = true, threads = 128>
!other = !tcgemm.loader<<32 x 64 x bf16, sectors>, bytes = 16, k_contiguous = true, threads = 128>
!read = !tcgemm.token<read>
!frag = !tcgemm.fragment<a, 32 x 16 x bf16>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %s: !state, %r: !read, %i: i32, %stride: i64, %p: memref<?xbf16>, %l: !loader, %o: !other) {
  // expected-error @below {{cannot transpose a tile with sectors}}
  %x = tcgemm.fragment.load %ring, %s, %r warp %i tile 0 k_step 0 transposed true from %l(!loader) : !ring, !read -> !frag
  return
}

// -----

func.func @f(%input: memref<?xbf16, #gpu.address_space<global>>, %i: i32, %stride: i64) {
  // expected-error @below {{must be in a program, and in one of its roles}}
  tcgemm.prefetch %input at(%i, %i, %i) of(%i, %i) strides(%stride) dims "mn" size 64 64 : memref<?xbf16, #gpu.address_space<global>>
  return
}

// -----

tcgemm.program @p(%input: memref<?xbf16, #gpu.address_space<global>>, %i: i32, %stride: i64) attributes {threads = 128 : i64, chip = "sm_90a"} {
  // expected-error @below {{must be in a program, and in one of its roles}}
  tcgemm.prefetch %input at(%i, %i, %i) of(%i, %i) strides(%stride) dims "mn" size 64 64 : memref<?xbf16, #gpu.address_space<global>>
  tcgemm.role consumer warps [0, 4] {
  }
  tcgemm.return
}

// -----

tcgemm.program @p(%input: memref<?xbf16, #gpu.address_space<global>>, %i: i32, %stride: i64) attributes {threads = 128 : i64, chip = "sm_90a"} {
  tcgemm.role consumer warps [0, 4] {
    // expected-error @below {{size must be positive, but is 0 x 64}}
    tcgemm.prefetch %input at(%i, %i, %i) of(%i, %i) strides(%stride) dims "mn" size 0 64 : memref<?xbf16, #gpu.address_space<global>>
  }
  tcgemm.return
}

// -----

tcgemm.program @p(%input: memref<?xbf16, #gpu.address_space<global>>, %i: i32, %stride: i64) attributes {threads = 128 : i64, chip = "sm_90a"} {
  tcgemm.role consumer warps [0, 4] {
    // expected-error @below {{has 1 strides and the dims "bmn", but needs m or n innermost and a stride for each other}}
    tcgemm.prefetch %input at(%i, %i, %i) of(%i, %i) strides(%stride) dims "bmn" size 64 64 : memref<?xbf16, #gpu.address_space<global>>
  }
  tcgemm.return
}

// -----

tcgemm.program @p(%input: memref<?xbf16, #gpu.address_space<global>>, %i: i32) attributes {threads = 128 : i64, chip = "sm_90a"} {
  tcgemm.role consumer warps [0, 4] {
    // expected-error @below {{has 0 strides and the dims "b", but needs m or n innermost and}}
    tcgemm.prefetch %input at(%i, %i, %i) of(%i, %i) strides() dims "b" size 64 64 : memref<?xbf16, #gpu.address_space<global>>
  }
  tcgemm.return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!box = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!rows = !tcgemm.loader<!box, bytes = 8, k_contiguous = true, threads = 128>
!stack = !tcgemm.loader<!box, bytes = 8, k_contiguous = false, threads = 128>
!odd = !tcgemm.loader<<48 x 64 x bf16, b128>, bytes = 8, k_contiguous = false, threads = 128>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %at: i64,
             %rows: !rows, %stack: !stack, %odd: !odd) {
  // expected-error @below {{is for mbarrier rings}}
  tcgemm.ring.empty_group %cp : !cp -> !group
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!box = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!rows = !tcgemm.loader<!box, bytes = 8, k_contiguous = true, threads = 128>
!stack = !tcgemm.loader<!box, bytes = 8, k_contiguous = false, threads = 128>
!odd = !tcgemm.loader<<48 x 64 x bf16, b128>, bytes = 8, k_contiguous = false, threads = 128>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %at: i64,
             %rows: !rows, %stack: !stack, %odd: !odd) {
  // expected-error @below {{needs a token of kind in_flight, but got write}}
  tcgemm.ring.empty_group %ring : !ring -> !write
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!box = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!rows = !tcgemm.loader<!box, bytes = 8, k_contiguous = true, threads = 128>
!stack = !tcgemm.loader<!box, bytes = 8, k_contiguous = false, threads = 128>
!odd = !tcgemm.loader<<48 x 64 x bf16, b128>, bytes = 8, k_contiguous = false, threads = 128>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %at: i64,
             %rows: !rows, %stack: !stack, %odd: !odd) {
  // expected-error @below {{is for mbarrier rings}}
  tcgemm.ring.publish %cp, %g : !cp, !group
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!box = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!rows = !tcgemm.loader<!box, bytes = 8, k_contiguous = true, threads = 128>
!stack = !tcgemm.loader<!box, bytes = 8, k_contiguous = false, threads = 128>
!odd = !tcgemm.loader<<48 x 64 x bf16, b128>, bytes = 8, k_contiguous = false, threads = 128>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %at: i64,
             %rows: !rows, %stack: !stack, %odd: !odd) {
  // expected-error @below {{pending must be at least 0, but is -1}}
  tcgemm.ring.publish %ring, %g pending -1 : !ring, !group
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!box = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!rows = !tcgemm.loader<!box, bytes = 8, k_contiguous = true, threads = 128>
!stack = !tcgemm.loader<!box, bytes = 8, k_contiguous = false, threads = 128>
!odd = !tcgemm.loader<<48 x 64 x bf16, b128>, bytes = 8, k_contiguous = false, threads = 128>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %at: i64,
             %rows: !rows, %stack: !stack, %odd: !odd) {
  // expected-error @below {{needs a token of kind in_flight, but got write}}
  tcgemm.ring.publish %ring, %w : !ring, !write
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!box = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!rows = !tcgemm.loader<!box, bytes = 8, k_contiguous = true, threads = 128>
!stack = !tcgemm.loader<!box, bytes = 8, k_contiguous = false, threads = 128>
!odd = !tcgemm.loader<<48 x 64 x bf16, b128>, bytes = 8, k_contiguous = false, threads = 128>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %at: i64,
             %rows: !rows, %stack: !stack, %odd: !odd) {
  // expected-error @below {{copies a '!tcgemm.tile<32 x 64 x bf16, b128>' into a '!tcgemm.tile<64 x 64 x bf16, b128>'}}
  tcgemm.loader.copy %rows, %at to %ring, %s, %w tile 0 row 32 part 0 of 1 : !rows, !ring, !write
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!box = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!rows = !tcgemm.loader<!box, bytes = 8, k_contiguous = true, threads = 128>
!stack = !tcgemm.loader<!box, bytes = 8, k_contiguous = false, threads = 128>
!odd = !tcgemm.loader<<48 x 64 x bf16, b128>, bytes = 8, k_contiguous = false, threads = 128>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %at: i64,
             %rows: !rows, %stack: !stack, %odd: !odd) {
  // expected-error @below {{copies a '!tcgemm.tile<48 x 64 x bf16, b128>' into a}}
  tcgemm.loader.copy %odd, %at to %ring, %s, %w tile 0 part 0 of 1 : !odd, !ring, !write
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!box = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!rows = !tcgemm.loader<!box, bytes = 8, k_contiguous = true, threads = 128>
!stack = !tcgemm.loader<!box, bytes = 8, k_contiguous = false, threads = 128>
!odd = !tcgemm.loader<<48 x 64 x bf16, b128>, bytes = 8, k_contiguous = false, threads = 128>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %at: i64,
             %rows: !rows, %stack: !stack, %odd: !odd) {
  // expected-error @below {{copies to row 16, but the tile's rows go in units of 32 to 64}}
  tcgemm.loader.copy %stack, %at to %ring, %s, %w tile 0 row 16 part 0 of 1 : !stack, !ring, !write
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!box = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!rows = !tcgemm.loader<!box, bytes = 8, k_contiguous = true, threads = 128>
!stack = !tcgemm.loader<!box, bytes = 8, k_contiguous = false, threads = 128>
!odd = !tcgemm.loader<<48 x 64 x bf16, b128>, bytes = 8, k_contiguous = false, threads = 128>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %at: i64,
             %rows: !rows, %stack: !stack, %odd: !odd) {
  // expected-error @below {{copies to row 64, but the tile's rows go in units of 32 to 64}}
  tcgemm.loader.copy %stack, %at to %ring, %s, %w tile 0 row 64 part 0 of 1 : !stack, !ring, !write
  return
}

// -----

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!box = !tcgemm.tile<32 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !a]>
!cp = !tcgemm.ring<4, cp_async, [!a, !a]>
!rows = !tcgemm.loader<!box, bytes = 8, k_contiguous = true, threads = 128>
!stack = !tcgemm.loader<!box, bytes = 8, k_contiguous = false, threads = 128>
!odd = !tcgemm.loader<<4 x 64 x bf16, b128>, bytes = 8, k_contiguous = false, threads = 128>
!write = !tcgemm.token<write>
!group = !tcgemm.token<in_flight>
!state = !tcgemm.ring_state

func.func @f(%ring: !ring, %cp: !cp, %s: !state, %w: !write, %g: !group, %at: i64,
             %rows: !rows, %stack: !stack, %odd: !odd) {
  // expected-error @below {{copies a '!tcgemm.tile<4 x 64 x bf16, b128>' into a}}
  tcgemm.loader.copy %odd, %at to %ring, %s, %w tile 0 part 0 of 1 : !odd, !ring, !write
  return
}

// -----

!ring = !tcgemm.ring<4, cp_async, [<8 x 64 x f32, xor>, <8 x 64 x f32, none>]>
!frag = !tcgemm.fragment<a, 8 x 1 x f32, runs = [4, 32]>

// A thread finds its runs only where rows are as they are.
func.func @f(%ring: !ring, %s: !tcgemm.ring_state, %r: !tcgemm.token<read>, %i: i32) {
  // expected-error @below {{cannot read a '!tcgemm.fragment<a, 8 x 1 x f32, runs = [4, 32]>' from a '!tcgemm.tile<8 x 64 x f32, xor>'}}
  %x = tcgemm.fragment.load %ring, %s, %r warp %i tile 0 k_step 0 transposed true : !ring, !tcgemm.token<read> -> !frag
  return
}

// -----

// A thread reads words of 4 bytes along k, which a tile across k has not.

!tile = !tcgemm.tile<32 x 64 x i8, none>
!ring = !tcgemm.ring<2, cp_async, [!tile]>
!a = !tcgemm.fragment<a, 8 x 4 x i8, runs = [4, 32]>
func.func @crossed_bytes(%ring: !ring, %s: !tcgemm.ring_state, %r: !tcgemm.token<read>, %w: i32) {
  // expected-error @below {{cannot read a '!tcgemm.fragment<a, 8 x 4 x i8, runs = [4, 32]>' from a '!tcgemm.tile<32 x 64 x i8, none>'}}
  %a = tcgemm.fragment.load %ring, %s, %r warp %w tile 0 k_step 0 transposed true : !ring, !tcgemm.token<read> -> !a
  return
}

// -----

!a = !tcgemm.fragment<a, 8 x 1 x f32, runs = [4, 32]>
!b = !tcgemm.fragment<b, 8 x 1 x f32, runs = [4, 64]>
!acc = !tcgemm.acc<8 x 8, simt runs = [4, 64, 4, 64]>

func.func @f(%a: !a, %b: !b, %acc: !acc) {
  // expected-error @below {{runs do not fit}}
  %x = tcgemm.mma %a, %b, %acc : !a, !b, !acc
  return
}

// -----

!ring = !tcgemm.ring<4, cp_async, [<64 x 64 x bf16, xor>]>
!read = !tcgemm.token<read>
!frag = !tcgemm.fragment<b, 32 x 16 x bf16>

func.func @f(%ring: !ring, %s: !tcgemm.ring_state, %r: !read, %i: i32) {
  // expected-error @below {{has a representation, which only fragments of mma_sync with elements of 64 bits have, but reads a '!tcgemm.fragment<b, 32 x 16 x bf16>' from a '!tcgemm.tile<64 x 64 x bf16, xor>'}}
  %x = tcgemm.fragment.load %ring, %s, %r warp %i tile 0 k_step 0 transposed false representation <[[1, 2], [-2, 1]]> : !ring, !read -> !frag
  return
}
