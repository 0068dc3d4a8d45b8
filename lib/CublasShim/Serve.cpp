//===- Serve.cpp - A product by tcgemm or by cuBLAS -----------------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Serve.h"
#include "Log.h"
#include "Plans.h"

using namespace tcgemm::shim;
namespace cuda = tcgemm::cuda;
namespace cublas = tcgemm::cublas;

thread_local bool NestedCall::isActive = false;

namespace {

/// Workspaces of tcgemm.h are multiples of it.
constexpr uintptr_t kWorkspaceAlignment = 256;

std::string describe(const Product &product) {
  auto letter = [](cublas::Operation operation) {
    return operation == cublas::OperationN ? "n" : "t";
  };
  std::string text = letter(product.transA);
  text += letter(product.transB);
  text += " m=" + std::to_string(product.m) +
          " n=" + std::to_string(product.n) + " k=" + std::to_string(product.k);
  if (product.batch != 1)
    text += " batch=" + std::to_string(product.batch);
  return text + " types=" + getTypeName(product.a.type) + "," +
         getTypeName(product.b.type) + "," + getTypeName(product.d.type) +
         " compute=" + std::to_string(product.compute);
}

/// One product that is being served.
class Server {
public:
  Server(const Workspace &workspace, cublas::Stream stream, Outcome &outcome)
      : workspace(workspace), stream(stream), outcome(outcome) {}
  void serve(const Product &product);

private:
  void run(Plans &plans, const Planned &planned, const Request &request);
  void launch(Plans &plans, const Planned &planned, const Request &request,
              void *memory);

  cuda::Stream getStream() const {
    return reinterpret_cast<cuda::Stream>(stream);
  }

  const Workspace &workspace;
  cublas::Stream stream;
  Outcome &outcome;
};

/// The part of the program's workspace that is aligned; null if it is less than
/// the bytes.
void *align(const Workspace &workspace, size_t bytes) {
  auto address = reinterpret_cast<uintptr_t>(workspace.address);
  uintptr_t padding = (kWorkspaceAlignment - address % kWorkspaceAlignment) %
                      kWorkspaceAlignment;
  if (!address || padding > workspace.bytes ||
      workspace.bytes - padding < bytes)
    return nullptr;
  return static_cast<char *>(workspace.address) + padding;
}

/// Sets the fields that `translate` does not.
bool initialise(const Tcgemm &tcgemm, Request &request) {
  return !tcgemm.tcgemmMatmulDescInitSized(&request.desc,
                                           sizeof request.desc) &&
         !tcgemm.tcgemmOperandsInitSized(&request.operands,
                                         sizeof request.operands);
}

} // namespace

void Server::launch(Plans &plans, const Planned &planned,
                    const Request &request, void *memory) {
  const Tcgemm &tcgemm = plans.getTcgemm();
  tcgemmStatus status = tcgemm.tcgemmRunOperands(
      planned.plan, &request.operands, memory, planned.workspaceBytes, stream);
  if (status == TCGEMM_SUCCESS)
    return;
  outcome.detail = tcgemm.tcgemmGetLastErrorMessage();
  // The driver may have launched a part. All other errors come before.
  if (status == TCGEMM_DRIVER)
    outcome.status = cublas::StatusExecutionFailed;
  else
    outcome.reason = Reason::Run;
}

void Server::run(Plans &plans, const Planned &planned, const Request &request) {
  if (planned.workspaceBytes == 0)
    return launch(plans, planned, request, nullptr);
  if (void *memory = align(workspace, planned.workspaceBytes))
    return launch(plans, planned, request, memory);
  const CudaDriver &driver = plans.getDriver();
  outcome.reason = Reason::Workspace;
  outcome.detail = std::to_string(planned.workspaceBytes) + " bytes";
  // Memory that a graph allocates limits what may be done with the graph.
  if (!workspace.mayAllocate || driver.isCapturing(getStream()))
    return;
  cuda::DevicePointer memory =
      driver.allocate(planned.workspaceBytes, getStream());
  if (!memory)
    return;
  outcome.reason = Reason::None;
  outcome.detail.clear();
  launch(plans, planned, request, reinterpret_cast<void *>(memory));
  driver.free(memory, getStream());
}

void Server::serve(const Product &product) {
  Plans *plans = Plans::get(outcome.reason);
  if (!plans)
    return;
  Request request;
  if (!initialise(plans->getTcgemm(), request)) {
    outcome.reason = Reason::Run;
    return;
  }
  outcome.reason = translate(product, request);
  if (outcome.reason != Reason::None)
    return;
  const Planned *planned =
      plans->find(request, stream, outcome.reason, outcome.detail);
  if (planned)
    run(*plans, *planned, request);
}

void tcgemm::shim::serve(const Product &product, const Workspace &workspace,
                         cublas::Stream stream, Outcome &outcome) {
  if (isLogging())
    outcome.product = describe(product);
  Server(workspace, stream, outcome).serve(product);
}

size_t tcgemm::shim::predictWorkspace(Product product) {
  // Scalars of all types, and an address that is never read.
  static const uint64_t zero = 0;
  static const double one64 = 1;
  static const float one32 = 1;
  static const int32_t oneInteger = 1;
  static const uint16_t one16 = 0x3c00;
  Reason reason = Reason::None;
  Plans *plans = Plans::get(reason);
  Request request;
  if (!plans || !initialise(plans->getTcgemm(), request))
    return 0;
  product.alpha =
      product.scaleType == cublas::R64F ? static_cast<const void *>(&one64)
      : product.scaleType == cublas::R32I
          ? static_cast<const void *>(&oneInteger)
      : product.scaleType == cublas::R16F ? static_cast<const void *>(&one16)
                                          : static_cast<const void *>(&one32);
  product.beta = &zero;
  auto *placeholder = reinterpret_cast<void *>(kWorkspaceAlignment);
  for (Matrix *matrix : {&product.a, &product.b, &product.c, &product.d})
    matrix->address = placeholder;
  product.bias = placeholder;
  if (translate(product, request) != Reason::None)
    return 0;
  std::string detail;
  const Planned *planned = plans->find(request, nullptr, reason, detail);
  return planned ? planned->workspaceBytes : 0;
}

cublas::Status tcgemm::shim::reportMissing(const char *name) {
  complain(std::string("the program's cuBLAS has no function ") + name);
  return cublas::StatusNotSupported;
}
