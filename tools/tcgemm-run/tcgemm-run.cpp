//===- tcgemm-run.cpp - Launch, check and measure kernels -----------------===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The command line, bound to SessionOptions.
//
//===----------------------------------------------------------------------===//

#include "ExitCodes.h"
#include "Session.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace tcgemm;
using llvm::Error;
using llvm::StringRef;
namespace cl = llvm::cl;

namespace {

/// All flags, made in main: the tool has no global state either.
struct Flags {
  cl::OptionCategory inputs{"What to run"};
  cl::OptionCategory data{"Its data"};
  cl::OptionCategory actions{"What to do with it"};

  cl::opt<std::string> input{cl::Positional, cl::cat(inputs),
                             cl::desc("[pack directory or MLIR file]")};
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
      "layout", cl::desc("Layouts of A and B, as BLAS names them (generated)"),
      cl::init("tn"), cl::value_desc("tn|nn|nt|tt"), cl::cat(inputs)};
  cl::opt<std::string> type{"type", cl::desc("Type of A and B (generated)"),
                            cl::init("bf16"), cl::value_desc("bf16|f16"),
                            cl::cat(inputs)};
  cl::opt<std::string> outType{
      "out-type", cl::desc("Type of D (generated; default: that of A)"),
      cl::value_desc("bf16|f16|f32"), cl::cat(inputs)};
  cl::opt<std::string> epilogue{
      "epilogue",
      cl::desc("none, or bias, rowbias, relu, gelu, gelutanh, silu, residual "
               "joined by _ (generated)"),
      cl::init("none"), cl::value_desc("parts"), cl::cat(inputs)};
  cl::opt<double> alpha{"alpha", cl::desc("Scale of A·B (generated)"),
                        cl::init(1), cl::cat(inputs)};
  cl::opt<double> beta{"beta", cl::desc("Scale of an added C (generated)"),
                       cl::init(0), cl::cat(inputs)};
  cl::opt<bool> isStatic{"static", cl::desc("Fix the sizes (generated)"),
                         cl::cat(inputs)};
  cl::opt<std::string> chip{"chip", cl::desc("Chip to compile for"),
                            cl::value_desc("sm_90"), cl::cat(inputs)};
  cl::opt<std::string> config{"config", cl::desc("A #tcgemm.config to use"),
                              cl::value_desc("text"), cl::cat(inputs)};
  cl::opt<std::string> ptxas{"ptxas", cl::desc("The ptxas to use"),
                             cl::value_desc("path"), cl::cat(inputs)};
  cl::opt<std::string> sizeHint{"size-hint",
                                cl::desc("Sizes to choose a config for"),
                                cl::value_desc("[Bx]MxNxK"), cl::cat(inputs)};
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
      cl::desc("normal, uniform, int, constant:VALUE or a .npy file, for all "
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
  cl::opt<uint64_t> seed{"seed", cl::desc("Seed of everything random"),
                         cl::init(1), cl::cat(data)};

  cl::opt<bool> bench{"bench", cl::desc("Measure"), cl::cat(actions)};
  cl::opt<std::string> compare{"compare",
                               cl::desc("Measure another library beside it"),
                               cl::value_desc("cublaslt"), cl::cat(actions)};
  cl::opt<std::string> cublasLt{"cublaslt", cl::desc("Path of libcublasLt.so"),
                                cl::value_desc("path"), cl::cat(actions)};
  cl::opt<unsigned> rounds{"rounds", cl::desc("Rounds of a measurement"),
                           cl::init(21), cl::cat(actions)};
  cl::opt<bool> noVerify{"no-verify", cl::desc("Do not check results"),
                         cl::cat(actions)};
  cl::opt<double> verifyWork{
      "verify-work",
      cl::desc("Multiplications up to which a problem is checked whole"),
      cl::init(4e10), cl::cat(actions)};
  cl::opt<double> mathError{
      "math-error",
      cl::desc("Relative error allowed to exp, tanh, ... (raise for .approx)"),
      cl::init(0x1p-20), cl::cat(actions)};
  cl::opt<bool> plan{"plan", cl::desc("Print what would run; needs no device"),
                     cl::cat(actions)};
  cl::opt<int64_t> smCount{"plan-sm-count", cl::desc("Processors for --plan"),
                           cl::init(132), cl::cat(actions)};
  cl::opt<bool> emitMLIR{"emit-mlir",
                         cl::desc("Print the generated MLIR; needs no device"),
                         cl::cat(actions)};
  cl::opt<std::string> savePack{"save-pack", cl::desc("Keep what is compiled"),
                                cl::value_desc("directory"), cl::cat(actions)};
  cl::opt<bool> listDevices{"list-devices", cl::desc("List the devices"),
                            cl::cat(actions)};
  cl::opt<unsigned> device{"device", cl::desc("Number of the device"),
                           cl::init(0), cl::cat(actions)};
  cl::opt<double> timeout{"timeout",
                          cl::desc("Seconds for one problem; 0: no limit"),
                          cl::init(0), cl::cat(actions)};
  cl::opt<ReportFormat> format{
      "format", cl::desc("How results are printed"),
      cl::values(clEnumValN(ReportFormat::Table, "table", "for people"),
                 clEnumValN(ReportFormat::JSON, "json", "an object a line"),
                 clEnumValN(ReportFormat::CSV, "csv", "a row a contender")),
      cl::init(ReportFormat::Table), cl::cat(actions)};
};

} // namespace

