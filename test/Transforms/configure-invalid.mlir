// RUN: tcgemm-opt %s --tcgemm-configure --split-input-file --verify-diagnostics
// RUN: not tcgemm-opt %s --tcgemm-configure="chip=sm_75" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CHIP
// RUN: not tcgemm-opt %s --tcgemm-configure="config=stage=2" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=KEY
// RUN: not tcgemm-opt %s --tcgemm-configure="config=stages=20" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=VALUE
// RUN: not tcgemm-opt %s --tcgemm-configure="size-hint=128x0x64" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=HINT

// Each rule of legality, refused with the value, the rule and the limit.

// CHIP: error: tcgemm-configure: unknown chip 'sm_75'; known are sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, sm_100a, sm_120
// KEY: error: tcgemm-configure: unknown config parameter 'stage'; expected one of schedule, cta,
// VALUE: error: illegal config: stages = 20, but it must be from 2 to 12 [stages]
// HINT: error: tcgemm-configure: size-hint is '128x0x64', but it must be MxNxK or BxMxNxK with sizes from 1 to 2^40

tcgemm.kernel @plain <1x64x64x64>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
}

// -----

tcgemm.kernel @given_chip <1x64x64x64>
    // expected-error@-1 {{unknown chip 'gfx942'; known are}}
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "gfx942"}

// -----

// expected-error@+1 {{instruction = [16, 8, 8], but schedule mma_sync has [16, 8, 16] only}}
tcgemm.kernel @instruction <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<instruction = [16, 8, 8]>}

// -----

// expected-error@+1 {{cta M = 104, but it must be a multiple of 16 x 2 warps = 32}}
tcgemm.kernel @cta_m <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<cta = [104, 128, 32]>}

// -----

// expected-error@+1 {{cta N = 104, but it must be a multiple of 16 x 2 warps = 32}}
tcgemm.kernel @cta_n <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<cta = [128, 104, 32]>}

// -----

// expected-error@+1 {{cta K = 48, but it must be a power of two from 16 to 128}}
tcgemm.kernel @cta_k <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<cta = [128, 128, 48]>}

// -----

// expected-error@+1 {{warps = [2, 0, 1], but each must be at least 1}}
tcgemm.kernel @warps <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<warps = [2, 0, 1]>}

// -----

// expected-error@+1 {{warps K = 4, but it must divide the 2 k-steps of cta K = 32}}
tcgemm.kernel @warps_k <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<warps = [2, 2, 4]>}

// -----

// expected-error@+1 {{warps = [16, 4, 1] make 64 warps, but sm_90 has at most 1024 threads = 32 warps a block}}
tcgemm.kernel @threads <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<cta = [256, 64, 64], warps = [16, 4, 1], stages = 2>}

// -----

// expected-error@+1 {{stages = 13, but it must be from 2 to 12}}
tcgemm.kernel @stages <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<stages = 13>}

// -----

// expected-error@+1 {{fragment_buffers = 4, but it must be from 1 to 3}}
tcgemm.kernel @fragment_buffers <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<fragment_buffers = 4>}

// -----

// expected-error@+1 {{raster_group = 0, but it must be from 1 to 65535}}
tcgemm.kernel @raster_group <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<raster_group = 0>}

// -----

// expected-error@+1 {{split_k = 0, but it must be from 1 to 65535}}
tcgemm.kernel @split_k <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<split_k = 0>}

// -----

// expected-error@+1 {{max_registers = 100, but it must be 0 or a multiple of 8 from 24 to 255}}
tcgemm.kernel @max_registers <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<max_registers = 100>}

// -----

// expected-error@+1 {{copy_a = 32, but it must be 16, 8, 4 or 2 bytes}}
tcgemm.kernel @copy_width <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<copy_a = 32>}

// -----

// expected-error@+1 {{the rows of A's tile have 192 bytes, but shared = xor needs a power of two from 32 to 1024}}
tcgemm.kernel @tile_row <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "km">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<cta = [96, 96, 32], warps = [3, 2, 1], shared = xor>}

// -----

// expected-error@+1 {{a row of B's tile (256 elements) is 256 copies of 2 bytes, but they must divide the CTA's 128 threads}}
tcgemm.kernel @copy_threads <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "kn">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<cta = [128, 256, 32], warps = [2, 2, 1], copy_b = 2>}

// -----

// expected-error@+1 {{A's tile has 96 rows, but 256 threads with copies of 16 bytes cover 64 at a time, which must divide them}}
tcgemm.kernel @copy_rows <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<cta = [96, 64, 32], warps = [2, 4, 1]>}

// -----

// expected-error@+1 {{warp tile 128x64 with fragment_buffers = 2 needs about 392 registers a thread; the limit of sm_90 for 128 threads is 255}}
tcgemm.kernel @registers <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<cta = [256, 128, 32]>}

// -----

// expected-error@+1 {{4 stages of 32768 bytes use 131072 bytes of shared memory; the limit of sm_86 is 101376}}
tcgemm.kernel @shared_memory <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_86",
    config = #tcgemm.config<cta = [128, 128, 64], stages = 4>}

// -----

// expected-error@+1 {{warps K = 2 sum through 65536 bytes of shared memory, but the ring has 32768}}
tcgemm.kernel @k_split_buffer <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<warps = [2, 2, 2], stages = 2>}

// -----

// expected-error@+1 {{epilogue = staged goes through 9216 bytes of shared memory, but the ring has 8192}}
tcgemm.kernel @staging <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<cta = [64, 64, 16], stages = 2, epilogue = staged>}

// -----

// expected-error@+1 {{min_ctas = 4 blocks of 66560 bytes use 266240 bytes of shared memory; the limit of sm_90 is 233472 a multiprocessor}}
tcgemm.kernel @resident_shared <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_90",
    config = #tcgemm.config<cta = [64, 64, 64], stages = 4, min_ctas = 4>}

// -----

// expected-error@+1 {{min_ctas = 4 blocks of 512 threads are 2048; the limit of sm_86 is 1536 a multiprocessor}}
tcgemm.kernel @resident_threads <1x4096x4096x4096>
    [#tcgemm.operand<a, bf16, "mk">, #tcgemm.operand<b, bf16, "nk">,
     #tcgemm.operand<output, f32, "mn">] epilogue {
^bb0(%acc: f32):
  tcgemm.yield %acc : f32
} attributes {chip = "sm_86",
    config = #tcgemm.config<cta = [64, 64, 32], warps = [4, 4, 1], stages = 2, min_ctas = 4>}
