//===- Flags.h - The command line -------------------------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every flag, and how they become SessionOptions.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_RUN_FLAGS_H
#define TCGEMM_TOOLS_TCGEMM_RUN_FLAGS_H

#include "../common/Keywords.h"
#include "SessionOptions.h"

#include "llvm/Support/CommandLine.h"

namespace tcgemm {

namespace cl = llvm::cl;

/// All flags, made in main: the tool has no global state either (but one, see
/// Progress.cpp).
struct Flags {
  cl::OptionCategory inputs{"What to run"};
  cl::OptionCategory data{"Its data"};
  cl::OptionCategory actions{"What to do with it"};
  cl::OptionCategory ptx{"A kernel in a .ptx file"};
  cl::OptionCategory devices{"Where to run it"};

  cl::opt<std::string> input{cl::Positional, cl::cat(inputs),
                             cl::desc("[pack directory, MLIR or PTX file]")};
  cl::opt<int64_t> m{"m", cl::desc("Rows of D"), cl::init(-1), cl::cat(inputs)};
  cl::opt<int64_t> n{"n", cl::desc("Columns of D"), cl::init(-1),
                     cl::cat(inputs)};
  cl::opt<int64_t> k{"k", cl::desc("Depth of the product"), cl::init(-1),
                     cl::cat(inputs)};
  cl::opt<int64_t> batch{"batch", cl::desc("Number of products"), cl::init(-1),
                         cl::cat(inputs)};
  cl::opt<std::string> problems{
      "problems", cl::desc("Run every problem of a file: tag M N K [batch]"),
      cl::value_desc("file"), cl::cat(inputs)};
  cl::opt<std::string> cases{
      "cases", cl::desc("Check every case of a file of JSON lines"),
      cl::value_desc("file"), cl::cat(inputs)};
  cl::opt<std::string> layout{
      "layout",
      cl::desc("Layouts of A and B, as BLAS names them (generated; "
               "default: tn)"),
      cl::init("tn"), cl::value_desc("tn|nn|nt|tt"), cl::cat(inputs)};
  cl::opt<std::string> type{
      "type", cl::desc("Type of A and B (generated; default: bf16)"),
      cl::init("bf16"), cl::value_desc("bf16|f16|f32"), cl::cat(inputs)};
  cl::opt<std::string> outType{
      "out-type", cl::desc("Type of D (generated; default: that of A)"),
      cl::value_desc("bf16|f16|f32"), cl::cat(inputs)};
  cl::opt<std::string> epilogue{
      "epilogue",
      cl::desc("none, or bias, rowbias, relu, gelu, gelutanh, silu, residual, "
               "gate joined by _ (generated; default: none)"),
      cl::init("none"), cl::value_desc("parts"), cl::cat(inputs)};
  cl::opt<double> alpha{"alpha",
                        cl::desc("Scale of A·B (generated; default: 1)"),
                        cl::init(1), cl::cat(inputs)};
  cl::opt<double> beta{"beta",
                       cl::desc("Scale of an added C (generated; default: 0)"),
                       cl::init(0), cl::cat(inputs)};
  cl::opt<bool> isStatic{"static", cl::desc("Fix the sizes (generated)"),
                         cl::cat(inputs)};
  cl::opt<std::string> chip{"chip",
                            cl::desc("Chip to compile for, or to emulate"),
                            cl::value_desc("sm_90"), cl::cat(inputs)};
  cl::opt<std::string> config{"config", cl::desc("A #tcgemm.config to use"),
                              cl::value_desc("text"), cl::cat(inputs)};
  cl::opt<std::string> ptxas{"ptxas", cl::desc("The ptxas to use"),
                             cl::value_desc("path"), cl::cat(inputs)};
  cl::opt<std::string> sizeHint{"size-hint",
                                cl::desc("Sizes to choose a config for"),
                                cl::value_desc("[Bx]MxNxK"), cl::cat(inputs)};
  cl::opt<std::string> records{
      "records",
      cl::desc("Tuned records to choose configs by: a database or lines of "
               "JSON, before the shipped ones; or none"),
      cl::value_desc("file|none"), cl::cat(inputs)};
  cl::opt<bool> approximateMath{
      "approximate-math",
      cl::desc("Compile math to the GPU's approximate instructions"),
      cl::cat(inputs)};
  cl::opt<bool> allowSpills{"allow-spills",
                            cl::desc("Accept kernels that spill registers"),
                            cl::cat(inputs)};
  cl::opt<std::string> pipeline{
      "pipeline-options", cl::desc("More options of the compiler's pipeline"),
      cl::value_desc("text"), cl::cat(inputs)};

