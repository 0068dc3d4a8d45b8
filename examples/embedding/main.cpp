//===- main.cpp - tcgemm inside another program -*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler of its own with tcgemm in it: a function on tensors that mixes a
// matrix product with operations of the program's own dialect is lowered to
// one module in the LLVM dialect, which holds the kernels as a gpu.binary and
// launches them, and is run by MLIR's execution engine. The argument chooses
// between the two ways to embed tcgemm: `kernels` (the default) or `module`.
//
// Without a GPU all is done but the run; without ptxas, or with TCGEMM_PTX in
// the environment, the kernels stay PTX, which the driver compiles.
//
//===----------------------------------------------------------------------===//

#include "AppDialect.h"
#include "DeviceArray.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "tcgemm/Conversion/Passes.h"
#include "tcgemm/InitAll.h"
#include "tcgemm/Pipelines/CompilePipeline.h"
#include "tcgemm/Pipelines/DevicePipeline.h"
#include "tcgemm/Pipelines/HostPipeline.h"
#include "tcgemm/Pipelines/HostToLLVM.h"
#include "tcgemm/Target/Ptxas.h"
#include "tcgemm/Version.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;

constexpr int64_t K = 256, N = 384;

// relu(A * B + bias) for any number of rows. llvm.emit_c_interface gives the
// function an entry that takes memrefs by pointer, the result as the last.
static const char *source = R"(
func.func @layer(%a: tensor<?x256xbf16>, %b: tensor<256x384xbf16>, %bias: tensor<384xf32>)
    -> tensor<?x384xbf16> attributes {llvm.emit_c_interface} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x256xbf16>
  "app.report"(%m) : (index) -> ()
  %sums = tensor.empty(%m) : tensor<?x384xf32>
  %init = linalg.fill ins(%zero : f32) outs(%sums : tensor<?x384xf32>) -> tensor<?x384xf32>
  %product = linalg.matmul ins(%a, %b : tensor<?x256xbf16>, tensor<256x384xbf16>)
                           outs(%init : tensor<?x384xf32>) -> tensor<?x384xf32>
  %empty = tensor.empty(%m) : tensor<?x384xbf16>
  %result = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>,
                       affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x384xf32>, tensor<384xf32>)
      outs(%empty : tensor<?x384xbf16>) {
  ^bb0(%x: f32, %y: f32, %unused: bf16):
    %sum = arith.addf %x, %y : f32
    %relu = arith.maximumf %sum, %zero : f32
    %d = arith.truncf %relu : f32 to bf16
    linalg.yield %d : bf16
  } -> tensor<?x384xbf16>
  return %result : tensor<?x384xbf16>
}
)";

static int fail(const llvm::Twine &message) {
  llvm::errs() << "embedding: error: " << message << "\n";
  return 1;
}

/// Kernels only: tcgemm compiles the products and leaves everything else to the
/// program, which bufferizes, and decides where the buffers are.
static void addKernelsOnly(PassManager &passes,
                           const tcgemm::CompileOptions &options,
                           int64_t multiprocessors) {
  tcgemm::buildKernelsPipeline(passes, options);
  // The program's bufferization: this one is tcgemm's, any other will do.
  tcgemm::buildBufferizePipeline(passes);
  passes.addPass(tcgemm::createDeviceMemory());
  tcgemm::LaunchToGPUOptions launch;
  launch.smCount = multiprocessors;
  passes.addPass(tcgemm::createLaunchToGPU(launch));
  passes.addPass(createCanonicalizerPass());
  // The program's own operations.
  passes.addPass(app::createLowerApp());
}

/// Whole module: everything that computes tensors runs on the device.
static void addWholeModule(PassManager &passes,
                           const tcgemm::CompileOptions &options,
                           int64_t multiprocessors) {
  // Calls come first: where buffers end is found by the effects of operations,
  // which the program's own do not state.
  passes.addPass(app::createLowerApp());
  tcgemm::DeviceOptions device;
  device.smCount = multiprocessors;
  tcgemm::buildDevicePipeline(passes, options, device);
}

/// From tensors to the LLVM dialect.
static LogicalResult lower(ModuleOp module, bool isWholeModule,
                           const tcgemm::CompileOptions &options,
                           int64_t multiprocessors) {
  PassManager passes(module.getContext());
  (isWholeModule ? addWholeModule : addKernelsOnly)(passes, options,
                                                    multiprocessors);
  // MLIR: the rest.
  tcgemm::buildHostToLLVMPipeline(passes);
  return passes.run(module);
}

