// RUN: tcgemm-opt %s -split-input-file -verify-diagnostics

!global = memref<?xbf16, #gpu.address_space<global>>
tcgemm.program @branch(%x: !global, %k: i64, %i: i32, %c: i1) attributes {threads = 128 : i64, chip = "sm_90"} {
  scf.if %c {
    // expected-error @below {{must be in the program's own block: all threads meet in it}}
    %acc = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %x[%k] stride %k at %i of %i
      depth %i size 1 8 slices 2 unroll 2 bytes 16 16 : !global, !global -> <1 x 1, row>
  }
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
tcgemm.program @twice(%x: !global, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{is not the program's only one, but they share their memory}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %x[%k] stride %k at %i of %i
    depth %i size 1 8 slices 2 unroll 2 bytes 16 16 : !global, !global -> <1 x 1, row>
  %1 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %x[%k] stride %k at %i of %i
    depth %i size 1 8 slices 2 unroll 2 bytes 16 16 : !global, !global -> <1 x 1, row>
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
tcgemm.program @layout(%x: !global, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{gives each thread 1, 2 or 4 elements of a row, but not a '!tcgemm.acc<1 x 8, row>'}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %x[%k] stride %k at %i of %i
    depth %i size 1 8 slices 2 unroll 2 bytes 16 16 : !global, !global -> <1 x 8, row>
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
!other = memref<?xf16, #gpu.address_space<global>>
tcgemm.program @types(%x: !global, %y: !other, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{has no product of 'bf16' by 'f16' with sums of 'f32'}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %y[%k] stride %k at %i of %i
    depth %i size 1 8 slices 2 unroll 2 bytes 16 16 : !global, !other -> <1 x 1, row>
  tcgemm.return
}

// -----

!global = memref<?xf32, #gpu.address_space<global>>
tcgemm.program @bytes(%x: !global, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{loads 2 bytes at a time, but it must be a power of two from 4 to 16}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %x[%k] stride %k at %i of %i
    depth %i size 1 8 slices 2 unroll 2 bytes 16 2 : !global, !global -> <1 x 1, row>
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
tcgemm.program @slices(%x: !global, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{has groups of 3 warps, which must divide the program's 128 threads}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %x[%k] stride %k at %i of %i
    depth %i size 1 8 slices 3 unroll 2 bytes 16 16 : !global, !global -> <1 x 1, row>
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
tcgemm.program @columns(%x: !global, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{computes 1 x 7 elements, but must have at most 1 for each of the program's 128 threads, in equal columns of 2 groups}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %x[%k] stride %k at %i of %i
    depth %i size 1 7 slices 2 unroll 2 bytes 16 16 : !global, !global -> <1 x 1, row>
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
tcgemm.program @rows(%x: !global, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{computes 17 x 8 elements}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %x[%k] stride %k at %i of %i
    depth %i size 17 8 slices 2 unroll 2 bytes 16 16 : !global, !global -> <1 x 1, row>
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
tcgemm.program @unroll(%x: !global, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{unroll must be 1 to 128, but is 0}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %x[%k] stride %k at %i of %i
    depth %i size 1 8 slices 2 unroll 0 bytes 16 16 : !global, !global -> <1 x 1, row>
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
!bytes = memref<?xi8, #gpu.address_space<global>>
tcgemm.program @integer_sums(%x: !global, %y: !bytes, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{has no product of 'bf16' by 'i4' with sums of 'i32'}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %y[%k] stride %k at %i of %i
    depth %i size 1 8 slices 2 unroll 2 bytes 16 16 {many_type = i4} : !global, !bytes -> <1 x 1 of i32, row>
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
!bytes = memref<?xi8, #gpu.address_space<global>>
!scales = memref<?xf16, #gpu.address_space<global>>
tcgemm.program @group(%x: !global, %y: !bytes, %s: !scales, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{needs scales with three places and a group of 32, 64, 128 or 256 elements}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %y[%k] stride %k at %i of %i
    depth %i size 1 8 slices 2 unroll 2 bytes 16 16 scaled %s[%k, %k, %k] group 48 (!scales)
    {many_type = i4} : !global, !bytes -> <1 x 1, row>
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
!bytes = memref<?xi8, #gpu.address_space<global>>
!scales = memref<?xf16, #gpu.address_space<global>>
tcgemm.program @wide(%x: !global, %y: !bytes, %s: !scales, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{has groups of 'i8', but only elements of 4 bits have them}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %y[%k] stride %k at %i of %i
    depth %i size 1 8 slices 2 unroll 2 bytes 16 16 scaled %s[%k, %k, %k] group 128 (!scales)
    : !global, !bytes -> <1 x 1, row>
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
!bytes = memref<?xi8, #gpu.address_space<global>>
!scales = memref<?xf16, #gpu.address_space<global>>
tcgemm.program @tensor_types(%x: !global, %y: !bytes, %s: !scales, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{multiplies 'i8' by 'bf16' in tensor cores, but they take 4 bits by f16 or bf16}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %y[%k] stride %k at %i of %i
    depth %i size 1 32 slices 2 unroll 2 bytes 16 16 mma : !global, !bytes -> <1 x 1, row>
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
!bytes = memref<?xi8, #gpu.address_space<global>>
!scales = memref<?xf16, #gpu.address_space<global>>
tcgemm.program @tensor_columns(%x: !global, %y: !bytes, %s: !scales, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{has 24 columns for 2 groups of warps, but tensor cores need a multiple of 16 for each}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %y[%k] stride %k at %i of %i
    depth %i size 1 24 slices 2 unroll 2 bytes 16 16 mma {many_type = i4} : !global, !bytes -> <1 x 1, row>
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
!bytes = memref<?xi8, #gpu.address_space<global>>
!scales = memref<?xf16, #gpu.address_space<global>>
tcgemm.program @tensor_bytes(%x: !global, %y: !bytes, %s: !scales, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{loads 2 and 16 bytes at a time, but for tensor cores it must be at least 4}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %y[%k] stride %k at %i of %i
    depth %i size 1 32 slices 2 unroll 2 bytes 2 16 mma {many_type = i4} : !global, !bytes -> <1 x 1, row>
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
!bytes = memref<?xi8, #gpu.address_space<global>>
!scales = memref<?xf16, #gpu.address_space<global>>
tcgemm.program @tensor_group(%x: !global, %y: !bytes, %s: !scales, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{adds the products of 4 lanes with 32 elements each in tensor cores, but a group of scales has 64}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %y[%k] stride %k at %i of %i
    depth %i size 1 32 slices 2 unroll 2 bytes 16 16 mma scaled %s[%k, %k, %k] group 64 (!scales) {many_type = i4} : !global, !bytes -> <1 x 1, row>
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
tcgemm.program @lanes(%x: !global, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{needs lanes with a step of many, and only then}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %x[%k] stride %k step %k at %i of %i
    depth %i size 1 8 slices 4 unroll 2 bytes 16 2 : !global, !global -> <1 x 1, row>
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
tcgemm.program @single(%x: !global, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{loads 16 bytes of few at a time, but with a step elements are loaded alone: it must be 2}}
  %0 = tcgemm.acc.dot %x[%k] stride %k step %k at %i of %i by %x[%k] stride %k at %i of %i
    depth %i size 1 8 slices 2 unroll 2 bytes 16 16 : !global, !global -> <1 x 1, row>
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
tcgemm.program @across(%x: !global, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{has 3 lanes with 8 rows each, but they must be a power of two up to 32 and divide the group's 64 columns}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %x[%k] stride %k step %k at %i of %i
    depth %i size 1 64 slices 4 unroll 2 bytes 2 16 lanes 3 : !global, !global -> <1 x 1, row>
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
tcgemm.program @together(%x: !global, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{loads 8 rows of many at a time, so that the stride must be 1}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %x[%k] stride %k step %k at %i of %i
    depth %i size 1 64 slices 4 unroll 2 bytes 2 16 lanes 8 : !global, !global -> <1 x 1, row>
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
!bytes = memref<?xi8, #gpu.address_space<global>>
tcgemm.program @nibbles(%x: !global, %y: !bytes, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{has a step between elements of 'i4', but elements that share bytes}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %y[%k] stride %k step %k at %i of %i
    depth %i size 1 64 slices 4 unroll 2 bytes 2 1 lanes 8 {many_type = i4} : !global, !bytes -> <1 x 1, row>
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
!bytes = memref<?xi8, #gpu.address_space<global>>
tcgemm.program @one_stage(%x: !global, %y: !bytes, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{copies vectors ahead in 1 stages, but it takes at least 2, and tensor cores}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %y[%k] stride %k at %i of %i
    depth %i size 1 32 slices 2 unroll 2 bytes 16 16 mma stages 1 {many_type = i4} : !global, !bytes -> <1 x 1, row>
  tcgemm.return
}

// -----

!global = memref<?xbf16, #gpu.address_space<global>>
!bytes = memref<?xi8, #gpu.address_space<global>>
tcgemm.program @stages_of_threads(%x: !global, %y: !bytes, %k: i64, %i: i32) attributes {threads = 128 : i64, chip = "sm_90"} {
  // expected-error @below {{copies vectors ahead in 3 stages, but it takes at least 2, and tensor cores}}
  %0 = tcgemm.acc.dot %x[%k] stride %k at %i of %i by %y[%k] stride %k at %i of %i
    depth %i size 1 32 slices 2 unroll 2 bytes 16 16 stages 3 {many_type = i4} : !global, !bytes -> <1 x 1, row>
  tcgemm.return
}
