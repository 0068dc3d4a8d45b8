//===- WorkerMessages.cpp - Jobs and answers as JSON ----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both ends are the same program. A missing member is therefore a bug; it is
// read as empty.
//
//===----------------------------------------------------------------------===//

#include "Measure/Workers.h"

using namespace llvm;

namespace tcgemm {
namespace {

std::string getText(const json::Object &object, StringRef key) {
  return object.getString(key).value_or("").str();
}
double getNumber(const json::Object &object, StringRef key) {
  return object.getNumber(key).value_or(0);
}
int64_t getInteger(const json::Object &object, StringRef key) {
  return object.getInteger(key).value_or(0);
}

std::vector<std::string> getTexts(const json::Object &object, StringRef key) {
  std::vector<std::string> texts;
  if (const json::Array *array = object.getArray(key))
    for (const json::Value &value : *array)
      texts.push_back(value.getAsString().value_or("").str());
  return texts;
}

} // namespace

json::Object toJSON(const CompileJob &job) {
  return json::Object{{"kernel", job.problem.kernel.str()},
                      {"sizes", job.problem.sizes.str()},
                      {"config", job.config.str()}};
}

json::Object toJSON(const Build &build) {
  return json::Object{{"config", build.key.config.str()},
                      {"outcome", getOutcomeName(build.outcome)},
                      {"message", json::fixUTF8(build.message)},
                      {"milliseconds", build.milliseconds},
                      {"ptxas", build.ptxas},
                      {"manifest", json::fixUTF8(build.manifest)},
                      {"binaries", json::Array(build.binaries)}};
}

void readBuild(const json::Object &answer, Build &build) {
  build.outcome =
      parseOutcome(getText(answer, "outcome")).value_or(Outcome::Crash);
  build.message = getText(answer, "message");
  build.milliseconds = getNumber(answer, "milliseconds");
  build.ptxas = getText(answer, "ptxas");
  build.manifest = getText(answer, "manifest");
  build.binaries = getTexts(answer, "binaries");
}

DeviceGreeting readGreeting(const json::Object &message) {
  return {getText(message, "error"), getText(message, "device"),
          getText(message, "driver"), getText(message, "chip")};
}

json::Object toJSON(const DeviceJob &job) {
  json::Array builds;
  for (const Build &build : job.builds)
    builds.push_back(toJSON(build));
  return json::Object{{"kernel", job.problem.kernel.str()},
                      {"sizes", job.problem.sizes.str()},
                      {"refine", job.isRefinement},
                      {"best", job.best},
                      {"builds", std::move(builds)}};
}

static RunOutcome readOutcome(const json::Object &object) {
  RunOutcome result;
  result.outcome =
      parseOutcome(getText(object, "outcome")).value_or(Outcome::Crash);
  result.message = getText(object, "message");
  result.variant = getText(object, "variant");
  std::vector<double> samples;
  if (const json::Array *array = object.getArray("samples"))
    for (const json::Value &sample : *array)
      samples.push_back(sample.getAsNumber().value_or(0));
  result.timing = summarizeSamples(
      parseTimingStage(getText(object, "stage")).value_or(TimingStage::None),
      std::move(samples));
  result.resources = {
      getInteger(object, "registers"),     getInteger(object, "spill_bytes"),
      getInteger(object, "shared_memory"), getInteger(object, "threads"),
      getInteger(object, "workspace"),     ""};
  if (Expected<DeviceState> state = deviceStateFromJSON(object))
    result.state = *state;
  else
    consumeError(state.takeError());
  result.isForeignCode = object.getBoolean("foreign").value_or(false);
  result.isDamagedCode = object.getBoolean("damaged").value_or(false);
  result.verifyMilliseconds = getNumber(object, "verify_ms");
  result.measureMilliseconds = getNumber(object, "measure_ms");
  return result;
}

json::Object toJSON(const RunOutcome &outcome) {
  const Resources &resources = outcome.resources;
  json::Object object{{"outcome", getOutcomeName(outcome.outcome)},
                      {"message", json::fixUTF8(outcome.message)},
                      {"variant", outcome.variant},
                      {"stage", getTimingStageName(outcome.timing.stage)},
                      {"samples", json::Array(outcome.timing.samples)},
                      {"registers", resources.registers},
                      {"spill_bytes", resources.spillBytes},
                      {"shared_memory", resources.sharedMemory},
                      {"threads", resources.threads},
                      {"workspace", resources.workspace},
                      {"foreign", outcome.isForeignCode},
                      {"damaged", outcome.isDamagedCode},
                      {"verify_ms", outcome.verifyMilliseconds},
                      {"measure_ms", outcome.measureMilliseconds}};
  addJSON(object, outcome.state);
  return object;
}

DeviceAnswer readDeviceAnswer(const json::Object &message) {
  DeviceAnswer answer;
  answer.isDeviceLost = message.getBoolean("lost").value_or(false);
  if (const json::Array *array = message.getArray("outcomes"))
    for (const json::Value &value : *array)
      if (const json::Object *object = value.getAsObject())
        answer.outcomes.push_back(readOutcome(*object));
  return answer;
}

} // namespace tcgemm
