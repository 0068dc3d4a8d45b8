// RUN: tcgemm-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{a tile's rows and columns must be 1 to 65536, but are 0 x 64}}
func.func private @f(!tcgemm.tile<0 x 64 x bf16, xor>)

// -----

// expected-error @below {{a tile's rows and columns must be 1 to 65536, but are 64 x 9223372036854775800}}
func.func private @f(!tcgemm.tile<64 x 9223372036854775800 x bf16, none>)

// -----

// expected-error @below {{a tile's elements must be whole bytes, but are 'i1'}}
func.func private @f(!tcgemm.tile<64 x 64 x i1, xor>)

// -----

// expected-error @below {{a tile's elements must be whole bytes, but are 'index'}}
func.func private @f(!tcgemm.tile<64 x 64 x index, xor>)

// -----

// expected-error @below {{a tile's row must be a multiple of 16 bytes, but has 24}}
func.func private @f(!tcgemm.tile<64 x 12 x bf16, none>)

// -----

// expected-error @below {{an xor-swizzled tile's row must be a power of two bytes, but has 48}}
func.func private @f(!tcgemm.tile<64 x 24 x bf16, xor>)

// -----

// expected-error @below {{a sectors-swizzled tile's row must be a power of two bytes from 128, but has 64}}
func.func private @f(!tcgemm.tile<64 x 32 x bf16, sectors>)

// -----

// expected-error @below {{a sectors-swizzled tile's row must be a power of two bytes from 128, but has 192}}
func.func private @f(!tcgemm.tile<64 x 96 x bf16, sectors>)

// -----

// expected-error @below {{a b128-swizzled tile's row must be 128 bytes, but has 64}}
func.func private @f(!tcgemm.tile<64 x 32 x bf16, b128>)

// -----

// expected-error @below {{a ring's stages must be 1 to 1024, but are 0}}
func.func private @f(!tcgemm.ring<0, cp_async, [<64 x 64 x bf16, xor>]>)

// -----

// expected-error @below {{a loader copies 1, 2, 4, 8 or 16 bytes at a time, not 6}}
func.func private @f(!tcgemm.loader<<64 x 64 x bf16, xor>, bytes = 6, k_contiguous = true, threads = 128>)

// -----

// expected-error @below {{a loader of 'f32' cannot copy 2 bytes at a time}}
func.func private @f(!tcgemm.loader<<64 x 64 x f32, xor>, bytes = 2, k_contiguous = true, threads = 128>)

// -----

// expected-error @below {{a loader's threads must be 1 to 1024, but are 0}}
func.func private @f(!tcgemm.loader<<64 x 64 x bf16, xor>, bytes = 16, k_contiguous = true, threads = 0>)

// -----

// expected-error @below {{a transposed loader copies rows along k element by element}}
func.func private @f(!tcgemm.loader<<8 x 64 x f32, pad>, bytes = 16, k_contiguous = true, threads = 128, transposed = true>)

// -----

// expected-error @below {{a transposed loader copies rows along k element by element}}
func.func private @f(!tcgemm.loader<<8 x 64 x f32, pad>, bytes = 4, k_contiguous = false, threads = 128, transposed = true>)

// -----

// expected-error @below {{a transposed loader cannot fill a '!tcgemm.tile<8 x 64 x f32, xor>'}}
func.func private @f(!tcgemm.loader<<8 x 64 x f32, xor>, bytes = 4, k_contiguous = true, threads = 128, transposed = true>)

// -----

// expected-error @below {{runs of 3, 48 apart, cannot make 8: a run's length must divide that and not exceed the distance}}
func.func private @f(!tcgemm.fragment<a, 8 x 1 x f32, runs = [3, 48]>)

// -----

// expected-error @below {{runs of 4, 2 apart, cannot make 8}}
func.func private @f(!tcgemm.fragment<a, 8 x 1 x f32, runs = [4, 2]>)

// -----

// expected-error @below {{runs of 0, 0 apart, cannot make 8}}
func.func private @f(!tcgemm.fragment<a, 8 x 1 x f32, runs = [0, 0]>)

// -----

// expected-error @below {{a fragment's runs are a length and a distance}}
func.func private @f(!tcgemm.fragment<a, 8 x 1 x f32, runs = [4]>)

