// RUN: tcgemm-opt %s --tcgemm-to-cubin="chip=sm_90a records=none format=ptx trace=true trace-ctas=1,2 trace-events=64 pack=%t.traced" -o %t.mlir
// RUN: cat %t.traced/*.ptx | FileCheck %s
// RUN: tcgemm-opt %s --tcgemm-to-cubin="chip=sm_90a records=none format=ptx pack=%t.plain" -o %t.mlir
// RUN: cat %t.plain/*.ptx | FileCheck %s --check-prefix=PLAIN
// Each option asks for a trace.
// RUN: tcgemm-opt %s --tcgemm-to-cubin="chip=sm_90a records=none format=ptx trace-ctas=1,2 trace-events=64 pack=%t.other" -o %t.mlir
// RUN: diff -r %t.traced %t.other
// The arguments of the kernels and their plans are those without a trace.
// RUN: diff %t.plain/manifest.json %t.traced/manifest.json
// RUN: not tcgemm-opt %s --tcgemm-to-cubin="chip=sm_90a format=ptx trace=true config=schedule=mma_sync" 2>&1 | FileCheck %s --check-prefix=SCHEDULE

// CHECK-DAG: .visible .global .align 16 .b8 [[MAIN:[a-z_0-9]*_main]]_trace[
// CHECK-DAG: .visible .global .align 16 .b8 [[MAIN]]_trace_layout[
// No thread keeps its position in local memory.
// CHECK-NOT: .local
// CHECK-DAG: mov.u64 word, %clock64;
// CHECK-DAG: mov.u64 timer, %globaltimer;

// PLAIN-NOT: clock
// PLAIN-NOT: trace
// PLAIN-NOT: globaltimer

// SCHEDULE: error: 'tcgemm.kernel' op has schedule mma_sync, whose programs write no trace; schedules that do: wgmma
func.func @f(%a: tensor<?x512xbf16>, %b: tensor<512x?xbf16>, %d: tensor<?x?xbf16> {bufferization.writable = true}) -> tensor<?x?xbf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<?x512xbf16>, tensor<512x?xbf16>)
                     outs(%d : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %0 : tensor<?x?xbf16>
}
