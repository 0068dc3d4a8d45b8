//===- TraceOps.cpp - Operations that write a trace -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Dialect/TraceOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tcgemm;

static ParseResult parseTraceEvent(OpAsmParser &parser, IntegerAttr &event) {
  StringRef name;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<TraceEvent> parsed = findTraceEvent(name);
  if (!parsed)
    return parser.emitError(location)
           << "'" << name << "' is no event; events are "
           << llvm::join(llvm::map_range(getTraceEventInfos(),
                                         [](const TraceEventInfo &info) {
                                           return info.name.str();
                                         }),
                         ", ");
  event = parser.getBuilder().getI32IntegerAttr(static_cast<int32_t>(*parsed));
  return success();
}

static void printTraceEvent(OpAsmPrinter &printer, Operation *,
                            IntegerAttr event) {
  printer << getTraceEventInfos()[event.getInt()].name;
}

#define GET_OP_CLASSES
#include "tcgemm/Dialect/TcgemmTraceOps.cpp.inc"

TraceBufferOp tcgemm::findTraceBuffer(ProgramOp program) {
  auto buffers = program.getBody().front().getOps<TraceBufferOp>();
  return buffers.empty() ? TraceBufferOp() : *buffers.begin();
}

static TraceOptions getOptions(TraceBufferOp buffer) {
  TraceOptions options;
  options.ctas.assign(buffer.getCtas().begin(), buffer.getCtas().end());
  options.events = buffer.getEvents();
  return options;
}

TraceLayout tcgemm::getTraceLayout(TraceBufferOp buffer) {
  TraceLayout layout;
  layout.options = getOptions(buffer);
  for (RoleOp role : buffer->getBlock()->getOps<RoleOp>())
    layout.roles.push_back({role.getKind() == RoleKind::Producer,
                            static_cast<int32_t>(role.getWarps()[0])});
  return layout;
}

LogicalResult TraceBufferOp::verify() {
  if (llvm::Error error = getOptions(*this).check())
    return emitOpError() << llvm::toString(std::move(error));
  for (Operation &other : *(*this)->getBlock()) {
    if (isa<TraceBufferOp>(other) && &other != getOperation())
      return emitOpError() << "is not the program's only one";
    if (isa<RoleOp>(other) && other.isBeforeInBlock(getOperation()))
      return emitOpError() << "must be before the program's roles";
  }
  return success();
}

/// Checks the first and the last event of a role, which are in its own block,
/// and that the others come after the first one: it sets the position of the
/// next.
static LogicalResult verifyPosition(TraceEventOp op, RoleOp role) {
  TraceEvent event = op.getTraceEvent();
  Block &body = role.getBody().front();
  bool isOfRole =
      event == TraceEvent::RoleBegin || event == TraceEvent::RoleEnd;
  if (isOfRole && op->getBlock() != &body)
    return op.emitOpError() << getTraceEventInfos()[op.getEvent()].name
                            << " must be in the role's own block";
  if (event == TraceEvent::RoleBegin)
    return success();
  Operation *end = body.findAncestorOpInBlock(*op);
  auto isBegin = [](Operation &before) {
    auto other = dyn_cast<TraceEventOp>(before);
    return other && other.getTraceEvent() == TraceEvent::RoleBegin;
  };
  if (llvm::none_of(llvm::make_range(body.begin(), end->getIterator()),
                    isBegin))
    return op.emitOpError() << "comes before the role's role_begin";
  return success();
}

LogicalResult TraceEventOp::verify() {
  if (getEvent() >= getTraceEventInfos().size())
    return emitOpError() << "has the event " << getEvent()
                         << ", but the last one is "
                         << getTraceEventInfos().size() - 1;
  const TraceEventInfo &info = getTraceEventInfos()[getEvent()];
  auto role = (*this)->getParentOfType<RoleOp>();
  if (!role || (*this)->getParentOfType<ElectOp>())
    return emitOpError() << "must be for all threads of a role";
  bool isProducer = role.getKind() == RoleKind::Producer;
  if (info.scope == TraceScope::Producers && !isProducer)
    return emitOpError() << info.name
                         << " is an event of producers, but the role is a "
                            "consumer";
  if (info.scope == TraceScope::Consumers && isProducer)
    return emitOpError() << info.name
                         << " is an event of consumers, but the role is a "
                            "producer";
  auto program = (*this)->getParentOfType<ProgramOp>();
  if (!program || !findTraceBuffer(program))
    return emitOpError() << "needs a tcgemm.trace.buffer in its program";
  return verifyPosition(*this, role);
}
