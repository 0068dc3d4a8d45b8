// RUN: tcgemm-opt %s -split-input-file -verify-diagnostics

// A consumer that fills a ring of its own, for its epilogue; and what may not be.

!map = !tcgemm.tensor_map<!tcgemm.tile<64 x 64 x bf16, b128>>
!ring = !tcgemm.ring<1, mbarrier, [!tcgemm.tile<64 x 64 x bf16, b128>]>
!read = !tcgemm.token<read>
!write = !tcgemm.token<write>

tcgemm.program @good(%map: !map, %in: memref<?xbf16, 1>, %pitch: i64, %n: i32) attributes {threads = 128 : i64, chip = "sm_90a"} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role consumer warps [0, 4] {
    %first = tcgemm.ring.start %ring : !ring
    %end = scf.for %i = %zero to %n step %one iter_args(%state = %first) -> (!tcgemm.ring_state) : i32 {
      tcgemm.elect {
        %w = tcgemm.ring.acquire %ring, %state : !ring -> !write
        tcgemm.tma.load %map[%zero, %i] to %ring, %state, %w tile 0 : !map, !ring, !write
        tcgemm.ring.commit %ring, %w : !ring, !write
      }
      %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 64, wgmma>
      %r = tcgemm.ring.wait %ring, %state : !ring -> !read
      tcgemm.epilogue %acc at(%zero, %i, %zero) of(%n, %n) inputs(%in : memref<?xbf16, 1>) strides(%pitch) maps(%map : !map) buffers 1 staged [0] in %ring, %r : !ring, !read dims ["mn", "mn"] arguments [0] guards [-1] {
      ^bb0(%x: f32, %y: bf16):
        tcgemm.yield %y : bf16
      } : !tcgemm.acc<64 x 64, wgmma>
      tcgemm.ring.release %ring, %r arrivals 4 : !ring, !read
      %next = tcgemm.ring.advance %ring, %state : !ring
      scf.yield %next : !tcgemm.ring_state
    }
    tcgemm.tma.await
  }
  tcgemm.return
}

// -----

!map = !tcgemm.tensor_map<!tcgemm.tile<64 x 64 x bf16, b128>>
!ring = !tcgemm.ring<1, mbarrier, [!tcgemm.tile<64 x 64 x bf16, b128>]>

tcgemm.program @by_all(%map: !map) attributes {threads = 128 : i64, chip = "sm_90a"} {
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role consumer warps [0, 4] {
    %first = tcgemm.ring.start %ring : !ring
    // expected-error @below {{writes an mbarrier ring in a consumer role, but outside tcgemm.elect}}
    %w = tcgemm.ring.acquire %ring, %first : !ring -> !tcgemm.token<write>
    tcgemm.ring.commit %ring, %w : !ring, !tcgemm.token<write>
  }
  tcgemm.return
}

// -----

!ring = !tcgemm.ring<1, mbarrier, [!tcgemm.tile<64 x 64 x bf16, b128>]>

tcgemm.program @shared() attributes {threads = 256 : i64, chip = "sm_90a"} {
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role consumer warps [0, 4] {
    %first = tcgemm.ring.start %ring : !ring
    tcgemm.elect {
      // expected-error @below {{writes an mbarrier ring, which only a producer role may, or a consumer that alone uses it}}
      %w = tcgemm.ring.acquire %ring, %first : !ring -> !tcgemm.token<write>
      tcgemm.ring.commit %ring, %w : !ring, !tcgemm.token<write>
    }
  }
  tcgemm.role consumer warps [4, 8] {
    %first = tcgemm.ring.start %ring : !ring
    %r = tcgemm.ring.wait %ring, %first : !ring -> !tcgemm.token<read>
    tcgemm.ring.release %ring, %r arrivals 4 : !ring, !tcgemm.token<read>
  }
  tcgemm.return
}

// -----

!ring = !tcgemm.ring<1, mbarrier, [!tcgemm.tile<64 x 64 x bf16, b128>]>

