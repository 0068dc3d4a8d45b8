//===- TestManifest.h - A valid manifest for tests --------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The document of docs/reference/manifest.md, small enough to break on purpose.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_TARGET_TESTMANIFEST_H
#define TCGEMM_UNITTESTS_TARGET_TESTMANIFEST_H

#include <string>

namespace tcgemm {

inline std::string getTestManifest() {
  return R"json({
 "tcgemm_manifest": 1,
 "producer": {"tcgemm": "0.1.0", "llvm": "22.1.8", "ptxas": "13.0.88"},
 "modules": [
  {"name": "matmul", "chip": "sm_90", "ptx": "matmul.ptx", "log": "ptxas info"}],
 "kernels": [
  {"name": "matmul",
   "sizes": {"M": null, "N": null, "K": 64, "batch": 1},
   "operands": [
    {"name": "A",    "role": "a",      "type": "bf16", "dims": ["m", "k"]},
    {"name": "B",    "role": "b",      "type": "bf16", "dims": ["n", "k"]},
    {"name": "in0",  "role": "input",  "type": "f32",  "dims": ["n"]},
    {"name": "in1",  "role": "scalar", "type": "f32",  "dims": []},
    {"name": "out0", "role": "output", "type": "bf16", "dims": ["m", "n"]}],
   "epilogue": {
     "ops": [
      {"op": "argument", "type": "f32"},
      {"op": "argument", "type": "f32"},
      {"op": "argument", "type": "f32"},
      {"op": "arith.mulf", "type": "f32", "operands": [0, 2]},
      {"op": "arith.addf", "type": "f32", "operands": [3, 1]},
      {"op": "arith.truncf", "type": "bf16", "operands": [4]}],
     "yields": [5]},
   "variants": [
    {"name": "aligned",
     "guard": "K >= 1 && A.base % 16 == 0 && A.stride0 % 8 == 0",
     "config": "#tcgemm.config<>",
     "workspace": "M * 4",
     "steps": [
      {"module": "matmul", "symbol": "matmul_main",
       "grid": ["ceildiv(M, 128) * ceildiv(N, 256)", "1", "1"],
       "block": [256, 1, 1], "cluster": [1, 1, 1], "shared_memory": 1024,
       "arguments": [
        {"kind": "pointer", "operand": "A"},
        {"kind": "scalar", "operand": "in1"},
        {"kind": "i32", "value": "M"},
        {"kind": "i64", "value": "A.stride0"},
        {"kind": "workspace", "value": "16"}],
       "registers": 226, "spill_bytes": 0, "stack_bytes": 0,
       "static_shared_memory": 0, "remarks": ["C7510"]},
      {"module": "matmul", "symbol": "matmul_reduce", "when": "M > 100",
       "grid": ["1", "1", "1"],
       "block": [32, 1, 1], "cluster": [1, 1, 1], "shared_memory": 0,
       "arguments": []}]
},
    {"name": "tma", "guard": "K >= 1", "config": "", "workspace": "M * 128",
     "steps": [
      {"module": "matmul", "symbol": "matmul_tma",
       "grid": ["ceildiv(M, 256) * 2", "4", "1"],
       "block": [384, 1, 1], "cluster": [2, 1, 1], "shared_memory": 1024,
       "dependent": true,
       "tensor_maps": [
        {"name": "A", "type": "bf16",
         "base": {"kind": "pointer", "operand": "A"},
         "dims": ["K", "M"], "strides": ["A.stride0 * 2"],
         "box": [64, 128], "swizzle": 128, "l2_promotion": 256},
        {"name": "packed", "type": "f16",
         "base": {"kind": "workspace", "value": "1024"},
         "dims": ["64", "M", "batch"], "strides": ["128", "M * 128"],
         "box": [16, 64, 1], "swizzle": 32, "l2_promotion": 0}],
       "arguments": [{"kind": "tensor_map", "index": 1},
                     {"kind": "tensor_map", "index": 0}]}]},
    {"name": "general", "guard": "1", "config": "", "workspace": "0",
     "steps": [
      {"module": "matmul", "symbol": "matmul_simple",
       "grid": ["M", "1", "1"],
       "block": [128, 1, 1], "cluster": [1, 1, 1], "shared_memory": 0,
       "arguments": [{"kind": "pointer", "operand": "out0"}]}]}]
}],
 "functions": [
  {"name": "main",
   "arguments": [
    {"type": "bf16", "shape": [null, 64], "access": "read"},
    {"type": "bf16", "shape": [null, 64], "access": "read"},
    {"type": "f32",  "shape": [null],     "access": "read"},
    {"type": "f32",  "access": "scalar"}],
   "temporaries": [{"type": "bf16", "shape": ["arg0.dim0", "arg1.dim0"]}],
   "launches": [
    {"kernel": "matmul",
     "operands": ["arg0", "arg1", "arg2", "arg3", "tmp0"]}]}]
})json";
}

} // namespace tcgemm

#endif // TCGEMM_UNITTESTS_TARGET_TESTMANIFEST_H
