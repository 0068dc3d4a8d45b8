// RUN: tcgemm-opt %s --split-input-file --pass-pipeline="builtin.module(gpu.module(tcgemm-keep-parts{copies=false}))" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,PRODUCTS,EPILOGUE --implicit-check-not=tma.load
// RUN: tcgemm-opt %s --split-input-file --pass-pipeline="builtin.module(gpu.module(tcgemm-keep-parts{products=false}))" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,COPIES,ZERO --implicit-check-not=mma. --implicit-check-not=in_flight
// RUN: tcgemm-opt %s --split-input-file --pass-pipeline="builtin.module(gpu.module(tcgemm-keep-parts{epilogue=false}))" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,COPIES,PRODUCTS --implicit-check-not=tma.store --implicit-check-not=tma.await
// RUN: tcgemm-opt %s --split-input-file --pass-pipeline="builtin.module(gpu.module(tcgemm-keep-parts{copies=false products=false epilogue=false},tcgemm-lower-programs))" \
// RUN:   | FileCheck %s --check-prefix=NONE --implicit-check-not=wgmma.mma_async --implicit-check-not=cp.async.bulk
// RUN: tcgemm-opt %s --split-input-file --pass-pipeline="builtin.module(gpu.module(tcgemm-keep-parts))" \
// RUN:   | FileCheck %s --check-prefixes=CHECK,COPIES,PRODUCTS,EPILOGUE

// A program with every part. The ring's stages are handed over in any case.

!a = !tcgemm.tile<64 x 64 x bf16, b128>
!b = !tcgemm.tile<64 x 64 x bf16, b128>
!ring = !tcgemm.ring<4, mbarrier, [!a, !b]>
!map = !tcgemm.tensor_map<!a>
!write = !tcgemm.token<write>
!read = !tcgemm.token<read>
!state = !tcgemm.ring_state
!acc = !tcgemm.acc<64 x 64, wgmma>
!flying = !tcgemm.acc<64 x 64, wgmma, in_flight = true>

// CHECK-LABEL: tcgemm.program @whole
// CHECK: tcgemm.role producer
// CHECK: tcgemm.ring.acquire
// COPIES: tcgemm.tma.load {{.*}} tile 0
// COPIES: tcgemm.tma.load {{.*}} tile 1
// CHECK: tcgemm.ring.commit
// CHECK: tcgemm.role consumer
// ZERO: %[[ZERO:.*]] = tcgemm.acc.zero
// CHECK: tcgemm.ring.wait
// PRODUCTS: tcgemm.mma.async
// CHECK: scf.for
// CHECK: tcgemm.ring.wait
// PRODUCTS: tcgemm.mma.async
// PRODUCTS: tcgemm.mma.await {{.*}} pending 1
// CHECK: tcgemm.ring.release
// PRODUCTS: tcgemm.mma.await
// CHECK: tcgemm.ring.release
// EPILOGUE: tcgemm.tma.store
// ZERO: tcgemm.tma.store
// CHECK: tcgemm.return
// NONE-LABEL: llvm.func @whole
// NONE: nvvm.mbarrier.arrive.expect_tx {{.*}}
gpu.module @kernels {
  tcgemm.program @whole(%map_a: !map, %map_b: !map, %map_c: !map, %k_tiles: i32)
      attributes {threads = 256 : i64, chip = "sm_90a"} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c64 = arith.constant 64 : i32
    %ring = tcgemm.ring.create full_arrivals 1 empty_arrivals 4 : !ring
    tcgemm.role producer warps [0, 4] registers 24 {
      %start = tcgemm.ring.start %ring : !ring
      scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%state = %start) -> (!state) : i32 {
        %k0 = arith.muli %kt, %c64 : i32
        %w = tcgemm.ring.acquire %ring, %state : !ring -> !write
        tcgemm.tma.load %map_a[%k0, %c0] to %ring, %state, %w tile 0 : !map, !ring, !write
        tcgemm.tma.load %map_b[%k0, %c0] to %ring, %state, %w tile 1 : !map, !ring, !write
        tcgemm.ring.commit %ring, %w : !ring, !write
        %next = tcgemm.ring.advance %ring, %state : !ring
        scf.yield %next : !state
      }
    }
    tcgemm.role consumer warps [4, 8] registers 240 {
      %start = tcgemm.ring.start %ring : !ring
      %none = tcgemm.acc.zero : !acc
      %false = arith.constant false
      %r0 = tcgemm.ring.wait %ring, %start : !ring -> !read
      %p0 = tcgemm.mma.async %ring, %start, %r0 tiles 0, 1 into %none if %false
          : !ring, !read, !acc -> !flying
      %second = tcgemm.ring.advance %ring, %start : !ring
      %p, %last, %end = scf.for %kt = %c1 to %k_tiles step %c1
          iter_args(%sum = %p0, %before = %r0, %state = %second) -> (!flying, !read, !state) : i32 {
        %r = tcgemm.ring.wait %ring, %state : !ring -> !read
        %p1 = tcgemm.mma.async %ring, %state, %r tiles 0, 1 into %sum : !ring, !read, !flying -> !flying
        %p2 = tcgemm.mma.await %p1 pending 1 : !flying -> !flying
        tcgemm.ring.release %ring, %before arrivals 4 : !ring, !read
        %next = tcgemm.ring.advance %ring, %state : !ring
        scf.yield %p2, %r, %next : !flying, !read, !state
      }
      %acc = tcgemm.mma.await %p : !flying -> !acc
      tcgemm.ring.release %ring, %last arrivals 4 : !ring, !read
      tcgemm.tma.store %acc to %map_c[%c0, %c0] buffers 1 : !acc, !map
      tcgemm.tma.await
    }
    tcgemm.return
  }
}