tcgemm.program @by_one() attributes {threads = 128 : i64, chip = "sm_90a"} {
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role consumer warps [0, 4] {
    %first = tcgemm.ring.start %ring : !ring
    tcgemm.elect {
      // expected-error @below {{is for all threads of a role, but is in tcgemm.elect}}
      %r = tcgemm.ring.wait %ring, %first : !ring -> !tcgemm.token<read>
      tcgemm.ring.release %ring, %r arrivals 4 : !ring, !tcgemm.token<read>
    }
  }
  tcgemm.return
}

// -----

tcgemm.program @no_consumer() attributes {threads = 128 : i64, chip = "sm_90a"} {
  tcgemm.role producer warps [0, 4] {
    // expected-error @below {{must be in a consumer role}}
    tcgemm.elect {
    }
  }
  tcgemm.return
}

// -----

// A second acquire without an advance waits for ever.

!map = !tcgemm.tensor_map<!tcgemm.tile<64 x 64 x bf16, b128>>
!ring = !tcgemm.ring<1, mbarrier, [!tcgemm.tile<64 x 64 x bf16, b128>]>

tcgemm.program @repeated(%map: !map, %n: i32) attributes {threads = 128 : i64, chip = "sm_90a"} {
  %zero = arith.constant 0 : i32
  %ring = tcgemm.ring.create empty_arrivals 4 : !ring
  tcgemm.role consumer warps [0, 4] {
    %first = tcgemm.ring.start %ring : !ring
    tcgemm.elect {
      %w = tcgemm.ring.acquire %ring, %first : !ring -> !tcgemm.token<write>
      tcgemm.tma.load %map[%zero, %zero] to %ring, %first, %w tile 0 : !map, !ring, !tcgemm.token<write>
      tcgemm.ring.commit %ring, %w : !ring, !tcgemm.token<write>
    }
    tcgemm.elect {
      // expected-error @below {{phase is repeated}}
      %w = tcgemm.ring.acquire %ring, %first : !ring -> !tcgemm.token<write>
      tcgemm.tma.load %map[%zero, %zero] to %ring, %first, %w tile 0 : !map, !ring, !tcgemm.token<write>
      tcgemm.ring.commit %ring, %w : !ring, !tcgemm.token<write>
    }
    %r = tcgemm.ring.wait %ring, %first : !ring -> !tcgemm.token<read>
    tcgemm.ring.release %ring, %r arrivals 4 : !ring, !tcgemm.token<read>
  }
  tcgemm.return
}

// -----

!map = !tcgemm.tensor_map<!tcgemm.tile<64 x 64 x bf16, b128>>
!ring = !tcgemm.ring<1, mbarrier, [!tcgemm.tile<64 x 64 x bf16, b128>]>

func.func @no_such_tile(%map: !map, %in: memref<?xbf16, 1>, %pitch: i64, %n: i32, %ring: !ring, %r: !tcgemm.token<read>, %acc: !tcgemm.acc<64 x 64, wgmma>) {
  tcgemm.role consumer warps [0, 4] {
    // expected-error @below {{names tile 1 of a stage of 1}}
    tcgemm.epilogue %acc at(%n, %n, %n) of(%n, %n) inputs(%in : memref<?xbf16, 1>) strides(%pitch) maps(%map : !map) buffers 1 staged [1] in %ring, %r : !ring, !tcgemm.token<read> dims ["mn", "mn"] arguments [0] guards [-1] {
    ^bb0(%x: f32, %y: bf16):
      tcgemm.yield %y : bf16
    } : !tcgemm.acc<64 x 64, wgmma>
  }
  return
}

// -----

!map = !tcgemm.tensor_map<!tcgemm.tile<64 x 64 x bf16, b128>>
!ring = !tcgemm.ring<1, mbarrier, [!tcgemm.tile<64 x 64 x bf16, b128>]>

func.func @other_type(%map: !map, %in: memref<?xf16, 1>, %pitch: i64, %n: i32, %ring: !ring, %r: !tcgemm.token<read>, %acc: !tcgemm.acc<64 x 64, wgmma>) {
  tcgemm.role consumer warps [0, 4] {
    // expected-error @below {{cannot read 'f16' from '!tcgemm.tile<64 x 64 x bf16, b128>': elements must be the same and of 16 bits}}
    tcgemm.epilogue %acc at(%n, %n, %n) of(%n, %n) inputs(%in : memref<?xf16, 1>) strides(%pitch) maps(%map : !map) buffers 1 staged [0] in %ring, %r : !ring, !tcgemm.token<read> dims ["mn", "mn"] arguments [0] guards [-1] {
    ^bb0(%x: f32, %y: f16):
      %z = arith.truncf %x : f32 to bf16
      tcgemm.yield %z : bf16
    } : !tcgemm.acc<64 x 64, wgmma>
  }
  return
}

