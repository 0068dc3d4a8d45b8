// RUN: tcgemm-opt %s | tcgemm-opt | FileCheck %s
// RUN: tcgemm-opt %s -mlir-print-op-generic | tcgemm-opt | FileCheck %s

// Every event, in a role that has it.

// CHECK-LABEL: tcgemm.program @events
// CHECK-NEXT: tcgemm.trace.buffer ctas [0, 7, -1] events 65536
// CHECK-NEXT: tcgemm.role producer
// CHECK-NEXT: tcgemm.trace.event role_begin{{$}}
// CHECK-NEXT: tcgemm.trace.event acquire_begin{{$}}
// CHECK-NEXT: tcgemm.trace.event acquire_end{{$}}
// CHECK-NEXT: tcgemm.trace.event commit{{$}}
// CHECK-NEXT: tcgemm.trace.event role_end{{$}}
// CHECK: tcgemm.role consumer
// CHECK-NEXT: tcgemm.trace.event role_begin{{$}}
// CHECK-NEXT: tcgemm.trace.event order_begin{{$}}
// CHECK-NEXT: tcgemm.trace.event order_end{{$}}
// CHECK-NEXT: tcgemm.trace.event wait_begin{{$}}
// CHECK-NEXT: tcgemm.trace.event wait_end{{$}}
// CHECK-NEXT: tcgemm.trace.event release{{$}}
// CHECK-NEXT: tcgemm.trace.event reduce_begin{{$}}
// CHECK-NEXT: tcgemm.trace.event reduce_end{{$}}
// CHECK-NEXT: tcgemm.trace.event epilogue_begin{{$}}
// CHECK-NEXT: tcgemm.trace.event epilogue_end{{$}}
// CHECK-NEXT: tcgemm.trace.event role_end{{$}}
tcgemm.program @events() attributes {threads = 256 : i64, chip = "sm_90a"} {
  tcgemm.trace.buffer ctas [0, 7, -1] events 65536
  tcgemm.role producer warps [0, 4] {
    tcgemm.trace.event role_begin
    tcgemm.trace.event acquire_begin
    tcgemm.trace.event acquire_end
    tcgemm.trace.event commit
    tcgemm.trace.event role_end
  }
  tcgemm.role consumer warps [4, 8] {
    tcgemm.trace.event role_begin
    tcgemm.trace.event order_begin
    tcgemm.trace.event order_end
    tcgemm.trace.event wait_begin
    tcgemm.trace.event wait_end
    tcgemm.trace.event release
    tcgemm.trace.event reduce_begin
    tcgemm.trace.event reduce_end
    tcgemm.trace.event epilogue_begin
    tcgemm.trace.event epilogue_end
    tcgemm.trace.event role_end
  }
  tcgemm.return
}
