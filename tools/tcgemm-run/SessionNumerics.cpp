//===- SessionNumerics.cpp - Measures the errors of products --------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each mode is compiled for each depth and multiplies the same operands.
//
//===----------------------------------------------------------------------===//

#include "SessionNumerics.h"
#include "ExitCodes.h"
#include "NumericsModes.h"
#include "NumericsReport.h"
#include "PackSource.h"
#include "Progress.h"
#include "SessionDevice.h"
#include "tcgemm/Target/OutputFile.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tcgemm;
using llvm::Error;
using llvm::Expected;

namespace {

/// Operands of one depth, and what is known about their product.
struct NumericsCase {
  NumericsCase(NumericsData data, NumericsProblem drawn)
      : data(data), problem(std::move(drawn)), reference(problem) {}
  NumericsCase(const NumericsCase &) = delete;

  NumericsData data;
  NumericsProblem problem;
  NumericsReference reference;
};

class NumericsSession {
public:
  explicit NumericsSession(SessionContext &context)
      : context(context), options(context.options), device(context) {}
  int run();

private:
  int findModes();
  int runDepth(int64_t k);
  int runMode(const NumericsMode &mode, int64_t k,
              llvm::ArrayRef<std::unique_ptr<NumericsCase>> cases);
  /// Sets `code` to the exit code of an error.
  Expected<NumericsError> measure(Executor &executor, const KernelPack &pack,
                                  const NumericsCase &numericsCase, int &code);
  int writeReport();
  const MatmulProblem &getProblem() const { return options.generate.problem; }

  SessionContext &context;
  const SessionOptions &options;
  SessionDevice device;
  std::vector<NumericsMode> modes;
  NumericsReport report;
};

} // namespace

/// Calls `visit(offset, i)` for each element `i` of a row-major matrix whose
/// dimensions are `rows` and `columns` of `view`.
static void forEachElement(const OperandView &view, Dim rows, int64_t numRows,
                           Dim columns, int64_t numColumns,
                           llvm::function_ref<void(int64_t, int64_t)> visit) {
  for (int64_t row = 0; row != numRows; ++row)
    for (int64_t column = 0; column != numColumns; ++column)
      visit(row * view.getStride(rows) + column * view.getStride(columns),
            row * numColumns + column);
}

/// Writes the operands to the images of `problem`.
static void storeOperands(const NumericsProblem &drawn, Problem &problem) {
  const ProblemLaunch &launch = problem.launches.front();
  for (auto [info, part] :
       llvm::zip_equal(launch.kernel->operands, launch.operands)) {
    bool isA = info.role == OperandUse::A;
    if (!isA && info.role != OperandUse::B)
      continue;
    ProblemBuffer &buffer = problem.buffers[part.buffer];
    uint8_t *start = buffer.image.data() + part.getStart(buffer);
    const std::vector<double> &values = isA ? drawn.a : drawn.b;
    OperandView view{&info, nullptr, part.shape};
    forEachElement(view, isA ? Dim::M : Dim::N, isA ? drawn.m : drawn.n, Dim::K,
                   drawn.k, [&](int64_t offset, int64_t i) {
                     storeElement(buffer.type, values[i], start, offset);
                   });
  }
}

static std::vector<double> loadResult(const NumericsProblem &drawn,
                                      const Problem &problem) {
  std::vector<double> result(drawn.m * drawn.n);
  const ProblemLaunch &launch = problem.launches.front();
  for (auto [info, part] :
       llvm::zip_equal(launch.kernel->operands, launch.operands)) {
    if (info.role != OperandUse::Output)
      continue;
    const ProblemBuffer &buffer = problem.buffers[part.buffer];
    const uint8_t *start = buffer.image.data() + part.getStart(buffer);
    OperandView view{&info, nullptr, part.shape};
    forEachElement(view, Dim::M, drawn.m, Dim::N, drawn.n,
                   [&](int64_t offset, int64_t i) {
                     result[i] = loadElement(buffer.type, start, offset);
                   });
  }
  return result;
}

int NumericsSession::findModes() {
  Expected<const ChipInfo &> chip =
      lookupChip(PackSource(context).getTargetChip(device->getProperties()));
  if (!chip)
    return context.fail(chip.takeError(), kExitBadInput);
  std::vector<std::string> notes;
  Expected<std::vector<NumericsMode>> found =
      findNumericsModes(getProblem(), *chip, notes);
  if (!found)
    return context.fail(found.takeError(), kExitBadInput);
  Expected<std::vector<NumericsMode>> selected =
      selectNumericsModes(std::move(*found), options.numerics.modes);
  if (!selected)
    return context.fail(selected.takeError(), kExitBadInput);
  if (options.numerics.modes.empty())
    for (const std::string &note : notes)
      context.err << "tcgemm-run: note: " << note << '\n';
  modes = std::move(*selected);
  return kExitSuccess;
}