  cl::opt<std::string> function{"function",
                                cl::desc("The function (default: the first)"),
                                cl::value_desc("name"), cl::cat(data)};
  cl::opt<std::string> variant{"variant", cl::desc("Force this variant"),
                               cl::value_desc("name"), cl::cat(data)};
  cl::list<std::string> fills{
      "fill",
      cl::desc("normal, uniform, int, special (with NaN, infinities and "
               "subnormal numbers), constant:VALUE or a .npy file, for all "
               "inputs or one"),
      cl::value_desc("[name=]fill"), cl::cat(data)};
  cl::list<std::string> scalars{"scalar", cl::desc("Value of a scalar"),
                                cl::value_desc("name=value"), cl::cat(data)};
  cl::list<std::string> shapes{"shape", cl::desc("Shape of an argument"),
                               cl::value_desc("name=AxB"), cl::cat(data)};
  cl::list<std::string> paddings{
      "ld-pad", cl::desc("Elements after each row, for all operands or one"),
      cl::value_desc("[name=]count"), cl::cat(data)};
  cl::list<std::string> offsets{
      "offset", cl::desc("Elements before the first one, for all or one"),
      cl::value_desc("[name=]count"), cl::cat(data)};
  cl::opt<uint64_t> seed{"seed",
                         cl::desc("Seed of everything random (default: 1)"),
                         cl::init(1), cl::cat(data)};

  cl::opt<bool> bench{"bench", cl::desc("Measure"), cl::cat(actions)};
  cl::opt<std::string> compare{"compare",
                               cl::desc("Measure another library beside it; "
                                        "-fused: with the epilogue, by a fused "
                                        "bias and an elementwise kernel"),
                               cl::value_desc("cublaslt|cublaslt-fused"),
                               cl::cat(actions)};
  cl::opt<std::string> cublasLt{"cublaslt", cl::desc("Path of libcublasLt.so"),
                                cl::value_desc("path"), cl::cat(actions)};
  cl::opt<unsigned> rounds{"rounds",
                           cl::desc("Rounds of a measurement (default: 21)"),
                           cl::init(21), cl::cat(actions)};
  cl::opt<unsigned> repeat{
      "repeat",
      cl::desc("Launches of a check, all of which must give the same "
               "(default: 1)"),
      cl::init(1), cl::cat(actions)};
  cl::opt<bool> noVerify{"no-verify", cl::desc("Do not compare results"),
                         cl::cat(actions)};
  cl::opt<double> verifyWork{
      "verify-work",
      cl::desc("Multiplications up to which a problem is checked whole "
               "(default: 4e10)"),
      cl::init(4e10), cl::cat(actions)};
  cl::opt<double> mathError{
      "math-error",
      cl::desc("Relative error allowed to exp, tanh, ... (default: 2^-20; "
               "raise for .approx)"),
      cl::init(0x1p-20), cl::cat(actions)};
  cl::opt<bool> plan{"plan", cl::desc("Print what would run; needs no device"),
                     cl::cat(actions)};
  cl::opt<int64_t> smCount{"plan-sm-count",
                           cl::desc("Processors for --plan (default: 132)"),
                           cl::init(132), cl::cat(actions)};
  cl::opt<bool> emitMLIR{"emit-mlir",
                         cl::desc("Print the generated MLIR; needs no device"),
                         cl::cat(actions)};
  cl::opt<std::string> savePack{"save-pack", cl::desc("Keep what is compiled"),
                                cl::value_desc("directory"), cl::cat(actions)};