// -----

// expected-error @below {{a thread's fragment must have depth 1, 2 or 4, but has 8}}
func.func private @f(!tcgemm.fragment<a, 8 x 8 x f32, runs = [4, 64]>)

// -----

// expected-error @below {{a thread's fragment of 8-bit elements must have a depth of whole words of 4, but has 2}}
func.func private @f(!tcgemm.fragment<a, 8 x 2 x i8, runs = [1, 16]>)

// -----

// expected-error @below {{runs, a length and a distance of rows and of columns, are simt's}}
func.func private @f(!tcgemm.acc<8 x 8, simt>)

// -----

// expected-error @below {{runs, a length and a distance of rows and of columns, are simt's}}
func.func private @f(!tcgemm.acc<8 x 8, mma_sync runs = [4, 64, 4, 64]>)

// -----

// expected-error @below {{runs of 5, 80 apart, cannot make 8}}
func.func private @f(!tcgemm.acc<8 x 8, simt runs = [4, 64, 5, 80]>)

// -----

// expected-error @below {{a warp's fragment of 'f64' must be a multiple of 16 by 4, but is 16 by 2}}
func.func private @f(!tcgemm.fragment<a, 16 x 2 x f64>)

// -----

// expected-error @below {{a warp's fragment of 'f64' must be a multiple of 16 by 4, but is 8 by 4}}
func.func private @f(!tcgemm.fragment<b, 8 x 4 x f64>)

// -----

// expected-error @below {{an accumulator's elements must be f32, f64, f16 or i32, but are 'bf16'}}
func.func private @f(!tcgemm.acc<16 x 16 of bf16, mma_sync>)

// -----

// expected-error @below {{an accumulator of f16 cannot have the layout simt}}
func.func private @f(!tcgemm.acc<8 x 8 of f16, simt runs = [4, 64, 4, 64]>)

// -----

// expected-error @below {{scales of rows must be of a multiple of 64, but are of 32}}
func.func private @f(!tcgemm.scales<a, 32>)

// -----

// expected-error @below {{scales of columns must be of a multiple of 8, but are of 100}}
func.func private @f(!tcgemm.scales<b, 100>)

// -----

// expected-error @below {{scales must be of 1 to 65536 rows or columns, but are of 0}}
func.func private @f(!tcgemm.scales<b, 0>)

// -----

// expected-error @below {{slots must be 1 to 64, but are 65}}
func.func private @f(!tcgemm.scales_buffer<a, 64, 65>)

// -----

// expected-error @below {{scales of rows must be of a multiple of 64, but are of 32}}
func.func private @f(!tcgemm.scales_buffer<a, 32, 4>)

// -----

// expected-error @below {{zero points with the layout wgmma are of 96 rows, but the layout must be mma_sync, or wgmma for a multiple of 64 rows}}
func.func private @f(!tcgemm.zero_points<a, 96, wgmma>)

// -----

// expected-error @below {{zero points with the layout wgmma are of 64 columns, but the layout must be mma_sync, or wgmma for a multiple of 64 rows}}
func.func private @f(!tcgemm.zero_points<b, 64, wgmma>)

// -----

// expected-error @below {{values of groups must be of a multiple of 64 rows, but are of 32}}
func.func private @f(!tcgemm.group_values<f16, 32>)

// -----

// expected-error @below {{values of groups are f32, f16, bf16 or i8, but not 'f64'}}
func.func private @f(!tcgemm.group_values<f64, 64>)

// -----

// expected-error @below {{row_copies = 2 must divide the 9 copies of a row}}
func.func private @f(!tcgemm.loader<<16 x 36 x f32, none>, bytes = 16, k_contiguous = false, threads = 192 row_copies = 2>)

// -----

// expected-error @below {{row_copies = 0 must divide the 9 copies of a row}}
func.func private @f(!tcgemm.loader<<16 x 36 x f32, none>, bytes = 16, k_contiguous = false, threads = 192 row_copies = 0>)

// -----

// expected-error @below {{row_copies = 2 cannot fill a swizzled '!tcgemm.tile<64 x 64 x bf16, xor>'}}
func.func private @f(!tcgemm.loader<<64 x 64 x bf16, xor>, bytes = 16, k_contiguous = true, threads = 128 row_copies = 2>)