// -----

!map = !tcgemm.tensor_map<!tcgemm.tile<64 x 64 x bf16, b128>>
!ring = !tcgemm.ring<1, mbarrier, [!tcgemm.tile<64 x 64 x bf16, b128>]>

func.func @two_inputs(%map: !map, %in: memref<?xbf16, 1>, %pitch: i64, %n: i32, %ring: !ring, %r: !tcgemm.token<read>, %acc: !tcgemm.acc<64 x 64, wgmma>) {
  tcgemm.role consumer warps [0, 4] {
    // expected-error @below {{has 1 inputs, but staged tiles of 2}}
    tcgemm.epilogue %acc at(%n, %n, %n) of(%n, %n) inputs(%in : memref<?xbf16, 1>) strides(%pitch) maps(%map : !map) buffers 1 staged [0, -1] in %ring, %r : !ring, !tcgemm.token<read> dims ["mn", "mn"] arguments [0] guards [-1] {
    ^bb0(%x: f32, %y: bf16):
      tcgemm.yield %y : bf16
    } : !tcgemm.acc<64 x 64, wgmma>
  }
  return
}

// -----

// Boxes that a role's threads store.

func.func @no_role(%out: memref<?xbf16, 1>, %pitch: i64, %n: i32, %acc: !tcgemm.acc<64 x 64, wgmma>) {
  // expected-error @below {{stages a warpgroup's accumulator, which takes a role of them}}
  tcgemm.epilogue %acc at(%n, %n, %n) of(%n, %n) outputs(%out : memref<?xbf16, 1>) strides(%pitch) dims ["mn"] arguments [] guards [] staging 8192 {
  ^bb0(%x: f32):
    %z = arith.truncf %x : f32 to bf16
    tcgemm.yield %z : bf16
  } : !tcgemm.acc<64 x 64, wgmma>
  return
}

// -----

func.func @two_warps(%out: memref<?xbf16, 1>, %pitch: i64, %n: i32, %acc: !tcgemm.acc<64 x 64, wgmma>) {
  tcgemm.role consumer warps [0, 2] {
    // expected-error @below {{stages a warpgroup's accumulator, which takes a role of them}}
    tcgemm.epilogue %acc at(%n, %n, %n) of(%n, %n) outputs(%out : memref<?xbf16, 1>) strides(%pitch) dims ["mn"] arguments [] guards [] staging 8192 {
    ^bb0(%x: f32):
      %z = arith.truncf %x : f32 to bf16
      tcgemm.yield %z : bf16
    } : !tcgemm.acc<64 x 64, wgmma>
  }
  return
}

// -----

func.func @too_small(%out: memref<?xbf16, 1>, %pitch: i64, %n: i32, %acc: !tcgemm.acc<64 x 64, wgmma>) {
  tcgemm.role consumer warps [4, 12] {
    // expected-error @below {{stages 8192 bytes, but 2 warpgroups need a box of 8192 each}}
    tcgemm.epilogue %acc at(%n, %n, %n) of(%n, %n) outputs(%out : memref<?xbf16, 1>) strides(%pitch) dims ["mn"] arguments [] guards [] staging 8192 {
    ^bb0(%x: f32):
      %z = arith.truncf %x : f32 to bf16
      tcgemm.yield %z : bf16
    } : !tcgemm.acc<64 x 64, wgmma>
  }
  return
}

// -----