/// Returns whether the module is what the engine takes: nothing is left that is
/// not lowered, and each launch names a kernel of a binary that is there.
static bool check(ModuleOp module) {
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>("layer");
  if (!function || !module.lookupSymbol<LLVM::LLVMFuncOp>("app_report"))
    return false;
  int64_t launches = 0;
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    auto launch = dyn_cast<gpu::LaunchFuncOp>(op);
    if (!launch)
      return success(isa<ModuleOp, gpu::BinaryOp>(op) ||
                     isa<LLVM::LLVMDialect>(op->getDialect()));
    ++launches;
    auto binary =
        module.lookupSymbol<gpu::BinaryOp>(launch.getKernelModuleName());
    if (!binary || binary.getObjects().empty())
      return failure();
    auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
    return success(
        object.getObject().getValue().contains(launch.getKernelName()));
  });
  llvm::outs() << "lowered: " << launches << " launches in the host module\n";
  return !result.wasInterrupted() && launches > 0;
}

static float toFloat(uint16_t bf16) {
  return llvm::bit_cast<float>(uint32_t(bf16) << 16);
}

/// Rounded to nearest even.
static uint16_t toBF16(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

/// Small integers, whose sums are exact in f32: results are equal or wrong.
/// `offset` elements before A, so that its address is aligned or not.
static llvm::Error run(ExecutionEngine &engine, int64_t m, int64_t offset) {
  cuda::Array<uint16_t, 2> a({m, K}, offset), b({K, N}), d({m, N});
  cuda::Array<float, 1> bias({N});
  auto next = [state = 1u]() mutable {
    state = state * 1664525 + 1013904223;
    return int(state >> 24) % 9 - 4;
  };
  for (auto *operand : {&a, &b})
    for (uint16_t &value : operand->host)
      value = toBF16(next());
  for (float &value : bias.host)
    value = next();
  a.upload(), b.upload(), bias.upload();
  if (llvm::Error error =
          engine.invoke("layer", &a.device, &b.device, &bias.device, &d.device))
    return error;
  d.download();
  if (llvm::Error error = cuda::takeError())
    return error;

  int64_t wrong = 0;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < N; ++j) {
      float sum = bias.host[j];
      for (int64_t k = 0; k < K; ++k)
        sum += toFloat(a.host[i * K + k]) * toFloat(b.host[k * N + j]);
      wrong += d.host[i * N + j] != toBF16(std::max(sum, 0.0f));
    }
  llvm::outs() << m << " x " << N << " x " << K << (offset ? ", unaligned" : "")
               << ": " << wrong << " elements are wrong\n";
  if (wrong)
    return llvm::createStringError("wrong results");
  return llvm::Error::success();
}

static void report(int64_t rows) {
  llvm::outs() << "app.report: " << rows << " rows\n";
}

int main(int argc, char **argv) {
  StringRef way = argc > 1 ? argv[1] : "kernels";
  if (way != "kernels" && way != "module")
    return fail("the argument must be kernels or module");
  tcgemm::gpu_runtime::Device device{"an H100 or H200", "sm_90", "", 0, 132};
  std::string missing;
  if (auto found = tcgemm::gpu_runtime::openDevice())
    device = *found;
  else
    missing = toString(cuda::takeError());
  llvm::outs() << "tcgemm " TCGEMM_VERSION_STRING " for " << device.name
               << "\n";

  tcgemm::CompileOptions options;
  options.chip = device.chip;
  llvm::Expected<tcgemm::Ptxas> ptxas = tcgemm::Ptxas::find();
  if (ptxas && !std::getenv("TCGEMM_PTX")) {
    options.ptxasPath = ptxas->getPath().str();
  } else {
    options.format = tcgemm::OutputFormat::PTX;
    llvm::outs() << "kernels stay PTX: "
                 << (ptxas ? "TCGEMM_PTX is set" : toString(ptxas.takeError()))
                 << "\n";
  }

  DialectRegistry registry;
  tcgemm::registerUpstreamDialects(registry);
  tcgemm::registerDialects(registry);
  registry.insert<app::AppDialect>();
  MLIRContext context(registry);
  auto module = parseSourceString<ModuleOp>(source, &context);
  if (!module ||
      failed(lower(*module, way == "module", options, device.sm_count)))
    return 1;
  if (!check(*module))
    return fail("the module is not lowered as it should be");

  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto engine = ExecutionEngine::create(*module);
  if (!engine)
    return fail(toString(engine.takeError()));
  (*engine)->registerSymbols([](llvm::orc::MangleAndInterner interner) {
    llvm::orc::SymbolMap symbols = cuda::getSymbols(interner);
    symbols[interner("app_report")] = {
        llvm::orc::ExecutorAddr::fromPtr(&report),
        llvm::JITSymbolFlags::Exported};
    return symbols;
  });
  // Compiles, and finds whether all that the code calls is there.
  if (auto entry = (*engine)->lookupPacked("_mlir_ciface_layer"); !entry)
    return fail(toString(entry.takeError()));
  if (!missing.empty()) {
    llvm::outs() << "not launched: " << missing << "\n";
    return 0;
  }

  // Runs the module's constructors: they load the kernels.
  (*engine)->initialize();
  for (auto [m, offset] : {std::pair(1000, 0), {1, 0}, {333, 1}})
    if (llvm::Error error = run(**engine, m, offset))
      return fail(toString(std::move(error)));
  llvm::outs() << "all results are right\n";
  return 0;
}
