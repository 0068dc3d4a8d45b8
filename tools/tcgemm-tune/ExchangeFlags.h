//===- ExchangeFlags.h - Flags of report, export and import -----*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Flags of the commands that convert records to other formats and back, in
// addition to the common flags.
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_TOOLS_TCGEMM_TUNE_EXCHANGEFLAGS_H
#define TCGEMM_TOOLS_TCGEMM_TUNE_EXCHANGEFLAGS_H

#include "../common/Numbers.h"
#include "Flags.h"

namespace tcgemm {

enum class ExportFormat {
  KernelTuner,
  T4,
  T1,
  CutlassCSV,
  JSON,
  JSONLines,
  Header,
  Program,
  Library,
  Transform,
  TransformTable
};

struct ExchangeFlags {
  explicit ExchangeFlags(Flags &shared) : shared(shared) {}

  Flags &shared;

  cl::list<std::string> reported{
      cl::Positional, cl::desc("DB|FILE.jsonl ..."), cl::OneOrMore,
      cl::cat(shared.commands.outputs), cl::sub(shared.commands.reportCommand)};
  cl::opt<std::string> baseline{
      "baseline",
      cl::desc("Times of another library: CSV with columns M, N, K, us; or "
               "none (default: those shipped)"),
      cl::value_desc("file|none"),
      cl::init("nvidia-h200-cublaslt"),
      cl::cat(shared.commands.outputs),
      cl::sub(shared.commands.reportCommand)};
  NumberOption<double> peakTflops{
      "peak-tflops", cl::desc("Roofline: TFLOP/s (default: the chip's)"),
      cl::init(0), cl::cat(shared.commands.outputs),
      cl::sub(shared.commands.reportCommand)};
  NumberOption<double> bandwidthGBs{
      "bandwidth-gbs",
      cl::desc("Roofline: GB/s of memory (default: the chip's)"), cl::init(0),
      cl::cat(shared.commands.outputs), cl::sub(shared.commands.reportCommand)};
  cl::opt<std::string> details{
      "details",
      cl::desc("Records of each problem and platform to show one by one, the "
               "fastest ones; or all (default: all)"),
      cl::init("all"),
      cl::value_desc("count|all"),
      cl::cat(shared.commands.outputs),
      cl::sub(shared.commands.reportCommand)};
  cl::opt<std::string> split{
      "split",
      cl::desc("Compare the records before this time with those since then, "
               "in UTC: 2026-11-21 or 2026-11-21T18:34:26"),
      cl::value_desc("time"), cl::cat(shared.commands.outputs),
      cl::sub(shared.commands.reportCommand)};
  NumberOption<unsigned> watch{
      "watch",
      cl::desc("Write the page again whenever records come, until interrupted; "
               "look for them, and load an open page again, every so many "
               "seconds (default: 0: write it once)"),
      cl::value_desc("seconds"),
      cl::init(0),
      cl::cat(shared.commands.outputs),
      cl::sub(shared.commands.reportCommand)};
  cl::opt<std::string> reportOutput{
      "o",
      cl::desc("The page, - for standard output (default: "
               "tcgemm-report.html)"),
      cl::init("tcgemm-report.html"),
      cl::value_desc("file"),
      cl::cat(shared.commands.outputs),
      cl::sub(shared.commands.reportCommand)};

