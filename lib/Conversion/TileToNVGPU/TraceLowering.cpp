//===- TraceLowering.cpp - Events in global memory ------------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that a thread keeps is the position of its next event, in a variable that
// LLVM turns into a register. A thread that writes nothing has a position
// behind the buffer's end. Stores depend on a predicate, never on a branch: a
// branch between the products of wgmma would make ptxas wait for them.
//
//===----------------------------------------------------------------------===//

#include "TraceLowering.h"
#include "Families.h"
#include "InlineAssembly.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "tcgemm/Dialect/TraceOps.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tcgemm;

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// The address space of global memory.
static constexpr unsigned kGlobalSpace = 1;
static constexpr uint64_t kBufferAlignment = 16;

/// A visible variable with an array of integers.
static void createVariable(OpBuilder &b, Location location, StringRef name,
                           Type element, int64_t count,
                           DenseElementsAttr value) {
  LLVM::GlobalOp::create(b, location, LLVM::LLVMArrayType::get(element, count),
                         /*isConstant=*/false, LLVM::Linkage::External, name,
                         value, kBufferAlignment, kGlobalSpace);
}

void tcgemm::createTraceVariables(ProgramOp program) {
  TraceBufferOp buffer = findTraceBuffer(program);
  if (!buffer)
    return;
  OpBuilder b(program);
  TraceLayout layout = getTraceLayout(buffer);
  int64_t words = layout.getWords();
  auto zeros = DenseElementsAttr::get(
      RankedTensorType::get({words}, b.getI64Type()), b.getI64IntegerAttr(0));
  createVariable(b, buffer.getLoc(), getTraceVariable(program.getName()),
                 b.getI64Type(), words, zeros);
  std::vector<int32_t> encoded = layout.encode();
  int64_t count = encoded.size();
  createVariable(
      b, buffer.getLoc(), getTraceLayoutVariable(program.getName()),
      b.getI32Type(), count,
      DenseElementsAttr::get(RankedTensorType::get({count}, b.getI32Type()),
                             ArrayRef<int32_t>(encoded)));
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

namespace {
class TraceLowering : public Lowering {
public:
  using Lowering::Lowering;
  void lower(TraceBufferOp op);
  void lower(TraceEventOp op);

private:
  Value getStream(RoleOp role);
  Value getAddress(Value number, int64_t bytes, int64_t offset);
  void writeHeader(Value stream, StringRef registers, StringRef text,
                   ArrayRef<std::pair<TraceWord, StringRef>> words,
                   ValueRange operands = {});
  void begin(RoleOp role);
  void end(RoleOp role);
  void writeEvent(TraceEvent event);

  const TraceLayout &layout = c.traceLayout;
};
} // namespace

void TraceLowering::lower(TraceBufferOp op) {
  c.traceLayout = getTraceLayout(op);
  // LLVM makes registers of variables in a function's first block only.
  OpBuilder::InsertionGuard scope(b);
  b.setInsertionPointToStart(&analysis.getProgram().getBody().front());
  c.tracePosition =
      b.create<LLVM::AllocaOp>(LLVM::LLVMPointerType::get(b.getContext()),
                               b.getI32Type(), b.i32(1), /*alignment=*/4);
}

/// The stream that the thread writes; a number behind all positions if it
/// writes none.
Value TraceLowering::getStream(RoleOp role) {
  auto first = static_cast<int32_t>(role.getWarps()[0]);
  auto number = llvm::find_if(layout.roles, [&](const TraceRole &other) {
    return other.firstWarp == first;
  });
  int64_t index = number - layout.roles.begin();
  auto toInteger = [&](Value value) {
    return b.create<arith::IndexCastUIOp>(b.getI32Type(), value);
  };
  Value cta = toInteger(b.create<gpu::BlockIdOp>(gpu::Dimension::x));
  Value ctas = toInteger(b.create<gpu::GridDimOp>(gpu::Dimension::x));
  Value none = b.i32(layout.getPositions()), stream = none;
  // The first of the list decides, if two are one CTA.
  for (size_t slot = layout.options.ctas.size(); slot-- > 0;) {
    int64_t traced = layout.options.ctas[slot];
    Value wanted = traced < 0 ? b.add(ctas, traced) : b.i32(traced);
    stream =
        b.select(b.equal(cta, wanted),
                 b.i32(int64_t(slot * layout.roles.size()) + index), stream);
  }
  if (role.getKind() == RoleKind::Consumer)
    return b.select(b.equal(c.threadId(), b.i32(32 * int64_t(first))), stream,
                    none);
  // Without a leader one thread runs the whole role.
  Value leader = c.leaders.lookup(role);
  return leader ? b.select(leader, stream, none) : stream;
}

/// The address of number `number` of the parts of `bytes` bytes that start at
/// `offset` of the buffer, as i64.
Value TraceLowering::getAddress(Value number, int64_t bytes, int64_t offset) {
  Value start = b.create<LLVM::AddressOfOp>(
      LLVM::LLVMPointerType::get(b.getContext(), kGlobalSpace),
      getTraceVariable(analysis.getProgram().getName()));
  Value base = b.create<LLVM::PtrToIntOp>(b.getI64Type(), start);
  return b.add(b.add(base, b.mul(b.ext(number), bytes)), offset);
}

/// Writes registers to words of a stream's header. `text` sets them.
void TraceLowering::writeHeader(Value stream, StringRef registers,
                                StringRef text,
                                ArrayRef<std::pair<TraceWord, StringRef>> words,
                                ValueRange operands) {
  std::string assembly =
      llvm::formatv("{{\n.reg .pred writes;\n.reg .b64 {0};\n"
                    "setp.lt.u32 writes, $1, {1};\n{2}",
                    registers, layout.getStreams(), text);
  for (auto [word, value] : words)
    assembly += llvm::formatv(
        "@writes st.global.b64 [$0+{0}], {1};\n",
        TraceLayout::kWordBytes * static_cast<int64_t>(word), value);
  assembly += "}";
  Value address = getAddress(
      stream, TraceLayout::kHeaderWords * TraceLayout::kWordBytes, 0);
  SmallVector<Value> all{address, stream};
  llvm::append_range(all, operands);
  createAssembly(b, assembly, operands.empty() ? "l,r" : "l,r,r", TypeRange(),
                 all);
}

void TraceLowering::begin(RoleOp role) {
  Value stream = getStream(role);
  b.create<LLVM::StoreOp>(stream, c.tracePosition, /*alignment=*/4);
  writeHeader(stream, "timer, clock, processor, cta, ctas",
              "mov.u64 timer, %globaltimer;\n"
              "mov.u64 clock, %clock64;\n"
              "cvt.u64.u32 processor, %smid;\n"
              "cvt.u64.u32 cta, %ctaid.x;\n"
              "cvt.u64.u32 ctas, %nctaid.x;\n",
              {{TraceWord::FirstTimer, "timer"},
               {TraceWord::FirstClock, "clock"},
               {TraceWord::Processor, "processor"},
               {TraceWord::Cta, "cta"},
               {TraceWord::Ctas, "ctas"}});
}

void TraceLowering::end(RoleOp role) {
  Value position = b.create<LLVM::LoadOp>(b.getI32Type(), c.tracePosition,
                                          /*alignment=*/4);
  writeHeader(getStream(role), "timer, clock, position",
              "mov.u64 timer, %globaltimer;\n"
              "mov.u64 clock, %clock64;\n"
              "cvt.u64.u32 position, $2;\n",
              {{TraceWord::LastTimer, "timer"},
               {TraceWord::LastClock, "clock"},
               {TraceWord::Position, "position"}},
              position);
}

void TraceLowering::writeEvent(TraceEvent event) {
  Value position = b.create<LLVM::LoadOp>(b.getI32Type(), c.tracePosition,
                                          /*alignment=*/4);
  std::string text = llvm::formatv("{{\n.reg .pred fits;\n.reg .b64 word;\n"
                                   "setp.lt.u32 fits, $1, {0};\n"
                                   "mov.u64 word, %clock64;\n"
                                   "or.b64 word, word, {1};\n"
                                   "@fits st.global.b64 [$0], word;\n"
                                   "}",
                                   layout.getPositions(),
                                   uint64_t(event) << TraceLayout::kEventShift);
  Value address =
      getAddress(position, TraceLayout::kWordBytes, layout.getHeadersBytes());
  createAssembly(b, text, "l,r", TypeRange(), {address, position});
  // Events that do not fit are counted. The number must not start again at 0.
  constexpr int64_t most = int64_t(1) << 30;
  Value next = b.add(b.minU(position, b.i32(most)), layout.getStreams());
  b.create<LLVM::StoreOp>(next, c.tracePosition, /*alignment=*/4);
}

void TraceLowering::lower(TraceEventOp op) {
  RoleOp role = analysis.getRole(op);
  switch (op.getTraceEvent()) {
  case TraceEvent::RoleBegin:
    return begin(role);
  case TraceEvent::RoleEnd:
    return end(role);
  default:
    return writeEvent(op.getTraceEvent());
  }
}

void tcgemm::populateTracePatterns(LoweringContext &c,
                                   RewritePatternSet &patterns) {
  addFamily<TraceLowering, TraceBufferOp, TraceEventOp>(c, patterns);
}
