// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-program-to-nvvm))' | FileCheck %s
// RUN: tcgemm-opt %s --pass-pipeline='builtin.module(gpu.module(tcgemm-program-to-nvvm), tcgemm-emit{format=ptx chip=sm_90a})' \
// RUN:   | sed 's/\\0A/\n/g' | FileCheck %s --check-prefix=PTX

// An assertion is a call of __assertfail with its text, the file, the line, the program and the
// bytes of a character. The module declares the function once.

// CHECK-LABEL: gpu.module @module
// CHECK:         llvm.mlir.global internal constant @[[NAME:assertion_text_[0-9]+]]("nested\00") {addr_space = 1 : i32, alignment = 1 : i64}
// CHECK-NEXT:    llvm.mlir.global internal constant @[[FILE:assertion_text_[0-9]+]]("{{.*}}program-to-nvvm-assert.mlir\00")
// CHECK-NEXT:    llvm.mlir.global internal constant @[[TEXT:assertion_text_[0-9]+]]("no more than four\00")
// CHECK-NEXT:    llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64) attributes {passthrough = ["noreturn"]}
// CHECK-NOT:     llvm.func @__assertfail
// CHECK:         llvm.func @nested(
// CHECK:           %[[HOLDS:.*]] = llvm.icmp "ule"
// CHECK-NEXT:      llvm.cond_br %[[HOLDS]], ^[[AFTER:bb[0-9]+]], ^[[FAILED:bb[0-9]+]]
// CHECK:         ^[[FAILED]]:
// CHECK:           %[[A0:.*]] = llvm.mlir.addressof @[[TEXT]] : !llvm.ptr<1>
// CHECK:           %[[P0:.*]] = llvm.addrspacecast %[[A0]] : !llvm.ptr<1> to !llvm.ptr
// CHECK:           %[[A1:.*]] = llvm.mlir.addressof @[[FILE]]
// CHECK:           %[[P1:.*]] = llvm.addrspacecast %[[A1]]
// CHECK:           %[[A2:.*]] = llvm.mlir.addressof @[[NAME]]
// CHECK:           %[[P2:.*]] = llvm.addrspacecast %[[A2]]
// CHECK:           llvm.call @__assertfail(%[[P0]], %[[P1]], %{{.*}}, %[[P2]], %{{.*}})
// CHECK-NEXT:      llvm.unreachable
// CHECK:         ^[[AFTER]]:

// PTX: .extern .func __assertfail
// PTX: .global .align 1 .b8 assertion_text_
// PTX: call.uni{{.*}}__assertfail
gpu.module @module {
  tcgemm.program @nested(%n: i32) attributes {threads = 32 : i64, chip = "sm_90a"} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      %holds = arith.cmpi ule, %i, %c4 : i32
      cf.assert %holds, "no more than four"
    }
    tcgemm.return
  }
  tcgemm.program @second(%holds: i1) attributes {threads = 32 : i64, chip = "sm_90a"} {
    cf.assert %holds, "the argument"
    tcgemm.return
  }
}