  cl::opt<ExportFormat, false, KeywordParser<ExportFormat>> exportFormat{
      "as",
      cl::desc("What is written"),
      cl::Required,
      cl::values(
          clEnumValN(ExportFormat::KernelTuner, "kernel-tuner",
                     "a cache of Kernel Tuner, as its dashboard reads it"),
          clEnumValN(ExportFormat::T4, "t4", "results of the schema T4 1.0.0"),
          clEnumValN(ExportFormat::T1, "t1", "a space, as T1 1.0.0"),
          clEnumValN(ExportFormat::CutlassCSV, "cutlass-csv",
                     "what the CUTLASS profiler writes"),
          clEnumValN(ExportFormat::JSON, "json", "an array of records"),
          clEnumValN(ExportFormat::JSONLines, "jsonl", "a record a line"),
          clEnumValN(ExportFormat::Header, "header",
                     "a kernel as a C++ header that loads and launches it"),
          clEnumValN(ExportFormat::Program, "program",
                     "a program that runs, checks and times a kernel"),
          clEnumValN(ExportFormat::Library, "library",
                     "a folder with a C library of products and functions"),
          clEnumValN(ExportFormat::Transform, "transform",
                     "a transform script with a matcher for each product"),
          clEnumValN(ExportFormat::TransformTable, "transform-table",
                     "a transform script with a table of products")),
      cl::cat(shared.commands.outputs),
      cl::sub(shared.commands.exportCommand)};
  cl::opt<std::string> exportOutput{
      "o",
      cl::desc("The file (default: standard output), or a folder"),
      cl::init("-"),
      cl::value_desc("file"),
      cl::cat(shared.commands.outputs),
      cl::sub(shared.commands.exportCommand)};
  cl::opt<std::string> exportName{
      "name",
      cl::desc("header, program: the namespace; library: the library's name "
               "(default: tcgemm_kernel)"),
      cl::init("tcgemm_kernel"),
      cl::value_desc("identifier"),
      cl::cat(shared.commands.outputs),
      cl::sub(shared.commands.exportCommand)};
  cl::opt<std::string> config{
      "config",
      cl::desc("header, program: a configuration or a record's hash "
               "(default: the best)"),
      cl::value_desc("config|hash"), cl::cat(shared.commands.outputs),
      cl::sub(shared.commands.exportCommand)};
  cl::opt<bool> embedPTX{
      "ptx",
      cl::desc("header, program, library: PTX, which the driver compiles"),
      cl::cat(shared.commands.outputs), cl::sub(shared.commands.exportCommand)};

  cl::opt<std::string> scaling{
      "scaling",
      cl::desc("library: the factors of products, joined by commas: none, "
               "alpha, alpha-beta, or device (both in device memory; default: "
               "none)"),
      cl::init("none"),
      cl::value_desc("words"),
      cl::cat(shared.commands.outputs),
      cl::sub(shared.commands.exportCommand)};
  cl::opt<bool> anySize{
      "any-size",
      cl::desc("library: sizes without a kernel take that of a near size"),
      cl::cat(shared.commands.outputs), cl::sub(shared.commands.exportCommand)};

  cl::list<std::string> imported{
      cl::Positional, cl::desc("FILE ..."), cl::OneOrMore,
      cl::cat(shared.commands.outputs), cl::sub(shared.commands.importCommand)};
  cl::opt<std::string> importOutput{
      "o",
      cl::desc("Tensile: the file for the space (default: standard output)"),
      cl::init("-"),
      cl::value_desc("file"),
      cl::cat(shared.commands.outputs),
      cl::sub(shared.commands.importCommand)};
  cl::opt<std::string> sizesOutput{
      "sizes-output", cl::desc("Tensile: the file for the problem sizes"),
      cl::value_desc("file"), cl::cat(shared.commands.outputs),
      cl::sub(shared.commands.importCommand)};
  cl::opt<std::string> importSizes{
      "sizes", cl::desc("The problem, where a file does not say it"),
      cl::value_desc("MxNxK"), cl::cat(shared.commands.problems),
      cl::sub(shared.commands.importCommand)};
};

int runReport(const ExchangeFlags &flags);
int runExport(const ExchangeFlags &flags);
/// Exports as header or program.
int exportKernel(const ExchangeFlags &flags);
/// Exports as library.
int exportLibrary(const ExchangeFlags &flags);
int runImport(const ExchangeFlags &flags);
int runTensile(const Flags &flags);

} // namespace tcgemm

#endif // TCGEMM_TOOLS_TCGEMM_TUNE_EXCHANGEFLAGS_H
