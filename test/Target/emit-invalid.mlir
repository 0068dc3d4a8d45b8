// RUN: not tcgemm-opt %s --tcgemm-emit="format=elf" 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not tcgemm-opt %s --tcgemm-emit="opt-level=4" 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: not tcgemm-opt %s --tcgemm-emit="timeout=0" 2>&1 | FileCheck %s --check-prefix=TIMEOUT
// RUN: not tcgemm-opt %s --tcgemm-emit="ptxas-threads=1025" 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not tcgemm-opt %s --tcgemm-emit="chip=sm_50" 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tcgemm-opt %s --tcgemm-emit="ptxas=/no/such" 2>&1 | FileCheck %s --check-prefix=PTXAS
// RUN: not env TCGEMM_PTXAS=/no/such tcgemm-opt %s --tcgemm-emit 2>&1 | FileCheck %s --check-prefix=ENV
// RUN: printf '#!/bin/sh\necho "ptxas fatal   : out of luck"; exit 255\n' > %t.fails
// RUN: printf '#!/bin/sh\nif [ $1 = --version ]; then echo "release 1.0, V1.0.1"; exit; fi\necho "ptxas fatal   : out of luck"; exit 255\n' > %t.fails
// RUN: chmod +x %t.fails
// RUN: not tcgemm-opt %s --tcgemm-emit="ptxas=%t.fails" 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: printf '#!/bin/sh\nif [ $1 = --version ]; then echo "release 1.0, V1.0.1"; exit; fi\nexec sleep 60\n' > %t.hangs
// RUN: chmod +x %t.hangs
// RUN: not tcgemm-opt %s --tcgemm-emit="ptxas=%t.hangs timeout=1" 2>&1 | FileCheck %s --check-prefix=HANGS

// Only a ptxas of CUDA 13 or later is told of threads.
// RUN: printf '#!/bin/sh\nif [ $1 = --version ]; then echo "release 13.0, V13.0.88"; exit; fi\necho "$@"; exit 255\n' > %t.new
// RUN: printf '#!/bin/sh\nif [ $1 = --version ]; then echo "release 12.9, V12.9.1"; exit; fi\necho "$@"; exit 255\n' > %t.old
// RUN: chmod +x %t.new %t.old
// RUN: not tcgemm-opt %s --tcgemm-emit="ptxas=%t.new ptxas-threads=3" 2>&1 | FileCheck %s --check-prefix=NEW
// RUN: not tcgemm-opt %s --tcgemm-emit="ptxas=%t.old ptxas-threads=3" 2>&1 | FileCheck %s --check-prefix=OLD

// A ptxas that spills, and remarks.
// RUN: printf '#!/bin/sh\nif [ $1 = --version ]; then echo "release 1.0, V1.0.1"; exit; fi\ncat <<EOF\nptxas warning : (C7508) setmaxnreg ignored\nptxas info    : Compiling entry function '"'k'"' for '"'sm_90'"'\nptxas info    : Function properties for k\n    8 bytes stack frame, 16 bytes spill stores, 24 bytes spill loads\nptxas info    : Used 255 registers, used 1 barriers\nEOF\nfor last; do :; done; while [ $1 != -o ]; do shift; done; echo cubin > $2\n' > %t.spills
// RUN: chmod +x %t.spills
// RUN: not tcgemm-opt %s --tcgemm-emit="ptxas=%t.spills" 2>&1 | FileCheck %s --check-prefix=SPILLS
// RUN: not tcgemm-opt %s --tcgemm-emit="ptxas=%t.spills allow-spills" 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tcgemm-opt %s --tcgemm-emit="ptxas=%t.spills allow-spills allow-remarks" 2>&1 | FileCheck %s --check-prefix=ALLOWED

// Spills of a function that may spill are no error.
// RUN: sed 's/{nvvm.kernel}/{nvvm.kernel, tcgemm.may_spill}/' %s > %t.may.mlir
// RUN: tcgemm-opt %t.may.mlir --tcgemm-emit="ptxas=%t.spills allow-remarks" 2>&1 | FileCheck %s --check-prefix=MAY

// FORMAT: error: tcgemm-emit: format is 'elf', but it must be ptx or cubin
// LEVEL: error: tcgemm-emit: opt-level is 4, but it must be from 0 to 3
// TIMEOUT: error: tcgemm-emit: timeout is 0 seconds, but it must be from 1 to 86400
// THREADS: error: tcgemm-emit: ptxas-threads is 1025, but it must be from 0 to 1024
// NEW: --split-compile=3
// OLD: ptxas failed
// OLD-NOT: --split-compile
// CHIP: error: tcgemm-emit: unknown chip 'sm_50'; known are sm_80, sm_86
// PTXAS: error: tcgemm-emit: ptxas path '/no/such' is not an executable file
// ENV: error: TCGEMM_PTXAS is '/no/such', which is not an executable file
// FAILS: error: ptxas failed with status 255 for sm_90:
// FAILS-NEXT: ptxas fatal : out of luck
// HANGS: was killed after 1 seconds
// SPILLS: error: m: ptxas remarks (C7508) setmaxnreg ignored; allow-remarks accepts it
// SPILLS: error: k: spills 16 bytes of stores and 24 bytes of loads with 255 registers, but the limit is 0; allow-spills accepts it
// REMARK-NOT: spills
// REMARK: error: m: ptxas remarks (C7508)
// MAY: warning: k: spills 16 bytes of stores and 24 bytes of loads with 255 registers
// MAY: spill_bytes = 40 : i64
// ALLOWED: registers = 255 : i64, remarks = [], spill_bytes = 40 : i64, stack_bytes = 8 : i64
// ALLOWED-SAME: remarks = ["(C7508) setmaxnreg ignored"]
gpu.module @m {
  llvm.func @k(%p: !llvm.ptr<1>, %v: i32) attributes {nvvm.kernel} {
    llvm.store %v, %p : i32, !llvm.ptr<1>
    llvm.return
  }
}
