//===- TcgemmTraceOps.td - Events of roles -----------------*- tablegen -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_DIALECT_TCGEMMTRACEOPS_TD
#define TCGEMM_DIALECT_TCGEMMTRACEOPS_TD

include "tcgemm/Dialect/TcgemmDialect.td"

def TraceBufferOp : TcgemmOp<"trace.buffer", [HasParent<"ProgramOp">]> {
  let summary = "The memory to which the program's roles write events";
  let description = [{
    `ctas` are the numbers of the CTAs in the grid that write events. Negative ones
    count from the end of the grid: -1 is the last CTA. `events` is the number of events
    for which a role has room. include/tcgemm/Target/Trace.h describes the memory, which
    is a variable of the program's module. A program has at most one such operation,
    before its roles.
  }];
  let arguments = (ins DenseI64ArrayAttr:$ctas, I64Attr:$events);
  let assemblyFormat = "`ctas` $ctas `events` $events attr-dict";
  let hasVerifier = 1;
}

def TraceEventOp : TcgemmOp<"trace.event"> {
  let summary = "Writes what the role has reached, and the clock, to the trace";
  let description = [{
    One thread of the role writes the event, if its CTA is among those of the program's
    `tcgemm.trace.buffer`. No thread branches, so that products in flight stay in
    flight. A role's first event is `role_begin` and its last one is `role_end`, in the
    role's own block. These two write the role's header in place of an event.
    `acquire_begin`, `acquire_end` and `commit` are events of producers, all others are
    events of consumers.

    ```mlir
    tcgemm.trace.buffer ctas [0, -1] events 4096
    tcgemm.role producer warps [0, 4] {
      tcgemm.trace.event role_begin
      …
      tcgemm.trace.event acquire_begin
      %w = tcgemm.ring.acquire %ring, %state : !ring -> !write
      tcgemm.trace.event acquire_end
      …
      tcgemm.trace.event role_end
    }
    ```
  }];
  let arguments = (ins I32Attr:$event);
  let assemblyFormat = "custom<TraceEvent>($event) attr-dict";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::tcgemm::TraceEvent":$event), [{
    build($_builder, $_state, static_cast<uint32_t>(event));
  }]>];
  let extraClassDeclaration = [{
    TraceEvent getTraceEvent() { return static_cast<TraceEvent>(getEvent()); }
  }];
}

#endif // TCGEMM_DIALECT_TCGEMMTRACEOPS_TD
