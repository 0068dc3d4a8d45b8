// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles))' \
// RUN:   --split-input-file --verify-diagnostics

// What no schedule uses: their epilogues store by TMA.

!tile = !tcgemm.tile<64 x 64 x bf16, b128>
gpu.module @module {
  tcgemm.program @store(%map: !tcgemm.tensor_map<!tile>, %m: i32, %n: i32)
      attributes {threads = 128 : i64, chip = "sm_90a"} {
    %acc = tcgemm.acc.zero : !tcgemm.acc<64 x 256, wgmma>
    // expected-error @below {{'tcgemm.tma.store' op cannot be lowered yet}}
    tcgemm.tma.store %acc to %map[%n, %m] buffers 1 : !tcgemm.acc<64 x 256, wgmma>, !tcgemm.tensor_map<!tile>
    tcgemm.tma.await
    tcgemm.return
  }
}