Expected<NumericsError>
NumericsSession::measure(Executor &executor, const KernelPack &pack,
                         const NumericsCase &numericsCase, int &code) {
  code = kExitBadInput;
  const NumericsProblem &drawn = numericsCase.problem;
  ProblemOptions problemOptions = options.problem;
  problemOptions.sizes = {};
  problemOptions.sizes[unsigned(Dim::M)] = drawn.m;
  problemOptions.sizes[unsigned(Dim::N)] = drawn.n;
  problemOptions.sizes[unsigned(Dim::K)] = drawn.k;
  Expected<Problem> problem = Problem::create(pack, problemOptions);
  if (!problem)
    return problem.takeError();
  if (Error error = problem->fill())
    return std::move(error);
  storeOperands(drawn, *problem);
  VerifyOptions verification;
  verification.compare = false;
  Expected<RunResult> result =
      runAndVerify(*device, executor, *problem, verification);
  if (!result)
    return result.takeError();
  const LaunchResult &launch = result->launches.front();
  code = kExitFinding;
  if (result->hasFindings())
    return llvm::createStringError(
        "the emulator has findings, which a run without --numerics prints");
  code = kExitWrongResult;
  if (!result->passed())
    return llvm::createStringError(launch.damage.empty() ? launch.missed
                                                         : launch.damage);
  return numericsCase.reference.measure(loadResult(drawn, *problem));
}

int NumericsSession::runMode(
    const NumericsMode &mode, int64_t k,
    llvm::ArrayRef<std::unique_ptr<NumericsCase>> cases) {
  SessionOptions modeOptions = options;
  MatmulProblem &problem = modeOptions.generate.problem;
  modeOptions.compile.precision = getPrecisionName(mode.precision).str();
  if (Error error = problem.setPrecision(modeOptions.compile.precision))
    return context.fail(std::move(error), kExitBadInput);
  // Without it, sums of such types are promoted if a record says so.
  bool isSplit = problem.splitsOperands();
  if (!isSplit)
    modeOptions.compile.configText +=
        mode.promotes ? " promote_sums=true" : " promote_sums=false";
  NamedProblem named = modeOptions.problems.front();
  named.sizes[unsigned(Dim::K)] = k;
  modeOptions.problems = {named};
  SessionContext modeContext(modeOptions, context.out, context.err);
  Expected<KernelPack> pack =
      PackSource(modeContext).getPack(named, device.get());
  auto fail = [&](Error error, int code) {
    return context.fail(
        addContext(mode.name + ", K = " + llvm::Twine(k), std::move(error)),
        code);
  };
  if (!pack)
    return fail(pack.takeError(), kExitBadInput);
  Executor executor(*device, *pack);
  for (const std::unique_ptr<NumericsCase> &each : cases) {
    context.watchdog.start(mode.name + ", K = " + std::to_string(k));
    int code = kExitSuccess;
    Expected<NumericsError> error = measure(executor, *pack, *each, code);
    context.watchdog.stop();
    if (getInterruptFlag()) {
      llvm::consumeError(error.takeError());
      return kExitInterrupted;
    }
    if (!error)
      return fail(error.takeError(), code);
    report.rows.push_back({each->data, k, mode.name, *error});
  }
  return kExitSuccess;
}

int NumericsSession::runDepth(int64_t k) {
  const NamedProblem &named = options.problems.front();
  int64_t m = *named.sizes[unsigned(Dim::M)];
  int64_t n = *named.sizes[unsigned(Dim::N)];
  std::vector<std::unique_ptr<NumericsCase>> cases;
  for (NumericsData data : options.numerics.data) {
    cases.push_back(std::make_unique<NumericsCase>(
        data, NumericsProblem::draw(data, getBufferType(getProblem().typeA),
                                    getBufferType(getProblem().typeB), m, n, k,
                                    options.problem.seed)));
    report.rows.push_back(
        {data, k, "loop",
         cases.back()->reference.measureLoop(getProblem().accumulator)});
  }
  for (const NumericsMode &mode : modes)
    if (int code = runMode(mode, k, cases))
      return code;
  return kExitSuccess;
}

int NumericsSession::writeReport() {
  printNumerics(report, options.format, context.out);
  if (options.numerics.plot.empty())
    return kExitSuccess;
  Error error =
      writeOutputFile(options.numerics.plot, [&](llvm::raw_ostream &os) {
        drawNumerics(report, os);
        return Error::success();
      });
  return error ? context.fail(addContext("--numerics-plot", std::move(error)),
                              kExitBadInput)
               : int(kExitSuccess);
}

int NumericsSession::run() {
  if (int code = device.open(options.compile.chip))
    return code;
  if (int code = findModes())
    return code;
  const NamedProblem &named = options.problems.front();
  report.title = llvm::formatv(
      "{0}, {1} x {2} x K, {3}", getProblem().getOperandTypeText(),
      *named.sizes[unsigned(Dim::M)], *named.sizes[unsigned(Dim::N)],
      device->getProperties().name);
  for (int64_t k : options.numerics.depths)
    if (int code = runDepth(k))
      return code;
  return writeReport();
}

int tcgemm::runNumerics(SessionContext &context) {
  return NumericsSession(context).run();
}
