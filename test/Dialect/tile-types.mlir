// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s

// CHECK: !tcgemm.tile<128 x 64 x bf16, xor>
func.func private @xor(!tcgemm.tile<128 x 64 x bf16, xor>)
// CHECK: !tcgemm.tile<16 x 40 x f16, pad>
func.func private @pad(!tcgemm.tile<16 x 40 x f16, pad>)
// CHECK: !tcgemm.ring<4, cp_async, [<128 x 64 x bf16, xor>, <256 x 64 x bf16, xor>]>
func.func private @ring(!tcgemm.ring<4, cp_async, [!tcgemm.tile<128 x 64 x bf16, xor>,
                                                   !tcgemm.tile<256 x 64 x bf16, xor>]>)
// CHECK: !tcgemm.ring<1, mbarrier, [<64 x 64 x bf16, b128>]>
func.func private @mbarrier(!tcgemm.ring<1, mbarrier, [!tcgemm.tile<64 x 64 x bf16, b128>]>)
// CHECK: !tcgemm.loader<<64 x 8 x f32, none>, bytes = 4, k_contiguous = false, threads = 96>
func.func private @loader(!tcgemm.loader<<64 x 8 x f32, none>, bytes = 4, k_contiguous = false, threads = 96>)
// CHECK: !tcgemm.token<write>, !tcgemm.token<in_flight>, !tcgemm.token<read>, !tcgemm.ring_state
func.func private @tokens(!tcgemm.token<write>, !tcgemm.token<in_flight>, !tcgemm.token<read>,
                          !tcgemm.ring_state)
// CHECK: !tcgemm.fragment<a, 64 x 16 x bf16>, !tcgemm.acc<64 x 256, wgmma, in_flight = true>, !tcgemm.acc<1 x 8, row>
func.func private @registers(!tcgemm.fragment<a, 64 x 16 x bf16>,
                             !tcgemm.acc<64 x 256, wgmma, in_flight = true>,
                             !tcgemm.acc<1 x 8, row>)
// CHECK: !tcgemm.tensor_map<<64 x 64 x bf16, b128>>
func.func private @map(!tcgemm.tensor_map<<64 x 64 x bf16, b128>>)
// CHECK: !tcgemm.loader<<8 x 64 x f32, pad>, bytes = 4, k_contiguous = true, threads = 128, transposed = true>
func.func private @transposed(!tcgemm.loader<<8 x 64 x f32, pad>, bytes = 4, k_contiguous = true, threads = 128, transposed = true>)
// CHECK: !tcgemm.fragment<b, 8 x 1 x f32, runs = [4, 64]>, !tcgemm.acc<8 x 6, simt runs = [4, 64, 2, 32]>
func.func private @thread(!tcgemm.fragment<b, 8 x 1 x f32, runs = [4, 64]>, !tcgemm.acc<8 x 6, simt runs = [4, 64, 2, 32]>)
// CHECK: !tcgemm.scales<a, 64>, !tcgemm.scales<b, 256>
func.func private @scales(!tcgemm.scales<a, 64>, !tcgemm.scales<b, 256>)
// CHECK: !tcgemm.scales_buffer<b, 256, 4>
func.func private @scales_buffer(!tcgemm.scales_buffer<b, 256, 4>)
// CHECK: !tcgemm.zero_points<b, 32>, !tcgemm.zero_points<a, 64, wgmma>
func.func private @zero_points(!tcgemm.zero_points<b, 32, mma_sync>, !tcgemm.zero_points<a, 64, wgmma>)
// CHECK: !tcgemm.group_values<f16, 64>, !tcgemm.group_values<i8, 128>
func.func private @group_values(!tcgemm.group_values<f16, 64>, !tcgemm.group_values<i8, 128>)

// CHECK: !tcgemm.loader<<16 x 36 x f32, none>, bytes = 16, k_contiguous = false, threads = 192 row_copies = 3>
func.func private @row_copies(!tcgemm.loader<<16 x 36 x f32, none>, bytes = 16, k_contiguous = false, threads = 192 row_copies = 3>)

// CHECK: !tcgemm.loader<<24 x 64 x f32, pad>, bytes = 4, k_contiguous = true, threads = 128 row_copies = 3, transposed = true>
func.func private @transposed_row_copies(!tcgemm.loader<<24 x 64 x f32, pad>, bytes = 4, k_contiguous = true, threads = 128 row_copies = 3, transposed = true>)
