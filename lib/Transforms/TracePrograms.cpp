//===- TracePrograms.cpp - Events in the roles of programs ----------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The events follow from the operations of the tile level, so that no schedule
// knows of traces, and a program without a trace is not affected by them.
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Config/ScheduleFamily.h"
#include "tcgemm/Dialect/TraceOps.h"
#include "tcgemm/Target/PassOptions.h"
#include "tcgemm/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tcgemm {
#define GEN_PASS_DEF_TRACEPROGRAMS
#include "tcgemm/Transforms/Passes.h.inc"
} // namespace tcgemm

using namespace mlir;
using namespace tcgemm;

namespace {

/// The events around an operation.
struct EventPair {
  std::optional<TraceEvent> before, after;
};

/// Adds the events of one program.
class ProgramTracer {
public:
  explicit ProgramTracer(ProgramOp program)
      : program(program), b(program.getContext()) {}

  /// Returns the number of events.
  unsigned trace(ArrayRef<int64_t> ctas, int64_t events);

private:
  void findSharedRings();
  EventPair getEvents(Operation *op) const;
  void add(TraceEvent event, Location location) {
    TraceEventOp::create(b, location, event);
    ++numEvents;
  }
  void traceRole(RoleOp role);

  ProgramOp program;
  OpBuilder b;
  /// The rings that producers fill. A ring that a consumer fills for itself has
  /// no events.
  llvm::SmallSetVector<Value, 2> sharedRings;
  unsigned numEvents = 0;
};

} // namespace

void ProgramTracer::findSharedRings() {
  program.walk([&](RingAcquireOp acquire) {
    auto role = acquire->getParentOfType<RoleOp>();
    if (role && role.getKind() == RoleKind::Producer)
      sharedRings.insert(acquire.getRing());
  });
}

EventPair ProgramTracer::getEvents(Operation *op) const {
  using E = TraceEvent;
  auto ofRing = [&](Value ring, EventPair pair) {
    return sharedRings.contains(ring) ? pair : EventPair();
  };
  return llvm::TypeSwitch<Operation *, EventPair>(op)
      .Case<RingAcquireOp>([&](auto acquire) {
        return ofRing(acquire.getRing(), {E::AcquireBegin, E::AcquireEnd});
      })
      .Case<RingCommitOp>([&](auto commit) {
        return ofRing(commit.getRing(), {std::nullopt, E::Commit});
      })
      .Case<RingWaitOp>([&](auto wait) {
        return ofRing(wait.getRing(), {E::WaitBegin, E::WaitEnd});
      })
      // The products that read the stage have ended before it.
      .Case<RingReleaseOp>([&](auto release) {
        return ofRing(release.getRing(), {E::Release, std::nullopt});
      })
      .Case<OrderWaitOp>(
          [](auto) { return EventPair{E::OrderBegin, E::OrderEnd}; })
      .Case<AccClusterReduceOp, AccReceiveOp>(
          [](auto) { return EventPair{E::ReduceBegin, E::ReduceEnd}; })
      .Case<EpilogueOp, TmaStoreOp>(
          [](auto) { return EventPair{E::EpilogueBegin, E::EpilogueEnd}; })
      .Default([](Operation *) { return EventPair(); });
}

void ProgramTracer::traceRole(RoleOp role) {
  SmallVector<Operation *> operations;
  role.getBody().walk([&](Operation *op) { operations.push_back(op); });
  for (Operation *op : operations) {
    EventPair pair = getEvents(op);
    b.setInsertionPoint(op);
    if (pair.before)
      add(*pair.before, op->getLoc());
    b.setInsertionPointAfter(op);
    if (pair.after)
      add(*pair.after, op->getLoc());
  }
  Block &body = role.getBody().front();
  b.setInsertionPointToStart(&body);
  add(TraceEvent::RoleBegin, role.getLoc());
  b.setInsertionPointToEnd(&body);
  add(TraceEvent::RoleEnd, role.getLoc());
}

unsigned ProgramTracer::trace(ArrayRef<int64_t> ctas, int64_t events) {
  Block &body = program.getBody().front();
  b.setInsertionPointToStart(&body);
  TraceBufferOp::create(b, program.getLoc(), b.getDenseI64ArrayAttr(ctas),
                        b.getI64IntegerAttr(events));
  findSharedRings();
  for (RoleOp role : body.getOps<RoleOp>())
    traceRole(role);
  return numEvents;
}

/// Refuses kernels whose programs have no roles.
static LogicalResult checkSchedule(KernelOp kernel) {
  auto config = dyn_cast_or_null<ConfigAttr>(kernel.getConfigAttr());
  if (!config)
    return kernel.emitOpError()
           << "has no configuration: run tcgemm-configure and tcgemm-schedule "
              "before tcgemm-trace-programs";
  tcgemm::Schedule schedule = config.getValue().schedule;
  if (getFamily(schedule).takesTrace())
    return success();
  return kernel.emitOpError()
         << "has schedule " << getScheduleName(schedule)
         << ", whose programs write no trace; schedules that do: "
         << listTracedSchedules();
}

namespace {
class TraceProgramsPass
    : public tcgemm::impl::TraceProgramsBase<TraceProgramsPass> {
public:
  using TraceProgramsBase::TraceProgramsBase;

  LogicalResult initialize(MLIRContext *context) override {
    return reportOptions(*this, context, readOptions().check());
  }
  void runOnOperation() override {
    TraceOptions options = readOptions();
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      if (failed(checkSchedule(kernel)))
        return signalPassFailure();
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      for (ProgramOp program : module.getOps<ProgramOp>()) {
        // A program that packs operands or sums slices has no roles.
        if (program.getBody().front().getOps<RoleOp>().empty() ||
            findTraceBuffer(program))
          continue;
        numEvents += ProgramTracer(program).trace(options.ctas, options.events);
        // The trace takes registers that the configuration did not plan.
        program.setMaySpill(true);
        ++numPrograms;
      }
  }

private:
  TraceOptions readOptions() const {
    TraceOptions options;
    if (!ctas.empty())
      options.ctas.assign(ctas.begin(), ctas.end());
    options.events = events;
    return options;
  }
};
} // namespace