/// Splits `name=value`; without a name, it is empty.
static std::pair<std::string, std::string> splitName(StringRef text) {
  auto [name, value] = text.split('=');
  if (text.contains('='))
    return {name.str(), value.str()};
  return {"", text.str()};
}

static Error readCounts(const cl::list<std::string> &texts, StringRef flag,
                        std::map<std::string, int64_t> &named, int64_t &all) {
  for (const std::string &text : texts) {
    auto [name, value] = splitName(text);
    int64_t count = 0;
    if (StringRef(value).getAsInteger(10, count) || count < 0)
      return llvm::createStringError("--" + flag + ": '" + value +
                                     "' is not a count");
    (name.empty() ? all : named[name]) = count;
  }
  return Error::success();
}

static Error readData(const Flags &flags, ProblemOptions &problem) {
  problem.function = flags.function;
  problem.variant = flags.variant;
  problem.seed = flags.seed;
  for (const std::string &text : flags.fills) {
    auto [name, value] = splitName(text);
    llvm::Expected<FillOptions> fill = parseFill(value);
    if (!fill)
      return fill.takeError();
    (name.empty() ? problem.defaultFill : problem.fills[name]) = *fill;
  }
  for (const std::string &text : flags.scalars) {
    auto [name, value] = splitName(text);
    double number = 0;
    if (name.empty() || StringRef(value).getAsDouble(number))
      return llvm::createStringError("--scalar: '" + text +
                                     "' is not name=value");
    problem.scalars[name] = number;
  }
  for (const std::string &text : flags.shapes) {
    auto [name, value] = splitName(text);
    llvm::SmallVector<StringRef> parts;
    StringRef(value).split(parts, 'x');
    for (StringRef part : parts) {
      int64_t size = 0;
      if (name.empty() || part.getAsInteger(10, size) || size < 0)
        return llvm::createStringError("--shape: '" + text +
                                       "' is not name=AxB");
      problem.shapes[name].push_back(size);
    }
  }
  if (Error error = readCounts(flags.paddings, "ld-pad", problem.rowPaddings,
                               problem.defaultRowPadding))
    return error;
  return readCounts(flags.offsets, "offset", problem.offsets,
                    problem.defaultOffset);
}

