// RUN: tcgemm-opt %s --split-input-file --verify-diagnostics

tcgemm.program @unknown() attributes {threads = 128 : i64, chip = "sm_90a"} {
  tcgemm.trace.buffer ctas [0] events 8
  tcgemm.role producer warps [0, 4] {
    // expected-error @below {{'acquired' is no event; events are role_begin, role_end, acquire_begin, acquire_end, commit, wait_begin, wait_end, release, order_begin, order_end, reduce_begin, reduce_end, epilogue_begin, epilogue_end}}
    tcgemm.trace.event acquired
  }
  tcgemm.return
}

// -----

tcgemm.program @number() attributes {threads = 128 : i64, chip = "sm_90a"} {
  tcgemm.trace.buffer ctas [0] events 8
  tcgemm.role producer warps [0, 4] {
    // expected-error @below {{has the event 14, but the last one is 13}}
    "tcgemm.trace.event"() <{event = 14 : i32}> : () -> ()
  }
  tcgemm.return
}

// -----

tcgemm.program @of_consumers() attributes {threads = 128 : i64, chip = "sm_90a"} {
  tcgemm.trace.buffer ctas [0] events 8
  tcgemm.role producer warps [0, 4] {
    // expected-error @below {{wait_begin is an event of consumers, but the role is a producer}}
    tcgemm.trace.event wait_begin
  }
  tcgemm.return
}

// -----

tcgemm.program @of_producers() attributes {threads = 128 : i64, chip = "sm_90a"} {
  tcgemm.trace.buffer ctas [0] events 8
  tcgemm.role consumer warps [0, 4] {
    // expected-error @below {{commit is an event of producers, but the role is a consumer}}
    tcgemm.trace.event commit
  }
  tcgemm.return
}

// -----

tcgemm.program @no_role() attributes {threads = 128 : i64, chip = "sm_90a"} {
  tcgemm.trace.buffer ctas [0] events 8
  // expected-error @below {{must be for all threads of a role}}
  tcgemm.trace.event role_begin
  tcgemm.return
}

// -----

tcgemm.program @elected() attributes {threads = 128 : i64, chip = "sm_90a"} {
  tcgemm.trace.buffer ctas [0] events 8
  tcgemm.role consumer warps [0, 4] {
    tcgemm.elect {
      // expected-error @below {{must be for all threads of a role}}
      tcgemm.trace.event role_begin
    }
  }
  tcgemm.return
}

// -----

tcgemm.program @no_buffer() attributes {threads = 128 : i64, chip = "sm_90a"} {
  tcgemm.role producer warps [0, 4] {
    // expected-error @below {{needs a tcgemm.trace.buffer in its program}}
    tcgemm.trace.event role_begin
  }
  tcgemm.return
}

// -----

tcgemm.program @no_begin() attributes {threads = 128 : i64, chip = "sm_90a"} {
  tcgemm.trace.buffer ctas [0] events 8
  tcgemm.role producer warps [0, 4] {
    // expected-error @below {{comes before the role's role_begin}}
    tcgemm.trace.event acquire_begin
    tcgemm.trace.event role_begin
  }
  tcgemm.return
}

// -----

tcgemm.program @begin_in_loop(%n: i32) attributes {threads = 128 : i64, chip = "sm_90a"} {
  tcgemm.trace.buffer ctas [0] events 8
  tcgemm.role producer warps [0, 4] {
    scf.for %i = %n to %n step %n : i32 {
      // expected-error @below {{role_begin must be in the role's own block}}
      tcgemm.trace.event role_begin
    }
  }
  tcgemm.return
}

// -----

tcgemm.program @two_buffers() attributes {threads = 128 : i64, chip = "sm_90a"} {
  // expected-error @below {{is not the program's only one}}
  tcgemm.trace.buffer ctas [0] events 8
  tcgemm.trace.buffer ctas [1] events 8
  tcgemm.return
}

// -----

tcgemm.program @late_buffer() attributes {threads = 128 : i64, chip = "sm_90a"} {
  tcgemm.role producer warps [0, 4] {
  }
  // expected-error @below {{must be before the program's roles}}
  tcgemm.trace.buffer ctas [0] events 8
  tcgemm.return
}

// -----

tcgemm.program @no_cta() attributes {threads = 128 : i64, chip = "sm_90a"} {
  // expected-error @below {{a trace is of 1 to 16 CTAs, but 0 are given}}
  tcgemm.trace.buffer ctas [] events 8
  tcgemm.return
}

// -----

tcgemm.program @cta_twice() attributes {threads = 128 : i64, chip = "sm_90a"} {
  // expected-error @below {{the CTA 3 of a trace is given twice}}
  tcgemm.trace.buffer ctas [3, 1, 3] events 8
  tcgemm.return
}

// -----

tcgemm.program @large_cta() attributes {threads = 128 : i64, chip = "sm_90a"} {
  // expected-error @below {{the CTA 2147483648 of a trace is not from -2^31 to 2^31 - 1}}
  tcgemm.trace.buffer ctas [2147483648] events 8
  tcgemm.return
}

// -----

tcgemm.program @no_events() attributes {threads = 128 : i64, chip = "sm_90a"} {
  // expected-error @below {{a trace has room for 1 to 65536 events of a role, but 0 is given}}
  tcgemm.trace.buffer ctas [0] events 0
  tcgemm.return
}

// -----

tcgemm.program @many_events() attributes {threads = 128 : i64, chip = "sm_90a"} {
  // expected-error @below {{a trace has room for 1 to 65536 events of a role, but 65537 is given}}
  tcgemm.trace.buffer ctas [0] events 65537
  tcgemm.return
}
