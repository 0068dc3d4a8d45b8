// RUN: tcgemm-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{column 3 of 'M M': expected an operator or the end, found 'M'}}
#e = #tcgemm.expr<"M M">

// -----

// expected-error @below {{column 1 of '': expected a value, found the end}}
#e = #tcgemm.expr<"">

// -----

// expected-error @below {{'9223372036854775808' does not fit 64 bits}}
#e = #tcgemm.expr<"9223372036854775808">

// -----

// expected-error @below {{expected an expression in quotes}}
#e = #tcgemm.expr<M>

// -----

// expected-error @below {{'i16' is not a kind of binding; the kinds are pointer, scalar, i32, i64, workspace and tensor_map}}
#b = #tcgemm.binding<i16 "M">

// -----

// expected-error @below {{expected the kind of a binding}}
#b = #tcgemm.binding<"pointer A">

// -----

// expected-error @below {{expected the operand's name after 'pointer'}}
#b = #tcgemm.binding<pointer>

// -----

// expected-error @below {{expected the operand's name after 'scalar'}}
#b = #tcgemm.binding<scalar "in0">

// -----

// expected-error @below {{'C' is not the name of an operand; the names are A, B, in<N> and out<N>}}
#b = #tcgemm.binding<pointer C>

// -----

// expected-error @below {{'in' is not the name of an operand}}
#b = #tcgemm.binding<scalar in>

// -----

// expected-error @below {{expected an expression in quotes}}
#b = #tcgemm.binding<i32>

// -----

// expected-error @below {{column 4 of '8 +': expected a value, found the end}}
#b = #tcgemm.binding<workspace "8 +">

// -----

// expected-error @below {{expected integer value}}
#b = #tcgemm.binding<tensor_map "0">

// -----

// expected-error @below {{-1 is not the index of a tensor map}}
#b = #tcgemm.binding<tensor_map -1>

// -----

gpu.module @programs {
  // expected-error @below {{argument 1: tcgemm.binding must be a #tcgemm.binding or a #tcgemm.tensor_map, but is "i32 N"}}
  tcgemm.program @p(%m: i32 {tcgemm.binding = #tcgemm.binding<i32 "M">}, %n: i32 {tcgemm.binding = "i32 N"}) attributes {threads = 32 : i64, chip = "sm_90"} {
    tcgemm.return
  }
}