func.func @columns(%out: memref<?xbf16, 1>, %pitch: i64, %n: i32, %acc: !tcgemm.acc<64 x 64, wgmma>) {
  tcgemm.role consumer warps [0, 4] {
    // expected-error @below {{cannot stage a '!tcgemm.acc<64 x 64, wgmma>' as nm of 'bf16'}}
    tcgemm.epilogue %acc at(%n, %n, %n) of(%n, %n) outputs(%out : memref<?xbf16, 1>) strides(%pitch) dims ["nm"] arguments [] guards [] staging 8192 {
    ^bb0(%x: f32):
      %z = arith.truncf %x : f32 to bf16
      tcgemm.yield %z : bf16
    } : !tcgemm.acc<64 x 64, wgmma>
  }
  return
}

// -----

// Streamed matrices are accessed directly.

func.func @streamed_and_staged(%out: memref<?xf32, 1>, %pitch: i64, %n: i32, %acc: !tcgemm.acc<64 x 64, mma_sync>) {
  // expected-error @below {{streams its matrices, which takes an accumulator of mma_sync or simt, and neither staging nor maps}}
  tcgemm.epilogue %acc at(%n, %n, %n) of(%n, %n) outputs(%out : memref<?xf32, 1>) strides(%pitch) dims ["mn"] arguments [] guards [] staging 8192 streaming {
  ^bb0(%x: f32):
    tcgemm.yield %x : f32
  } : !tcgemm.acc<64 x 64, mma_sync>
  return
}

// -----

func.func @streamed_wgmma(%out: memref<?xf32, 1>, %pitch: i64, %n: i32, %acc: !tcgemm.acc<64 x 64, wgmma>) {
  // expected-error @below {{streams its matrices, which takes an accumulator of mma_sync or simt}}
  tcgemm.epilogue %acc at(%n, %n, %n) of(%n, %n) outputs(%out : memref<?xf32, 1>) strides(%pitch) dims ["mn"] arguments [] guards [] streaming {
  ^bb0(%x: f32):
    tcgemm.yield %x : f32
  } : !tcgemm.acc<64 x 64, wgmma>
  return
}

// -----

// Rows of bytes are multiples of 16, and are not turned.

func.func @few_bytes(%out: memref<?xi8, 1>, %pitch: i64, %n: i32, %acc: !tcgemm.acc<64 x 40 of i32, wgmma>) {
  tcgemm.role consumer warps [0, 4] {
    // expected-error @below {{cannot stage a '!tcgemm.acc<64 x 40 of i32, wgmma>' as mn of 'i8'}}
    tcgemm.epilogue %acc at(%n, %n, %n) of(%n, %n) outputs(%out : memref<?xi8, 1>) strides(%pitch) dims ["mn"] arguments [] guards [] staging 8192 {
    ^bb0(%x: i32):
      %z = arith.trunci %x : i32 to i8
      tcgemm.yield %z : i8
    } : !tcgemm.acc<64 x 40 of i32, wgmma>
  }
  return
}

// -----

!box = !tcgemm.tile<64 x 64 x i8, b64>
func.func @turned_bytes(%map: !tcgemm.tensor_map<!box>, %n: i32, %acc: !tcgemm.acc<64 x 64 of i32, wgmma>) {
  tcgemm.role consumer warps [0, 4] {
    // expected-error @below {{cannot store a '!tcgemm.acc<64 x 64 of i32, wgmma>' as mn in boxes of '!tcgemm.tile<64 x 64 x i8, b64>'}}
    tcgemm.epilogue %acc at(%n, %n, %n) of(%n, %n) maps(%map : !tcgemm.tensor_map<!box>) buffers 1 dims ["mn"] arguments [] guards [] transposed {
    ^bb0(%x: i32):
      %z = arith.trunci %x : i32 to i8
      tcgemm.yield %z : i8
    } : !tcgemm.acc<64 x 64 of i32, wgmma>
  }
  return
}

// -----

// Inputs that are read ahead of the products.

func.func @no_wait(%in: memref<?xbf16, 1>, %out: memref<?xbf16, 1>, %pitch: i64, %n: i32, %acc: !tcgemm.acc<64 x 64, wgmma>) {
  tcgemm.role consumer warps [0, 4] {
    // expected-error @below {{reads early, but is not after a ring.wait}}
    tcgemm.epilogue %acc at(%n, %n, %n) of(%n, %n) inputs(%in : memref<?xbf16, 1>) outputs(%out : memref<?xbf16, 1>) strides(%pitch, %pitch) dims ["mn", "mn"] arguments [0] guards [-1] early {
    ^bb0(%x: f32, %y: bf16):
      tcgemm.yield %y : bf16
    } : !tcgemm.acc<64 x 64, wgmma>
  }
  return
}

