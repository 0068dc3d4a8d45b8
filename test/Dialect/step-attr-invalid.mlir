// RUN: tcgemm-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{tensor map 'A': box[0]: 128 elements of bf16 are 256 bytes, must be at most the swizzle's 128}}
#map = #tcgemm.tensor_map<"A", bf16, base = pointer A, dims = ["K", "M"], strides = ["A.stride0 * 2"], box = [128, 128], swizzle = 128, l2_promotion = 0>

// -----

// expected-error @below {{tensor map 'A': dims: has 1 entries, must have 2 to 5}}
#map = #tcgemm.tensor_map<"A", bf16, base = pointer A, dims = ["K"], strides = ["A.stride0 * 2"], box = [64], swizzle = 128, l2_promotion = 0>

// -----

// expected-error @below {{tensor map 'A': base must be pointer or workspace, but is i64}}
#map = #tcgemm.tensor_map<"A", bf16, base = i64 "1", dims = ["K", "M"], strides = ["A.stride0 * 2"], box = [64, 128], swizzle = 128, l2_promotion = 0>

// -----

// expected-error @below {{tensor map 'A': 'i7' is not an element type}}
#map = #tcgemm.tensor_map<"A", i7, base = pointer A, dims = ["K", "M"], strides = ["A.stride0 * 2"], box = [64, 128], swizzle = 128, l2_promotion = 0>

// -----

// expected-error @below {{argument 'tensor_map 0' names none of the 0 tensor maps}}
#step = #tcgemm.step<@m::@p, grid = ["1", "1", "1"], threads = 32, shared_memory = 0, arguments = [tensor_map 0]>

// -----

// expected-error @below {{cluster must have 3 sizes, but has 2}}
#step = #tcgemm.step<@m::@p, grid = ["1", "1", "1"], cluster = [2, 1], threads = 32, shared_memory = 0, arguments = [i32 "M"]>

// -----

// expected-error @below {{cluster has a size 0, but each must be from 1 to 16}}
#step = #tcgemm.step<@m::@p, grid = ["1", "1", "1"], cluster = [2, 0, 1], threads = 32, shared_memory = 0, arguments = [i32 "M"]>

// -----

// expected-error @below {{grid must have 3 sizes, but has 2}}
#step = #tcgemm.step<@m::@p, grid = ["1", "1"], threads = 32, shared_memory = 0, arguments = []>

// -----

// expected-error @below {{threads must be from 1 to 1024, but are 1025}}
#step = #tcgemm.step<@m::@p, grid = ["1", "1", "1"], threads = 1025, shared_memory = 0, arguments = []>

// -----

// expected-error @below {{threads must be from 1 to 1024, but are 0}}
#step = #tcgemm.step<@m::@p, grid = ["1", "1", "1"], threads = 0, shared_memory = 0, arguments = []>

// -----

// expected-error @below {{shared_memory must be a number of bytes, but is -1}}
#step = #tcgemm.step<@m::@p, grid = ["1", "1", "1"], threads = 32, shared_memory = -1, arguments = []>

// -----

// expected-error @below {{column 1 of '$M': expected a number, a symbol, a function or '(', found '$'}}
#step = #tcgemm.step<@m::@p, grid = ["1", "1", "1"], threads = 32, shared_memory = 0, arguments = [], when = "$M">

// -----

// The argument comes as text of before.
// expected-error @below {{expected the kind of a binding}}
#step = #tcgemm.step<@m::@p, grid = ["1", "1", "1"], threads = 32, shared_memory = 0, arguments = ["i32 M"]>

// -----

#config = #tcgemm.config<cta = [128, 256, 64]>
// expected-error @below {{column 4 of 'M >': expected a value, found the end}}
#variant = #tcgemm.variant<"v", guard = "M >", config = #config, workspace = "0", steps = []>

// -----

#config = #tcgemm.config<cta = [128, 256, 64]>
// expected-error @below {{expected an expression in quotes}}
#variant = #tcgemm.variant<"v", guard = "1", config = #config, workspace = 0, steps = []>
