// Wrong values of options are errors for a module in which a pass finds nothing to do, too.

// RUN: not tcgemm-opt %s --tcgemm-configure=chip=abc 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tcgemm-opt %s --tcgemm-to-nvvm=chip=abc 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tcgemm-opt %s --tcgemm-to-cubin=chip=abc 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tcgemm-opt %s --tcgemm-kernels=chip=abc 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tcgemm-opt %s --tcgemm-to-device=chip=abc 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: tcgemm-configure: unknown chip 'abc'; known are sm_80, sm_86,

// RUN: not tcgemm-opt %s --tcgemm-configure=config=stage=2 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: error: tcgemm-configure: unknown config parameter 'stage'; expected one of schedule, cta,
// RUN: not tcgemm-opt %s --tcgemm-to-nvvm=config=stages=-1 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: error: tcgemm-configure: config parameter 'stages': expected an integer from 0 to 1048576, but got '-1'
// RUN: tcgemm-opt %s --tcgemm-configure=config=schedule=wgmma

// RUN: not tcgemm-opt %s --tcgemm-configure=size-hint=128x64 2>&1 | FileCheck %s --check-prefix=HINT
// HINT: error: tcgemm-configure: size-hint is '128x64', but it must be MxNxK or BxMxNxK with sizes from 1 to 2^40
// RUN: not tcgemm-opt %s --tcgemm-configure=records=%t.none 2>&1 | FileCheck %s --check-prefix=RECORDS
// RECORDS: error: tcgemm-configure: '{{.*}}.none' is not a database

// RUN: not tcgemm-opt %s --tcgemm-raise=precision=abc 2>&1 | FileCheck %s --check-prefix=PRECISION
// RUN: not tcgemm-opt %s --tcgemm-host=precision=abc 2>&1 | FileCheck %s --check-prefix=PRECISION
// RUN: not tcgemm-opt %s --tcgemm-to-device=precision=abc 2>&1 | FileCheck %s --check-prefix=PRECISION
// PRECISION: error: tcgemm-raise: precision: 'abc' is none of ieee, tf32,

// tcgemm-bufferize raises nothing, and has no options for that.
// RUN: not tcgemm-opt %s --tcgemm-bufferize=precision=abc 2>&1 | FileCheck %s --check-prefix=NO-PRECISION
// NO-PRECISION: no such option precision
// RUN: not tcgemm-opt %s --tcgemm-bufferize=remarks=false 2>&1 | FileCheck %s --check-prefix=NO-REMARKS
// NO-REMARKS: no such option remarks
// RUN: tcgemm-opt %s --tcgemm-bufferize="out-params=false deallocate=true"

// RUN: not tcgemm-opt %s --tcgemm-launch-to-gpu=sm-count=-1 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not tcgemm-opt %s --tcgemm-to-device=sm-count=-1 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: tcgemm-launch-to-gpu: sm-count is -1, but it must be from 0 to 65536
// RUN: not tcgemm-opt %s --tcgemm-to-device=sm-count=65537 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: tcgemm-launch-to-gpu: sm-count is 65537, but it must be from 0 to 65536
// RUN: tcgemm-opt %s --tcgemm-launch-to-gpu=sm-count=65536

// RUN: not tcgemm-opt %s --tcgemm-emit=chip=abc 2>&1 | FileCheck %s --check-prefix=EMIT-CHIP
// EMIT-CHIP: error: tcgemm-emit: unknown chip 'abc'; known are sm_80, sm_86,
// RUN: not tcgemm-opt %s --tcgemm-to-cubin=timeout=0 2>&1 | FileCheck %s --check-prefix=TIMEOUT
// TIMEOUT: error: tcgemm-emit: timeout is 0 seconds, but it must be from 1 to 86400
// RUN: not tcgemm-opt %s --tcgemm-to-cubin=ptxas=%t.none 2>&1 | FileCheck %s --check-prefix=PTXAS
// PTXAS: error: tcgemm-emit: ptxas path '{{.*}}.none' is not an executable file
// RUN: tcgemm-opt %s --tcgemm-to-cubin="format=ptx ptxas=%t.none"

// RUN: not tcgemm-opt %s --tcgemm-to-nvvm=trace-events=-1 2>&1 | FileCheck %s --check-prefix=EVENTS
// EVENTS: error: tcgemm-trace-programs: a trace has room for 1 to 65536 events of a role, but -1 is given
// RUN: not tcgemm-opt %s --tcgemm-write-pack 2>&1 | FileCheck %s --check-prefix=PATH
// PATH: error: tcgemm-write-pack: path is empty, but it must name a directory
module {}