static Error readFlags(const Flags &flags, SessionOptions &options) {
  options.input = flags.input;
  GenerateOptions &generate = options.generate;
  generate.layout = flags.layout;
  generate.type = flags.type;
  generate.outType = flags.outType;
  generate.epilogue = flags.epilogue;
  generate.hasAlpha = flags.alpha.getNumOccurrences() > 0;
  generate.hasBeta = flags.beta.getNumOccurrences() > 0;
  generate.isStatic = flags.isStatic;
  generate.isBatched = flags.batch.getNumOccurrences() > 0;
  options.hasChip = flags.chip.getNumOccurrences() > 0;
  if (options.hasChip)
    options.compile.chip = flags.chip;
  options.compile.configText = flags.config;
  options.compile.ptxasPath = flags.ptxas;
  options.compile.mlirPipelineOptions = flags.pipeline;
  options.compile.sizeHint = flags.sizeHint;
  options.compile.approximateMath = flags.approximateMath;
  options.compile.allowSpills = flags.allowSpills;
  options.savePack = flags.savePack;
  if (Error error = readData(flags, options.problem))
    return error;
  if (options.input.empty()) {
    // Names of the generated function's arguments, from the end.
    unsigned numTensors = 2 + generate.hasBeta;
    llvm::SmallVector<StringRef> parts;
    StringRef(generate.epilogue).split(parts, '_');
    for (StringRef part : parts)
      numTensors += part == "bias" || part == "rowbias" || part == "residual";
    if (generate.hasAlpha)
      options.problem.scalars["arg" + std::to_string(numTensors++)] =
          flags.alpha;
    if (generate.hasBeta)
      options.problem.scalars["arg" + std::to_string(numTensors)] = flags.beta;
  }
  const int64_t sizes[] = {flags.m, flags.n, flags.k, flags.batch};
  NamedProblem single;
  for (unsigned d = 0; d != kNumDims; ++d)
    if (sizes[d] >= 0)
      single.sizes[d] = sizes[d];
    else if (sizes[d] != -1)
      return llvm::createStringError("sizes must not be negative");
  options.problem.sizes = single.sizes;
  if (flags.problems.empty()) {
    options.problems.push_back(single);
  } else {
    llvm::Expected<std::vector<NamedProblem>> read =
        readProblems(flags.problems);
    if (!read)
      return read.takeError();
    options.problems = std::move(*read);
  }
  if (options.input.empty() && flags.cases.empty())
    for (const NamedProblem &problem : options.problems)
      for (unsigned d = 0; d != 3; ++d)
        if (!problem.sizes[d] && !(flags.emitMLIR && !flags.isStatic))
          return llvm::createStringError(
              "nothing to run: give a pack, an MLIR file, or --m, --n and "
              "--k");
  if (!flags.compare.empty() && flags.compare != "cublaslt")
    return llvm::createStringError("--compare: '" + flags.compare +
                                   "' is not cublaslt");
  options.verify = !flags.noVerify;
  options.verification.maxWork = flags.verifyWork;
  options.verification.mathError = flags.mathError;
  // tanh.approx.f32 has a relative error of 2^-11.
  if (flags.approximateMath && flags.mathError.getNumOccurrences() == 0)
    options.verification.mathError = 0x1p-10;
  options.verification.seed = flags.seed;
  options.benchmark = flags.bench || !flags.compare.empty();
  options.benchmarkOptions.compareCublasLt = !flags.compare.empty();
  options.benchmarkOptions.cublasLtPath = flags.cublasLt;
  options.benchmarkOptions.rounds = std::max(1U, flags.rounds.getValue());
  options.benchmarkOptions.seed = flags.seed;
  options.device = flags.device;
  options.timeout = flags.timeout;
  options.planSMCount = flags.smCount;
  options.format = flags.format;
  return Error::success();
}

static int fail(Error error, int code) {
  llvm::errs() << "tcgemm-run: error: " << llvm::toString(std::move(error))
               << '\n';
  return code;
}

static int runListDevices(ReportFormat format) {
  llvm::Expected<std::vector<DeviceProperties>> devices = listDevices();
  if (!devices)
    return fail(devices.takeError(), kExitNoDevice);
  Reporter reporter(format, llvm::outs());
  for (auto [i, properties] : llvm::enumerate(*devices))
    reporter.printDevice(properties, i);
  return kExitSuccess;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  Flags flags;
  cl::HideUnrelatedOptions({&flags.inputs, &flags.data, &flags.actions});
  std::string parseErrors;
  llvm::raw_string_ostream parseErrorStream(parseErrors);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Launches the kernels of a pack, checks their results and measures "
          "them.\n\n"
          "The input is a kernel pack, an MLIR file, or nothing: then a matrix "
          "product is\nwritten as MLIR for --m, --n, --k and compiled.\n\n"
          "Exit codes: 0 all is well, 1 a result is wrong, 2 bad input, 3 no "
          "device,\n4 a device or driver error, 5 time-out.\n",
          &parseErrorStream)) {
    llvm::errs() << parseErrors;
    return kExitBadInput;
  }
  if (flags.listDevices)
    return runListDevices(flags.format);
  SessionOptions options;
  if (Error error = readFlags(flags, options))
    return fail(std::move(error), kExitBadInput);
  if (flags.emitMLIR) {
    GenerateOptions generate = options.generate;
    const auto &sizes = options.problems.front().sizes;
    generate.m = sizes[0].value_or(0);
    generate.n = sizes[1].value_or(0);
    generate.k = sizes[2].value_or(0);
    generate.batch = sizes[3].value_or(1);
    llvm::Expected<std::string> text = generateMLIR(generate);
    if (!text)
      return fail(text.takeError(), kExitBadInput);
    llvm::outs() << *text;
    return kExitSuccess;
  }
  Session session(options, llvm::outs(), llvm::errs());
  if (!flags.cases.empty())
    return session.runCases(flags.cases);
  if (flags.plan)
    return session.printPlans();
  return session.runProblems();
}
