// RUN: tcgemm-opt %S/../Transforms/schedule-packed-fp8.mlir --tcgemm-schedule --split-input-file > %t.mlir
// RUN: tcgemm-opt %t.mlir --split-input-file \
// RUN:   --pass-pipeline='builtin.module(gpu.module(tcgemm-lower-tiles,canonicalize,cse))' | FileCheck %s

// A lane loads the 16 bytes of its rows, and selects two of 8 bytes, which hold the four
// elements of a register. One lookup has the elements from 0 to 7, and one has the halves
// of the negative ones, whose fourth bits are inverted first.

// CHECK-LABEL: tcgemm.program @rows_main(
// CHECK: %[[WORDS:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
// CHECK: %[[BITS:.*]] = llvm.inline_asm asm_dialect = att "prmt.b32 $0, $1, $2, $3;", "=r,r,r,r" %[[W0:.*]], %[[W1:.*]], %[[SELECTOR:.*]] :
// CHECK-NEXT: %[[OTHERS:.*]] = arith.xori %[[BITS]], %c34952_i32
// CHECK-NEXT: %[[HIGH:.*]] = llvm.inline_asm {{.*}}"prmt.b32 {{.*}} %c1701209960_i32, %c1549820516_i32, %[[OTHERS]] :
// CHECK-NEXT: %[[LOW:.*]] = llvm.inline_asm {{.*}}"prmt.b32 {{.*}} %c1145059328_i32, %c1313622600_i32, %[[BITS]] :
// CHECK-NEXT: %[[DOUBLE:.*]] = arith.{{muli|shli|addi}} %[[HIGH]],
// CHECK-NEXT: arith.addi %[[LOW]], %[[DOUBLE]]
// Four registers of A; no flags of transposed operands.
// CHECK: wgmma.mma_async.sync.aligned.m64n32k32.f32.e4m3.e5m2 {{[{][^}]*[}], [{][$][0-9]+, [$][0-9]+, [$][0-9]+, [$][0-9]+[}], [$][0-9]+, 0, 1, 1;}}

// -----

// Unsigned elements have no halves. A lane has 16 elements of two rows, which are the
// registers of two instructions.

// CHECK-LABEL: tcgemm.program @groups_main(
// CHECK: arith.xori %{{.*}}, %c34952_i32
// CHECK-NEXT: llvm.inline_asm {{.*}}"prmt.b32 {{.*}} %c1397903696_i32, %c1465275732_i32,
// CHECK: llvm.inline_asm {{.*}}"prmt.b32 {{.*}} %c1145059328_i32, %c1313622600_i32,
// CHECK-COUNT-4: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32
// CHECK-NOT: mma.sync
// CHECK: tcgemm.program @