// -----

!ring = !tcgemm.ring<2, mbarrier, [!tcgemm.tile<64 x 64 x bf16, b128>]>

func.func @late_place(%in: memref<?xbf16, 1>, %out: memref<?xbf16, 1>, %pitch: i64, %n: i32, %ring: !ring, %s: !tcgemm.ring_state, %acc: !tcgemm.acc<64 x 64, wgmma>) {
  tcgemm.role consumer warps [0, 4] {
    %r = tcgemm.ring.wait %ring, %s : !ring -> !tcgemm.token<read>
    %m = arith.addi %n, %n : i32
    // expected-error @below {{reads early, but an operand is defined after the first ring.wait}}
    tcgemm.epilogue %acc at(%n, %m, %n) of(%n, %n) inputs(%in : memref<?xbf16, 1>) outputs(%out : memref<?xbf16, 1>) strides(%pitch, %pitch) dims ["mn", "mn"] arguments [0] guards [-1] early {
    ^bb0(%x: f32, %y: bf16):
      tcgemm.yield %y : bf16
    } : !tcgemm.acc<64 x 64, wgmma>
  }
  return
}

// -----

func.func @outside(%in: memref<?xbf16, 1>, %out: memref<?xbf16, 1>, %pitch: i64, %n: i32, %acc: !tcgemm.acc<64 x 64, wgmma>) {
  // expected-error @below {{reads early, which takes an accumulator of wgmma in a role, or one of mma_sync or simt in a program, and inputs in memory}}
  tcgemm.epilogue %acc at(%n, %n, %n) of(%n, %n) inputs(%in : memref<?xbf16, 1>) outputs(%out : memref<?xbf16, 1>) strides(%pitch, %pitch) dims ["mn", "mn"] arguments [0] guards [-1] early {
  ^bb0(%x: f32, %y: bf16):
    tcgemm.yield %y : bf16
  } : !tcgemm.acc<64 x 64, wgmma>
  return
}

// -----

// An epilogue in a branch cannot have early inputs: the first wait is outside the branch.

tcgemm.program @branch(%in: memref<?xbf16, 1>, %out: memref<?xbf16, 1>, %pitch: i64, %n: i32, %c: i1)
    attributes {threads = 32 : i64, chip = "sm_90"} {
  %acc = tcgemm.acc.zero : <16 x 16, mma_sync>
  scf.if %c {
    // expected-error @below {{reads early, which takes an accumulator of wgmma in a role, or one of mma_sync or simt in a program, and inputs in memory}}
    tcgemm.epilogue %acc at(%n, %n, %n) of(%n, %n) inputs(%in : memref<?xbf16, 1>) outputs(%out : memref<?xbf16, 1>) strides(%pitch, %pitch) dims ["mn", "mn"] arguments [0] guards [-1] early {
    ^bb0(%x: f32, %y: bf16):
      tcgemm.yield %y : bf16
    } : <16 x 16, mma_sync>
  }
  tcgemm.return
}

// -----

// In a loop over tiles the wait is in the loop, too.

tcgemm.program @loop(%in: memref<?xbf16, 1>, %out: memref<?xbf16, 1>, %pitch: i64, %n: i32)
    attributes {threads = 32 : i64, chip = "sm_90"} {
  %acc = tcgemm.acc.zero : <16 x 16, mma_sync>
  %one = arith.constant 1 : i32
  scf.for %tile = %one to %n step %one : i32 {
    // expected-error @below {{reads early, but is not after a ring.wait}}
    tcgemm.epilogue %acc at(%n, %n, %n) of(%n, %n) inputs(%in : memref<?xbf16, 1>) outputs(%out : memref<?xbf16, 1>) strides(%pitch, %pitch) dims ["mn", "mn"] arguments [0] guards [-1] early {
    ^bb0(%x: f32, %y: bf16):
      tcgemm.yield %y : bf16
    } : <16 x 16, mma_sync>
  }
  tcgemm.return
}
