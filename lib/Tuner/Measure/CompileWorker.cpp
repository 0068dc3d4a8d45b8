//===- CompileWorker.cpp - The child process that compiles ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure/SimulatedDevice.h"
#include "tcgemm/Pipelines/Compile.h"
#include "tcgemm/Target/Ptxas.h"
#include "llvm/ADT/STLExtras.h"

#include <chrono>

using namespace llvm;

namespace tcgemm {
namespace {

/// Compiles a candidate.
Expected<KernelPack> compile(const CompileJob &job,
                             const CompileOptions &options) {
  CompileOptions own = options;
  own.configText = job.config.str();
  own.approximateMath = job.problem.kernel.isApproximate;
  return compileToPack(job.problem.getSource(), own);
}

/// Stores the code of a candidate.
Error keep(KernelPack &pack, StringRef binaries, Build &build) {
  Expected<std::vector<std::string>> hashes = writeBinaries(binaries, pack);
  if (!hashes)
    return hashes.takeError();
  build.binaries = std::move(*hashes);
  for (auto [module, image, hash] :
       zip_equal(pack.manifest.modules, pack.images, build.binaries))
    if (!image.cubin.empty())
      module.cubinSHA256 = hash;
  raw_string_ostream(build.manifest) << toJSON(pack.manifest);
  return Error::success();
}

} // namespace

static CompileOptions getCompileOptions(const EngineOptions &options,
                                        StringRef chip, bool isPTX) {
  CompileOptions compileOptions = options.compile;
  compileOptions.chip = chip.str();
  compileOptions.format = isPTX ? OutputFormat::PTX : OutputFormat::Cubin;
  compileOptions.remarks = false;
  compileOptions.records = "none"; // The candidate has all parameters.
  compileOptions.ptxasThreads = 1; // There is one worker for each core.
  // The parent's deadline is earlier, and ends ptxas too.
  compileOptions.timeout = static_cast<unsigned>(options.compileTimeout) + 60;
  return compileOptions;
}

int runCompileWorker(Channel &channel, const EngineOptions &options,
                     StringRef chip, bool isPTX, StringRef binaries) {
  CompileOptions compileOptions = getCompileOptions(options, chip, isPTX);
  std::string version;
  if (Expected<Ptxas> ptxas = Ptxas::find(compileOptions.ptxasPath); !ptxas) {
    consumeError(ptxas.takeError()); // The compilation reports the error.
  } else if (Expected<StringRef> found = ptxas->getVersion(); found) {
    version = found->str();
  } else {
    consumeError(found.takeError());
  }
  while (std::optional<json::Object> message = channel.receive()) {
    using Clock = std::chrono::steady_clock;
    Clock::time_point start = Clock::now();
    Build build;
    build.ptxas = isPTX ? "" : version;
    CompileJob job;
    Expected<KernelSpec> kernel =
        KernelSpec::parse(message->getString("kernel").value_or(""));
    Expected<MatmulSizes> sizes =
        MatmulSizes::parse(message->getString("sizes").value_or(""));
    Error error = job.config.apply(message->getString("config").value_or(""));
    if (!error)
      error = joinErrors(kernel.takeError(), sizes.takeError());
    else
      consumeError(joinErrors(kernel.takeError(), sizes.takeError()));
    if (!error) {
      job.problem = {*kernel, *sizes, ""};
      Expected<KernelPack> pack =
          options.device == kSimulatedDevice
              ? compileSimulated(job, chip, options.simulation)
              : compile(job, compileOptions);
      // An error such as a full disk is not a failure of the candidate.
      if (!pack)
        error = pack.takeError();
      else if (Error unwritten = keep(*pack, binaries, build))
        return channel.send(json::Object{
                   {"unwritten",
                    json::fixUTF8(toString(std::move(unwritten)))}})
                   ? 0
                   : 1;
    }
    if (error) {
      build.outcome = Outcome::Compile;
      build.message = toString(std::move(error));
    }
    build.key.config = job.config;
    build.milliseconds =
        std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (!channel.send(toJSON(build)))
      return 1;
  }
  return 0;
}

} // namespace tcgemm
