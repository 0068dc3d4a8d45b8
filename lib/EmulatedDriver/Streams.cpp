//===- Streams.cpp - Streams, events and graphs ---------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "EntryPoints.h"

using namespace tcgemm;
using namespace tcgemm::emulated_driver;
using llvm::Error;

namespace {

template <typename Handle>
Result create(Handle *handle, Handles<Token> State::*handles) {
  return run([&](State &state) {
    *handle = reinterpret_cast<Handle>(
        (state.*handles).add(std::make_unique<Token>()));
    return Error::success();
  });
}

Result destroy(const void *handle, Handles<Token> State::*handles,
               const char *kind) {
  return run([&](State &state) {
    return (state.*handles).erase(handle)
               ? Error::success()
               : fail(InvalidHandle, llvm::Twine("not ") + kind);
  });
}

} // namespace

Result cuStreamCreate(Stream *stream, unsigned) {
  return create(stream, &State::streams);
}

Result cuStreamCreateWithPriority(Stream *stream, unsigned flags, int) {
  return cuStreamCreate(stream, flags);
}

Result cuStreamDestroy_v2(Stream stream) {
  return destroy(stream, &State::streams, "a stream");
}

Result cuStreamSynchronize(Stream stream) {
  return run([&](State &state) -> Error {
    if (Error error = state.checkStream(stream))
      return error;
    return state.checkAssertion();
  });
}

/// All work has ended when a call returns.
Result cuStreamQuery(Stream stream) { return cuStreamSynchronize(stream); }

Result cuStreamWaitEvent(Stream stream, Event event, unsigned) {
  return run([&](State &state) -> Error {
    if (Error error = state.checkStream(stream))
      return error;
    return state.checkEvent(event);
  });
}

Result cuStreamBeginCapture_v2(Stream stream, int) {
  return run([&](State &state) -> Error {
    state.isCapturing = true;
    return state.checkStream(stream);
  });
}

/// A capture is one of all streams.
Result cuStreamIsCapturing(Stream stream, int *status) {
  return run([&](State &state) -> Error {
    *status = state.isCapturing ? 1 : 0;
    return state.checkStream(stream);
  });
}

Result cuStreamEndCapture(Stream stream, GraphHandle *graph) {
  Result result = run([&](State &state) -> Error {
    state.isCapturing = false;
    return state.checkStream(stream);
  });
  return result == Success ? create(graph, &State::graphs) : result;
}

Result cuGraphInstantiateWithFlags(GraphExec *exec, GraphHandle,
                                   unsigned long long) {
  return create(exec, &State::graphs);
}

Result cuGraphLaunch(GraphExec, Stream stream) {
  return cuStreamSynchronize(stream);
}

Result cuGraphExecDestroy(GraphExec exec) {
  return destroy(exec, &State::graphs, "a graph");
}

Result cuGraphDestroy(GraphHandle graph) {
  return destroy(graph, &State::graphs, "a graph");
}

Result cuEventCreate(Event *event, unsigned) {
  return create(event, &State::events);
}

Result cuEventDestroy_v2(Event event) {
  return destroy(event, &State::events, "an event");
}

Result cuEventRecord(Event event, Stream stream) {
  return cuStreamWaitEvent(stream, event, 0);
}

Result cuEventRecordWithFlags(Event event, Stream stream, unsigned) {
  return cuEventRecord(event, stream);
}

Result cuEventQuery(Event event) { return cuEventSynchronize(event); }

Result cuEventSynchronize(Event event) {
  return run([&](State &state) -> Error {
    if (Error error = state.checkEvent(event))
      return error;
    return state.checkAssertion();
  });
}

Result cuEventElapsedTime(float *milliseconds, Event, Event) {
  *milliseconds = 60;
  return Success;
}