  cl::opt<std::string> kernel{"kernel",
                              cl::desc("Which one (default: the only one)"),
                              cl::value_desc("name"), cl::cat(ptx)};
  cl::opt<std::string> grid{"grid", cl::desc("Blocks (default: 1)"),
                            cl::init("1"), cl::value_desc("XxYxZ"),
                            cl::cat(ptx)};
  cl::opt<std::string> block{
      "block", cl::desc("Threads of a block (default: 1)"), cl::init("1"),
      cl::value_desc("XxYxZ"), cl::cat(ptx)};
  cl::opt<std::string> cluster{
      "cluster", cl::desc("Blocks of a cluster (default: 1)"), cl::init("1"),
      cl::value_desc("XxYxZ"), cl::cat(ptx)};
  cl::opt<uint32_t> shared{
      "shared", cl::desc("Dynamic shared memory of a block (default: 0)"),
      cl::init(0), cl::value_desc("bytes"), cl::cat(ptx)};
  cl::list<std::string> args{
      "arg",
      cl::desc("The next argument: i32:5, f32:1.5, in:f16[8x4]:normal, "
               "in:f32[64]:x.npy, out:f32[8x4] or inout:..., bytes:00ff, "
               "struct:i32:5,in:f32[4] or, for a tensor map with a box, "
               "map:4x8:swizzle=32:in:f16[8x64]; [name=] before it"),
      cl::value_desc("argument"), cl::cat(ptx)};
  cl::list<std::string> outputs{"output",
                                cl::desc("Write an array that was written"),
                                cl::value_desc("name=file.npy"), cl::cat(ptx)};

  cl::opt<std::string> device{
      "device",
      cl::desc("cuda, cuda:N or emulator (default: cuda if there is a device)"),
      cl::value_desc("device"), cl::cat(devices)};
  cl::opt<bool> listDevices{"list-devices", cl::desc("List the devices"),
                            cl::cat(devices)};
  cl::opt<std::string> checks{
      "checks",
      cl::desc(
          "What the emulator checks: all, none, or some of bounds, "
          "uninitialised, races, barriers, comma-separated (default: all)"),
      cl::init("all"), cl::value_desc("names"), cl::cat(devices)};
  cl::opt<bool> profile{"profile", cl::desc("Count what kernels do (emulator)"),
                        cl::cat(devices)};
  cl::opt<std::string> annotate{
      "profile-annotate",
      cl::desc("Write the PTX with counts in the margin (emulator)"),
      cl::value_desc("file"), cl::cat(devices)};
  cl::opt<unsigned> emulatorThreads{
      "emulator-threads",
      cl::desc("Threads of the emulator (default: all of the machine)"),
      cl::init(0), cl::cat(devices)};
  cl::opt<unsigned> emulatorSMs{
      "emulator-sm-count",
      cl::desc("Multiprocessors of the emulated device (default: the chip's)"),
      cl::init(0), cl::cat(devices)};
  cl::opt<uint64_t> maxInstructions{
      "max-instructions",
      cl::desc("Instructions of warps after which the emulator gives a launch "
               "up (default: 0: none)"),
      cl::init(0), cl::cat(devices)};

  cl::opt<double> timeout{
      "timeout", cl::desc("Seconds for one problem (default: 0: no limit)"),
      cl::init(0), cl::cat(actions)};
  cl::opt<ReportFormat, false, KeywordParser<ReportFormat>> format{
      "format", cl::desc("How results are printed (default: table)"),
      cl::values(clEnumValN(ReportFormat::Table, "table", "for people"),
                 clEnumValN(ReportFormat::JSON, "json", "an object a line"),
                 clEnumValN(ReportFormat::CSV, "csv", "a row a contender")),
      cl::init(ReportFormat::Table), cl::cat(actions)};
};

/// Checks them all. Errors are bad input.
llvm::Error readFlags(const Flags &flags, SessionOptions &options);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_RUN_FLAGS_H
