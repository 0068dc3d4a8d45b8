//===- EmitPTX.cpp - From the LLVM dialect to PTX ---------------*- C++ -*-===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tcgemm/Target/EmitPTX.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace mlir;

// Only this target is linked: the others would double start-up time and size.
extern "C" void LLVMInitializeNVPTXTarget();
extern "C" void LLVMInitializeNVPTXTargetInfo();
extern "C" void LLVMInitializeNVPTXTargetMC();
extern "C" void LLVMInitializeNVPTXAsmPrinter();

namespace tcgemm {

static void initializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

void registerEmissionDialects(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const ChipInfo &chip, const EmitPTXOptions &options,
                    std::string &message) {
  initializeTarget();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return nullptr;
  auto level = options.optLevel == 0   ? llvm::CodeGenOptLevel::None
               : options.optLevel == 1 ? llvm::CodeGenOptLevel::Less
               : options.optLevel == 2 ? llvm::CodeGenOptLevel::Default
                                       : llvm::CodeGenOptLevel::Aggressive;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, chip.name, chip.getPTXFeature(), llvm::TargetOptions(),
      /*RM=*/std::nullopt, /*CM=*/std::nullopt, level));
}

namespace {
/// Skips passes that are slow and have no effect on tile programs.
class PassGate : public llvm::OptPassGate {
public:
  bool isEnabled() const override { return true; }
  bool shouldRunPass(StringRef name, StringRef) const override {
    // slsr takes two thirds of the backend's time: it compares all pairs of
    // addresses, which are already a base plus a constant in tile programs.
    return name != "slsr";
  }
};
} // namespace

/// LLVM narrows arithmetic in f32 whose operands are extended and whose result
/// is truncated to a half, if a half has the significand's bits of the
/// operands. This ignores that bfloat has a larger range of exponents. A shift
/// instead of the extension prevents the narrowing.
static void replaceBFloatExtensions(llvm::Function &function) {
  auto isToHalf = [](const llvm::Instruction &instruction) {
    return llvm::isa<llvm::FPTruncInst>(instruction) &&
           instruction.getType()->getScalarType()->isHalfTy();
  };
  if (llvm::none_of(llvm::instructions(function), isToHalf))
    return;
  for (llvm::Instruction &instruction :
       llvm::make_early_inc_range(llvm::instructions(function))) {
    auto *extension = llvm::dyn_cast<llvm::FPExtInst>(&instruction);
    if (!extension || !extension->getSrcTy()->getScalarType()->isBFloatTy() ||
        !extension->getDestTy()->getScalarType()->isFloatTy())
      continue;
    llvm::IRBuilder<> builder(extension);
    auto withElement = [&](llvm::Type *element) {
      return extension->getSrcTy()->getWithNewType(element);
    };
    llvm::Value *bits = builder.CreateBitCast(
        extension->getOperand(0), withElement(builder.getInt16Ty()));
    bits = builder.CreateShl(
        builder.CreateZExt(bits, withElement(builder.getInt32Ty())), 16);
    extension->replaceAllUsesWith(
        builder.CreateBitCast(bits, extension->getDestTy()));
    extension->eraseFromParent();
  }
}

/// Runs the passes that a tile program needs, without inlining, unrolling or
/// vectorizing. The result is that of LLVM's default pipeline, in less time.
static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  for (llvm::Function &function : module)
    replaceBFloatExtensions(function);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::ModulePassManager passes;
  llvm::cantFail(builder.parsePassPipeline(
      passes, "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
              "loop-mssa(licm),simplifycfg)"));
  passes.run(module, modules);
}

/// Returns whether the backend has instructions for the intrinsic `name`. For
/// others it would call a C library, or abort the process if there is no such
/// function.
static bool isSupportedIntrinsic(StringRef name) {
  constexpr StringLiteral prefixes[] = {
      "llvm.nvvm.",       "llvm.fabs.",      "llvm.fma.",
      "llvm.fmuladd.",    "llvm.floor.",     "llvm.ceil.",
      "llvm.trunc.",      "llvm.rint.",      "llvm.round.",
      "llvm.roundeven.",  "llvm.nearbyint.", "llvm.sqrt.",
      "llvm.copysign.",   "llvm.minnum.",    "llvm.maxnum.",
      "llvm.minimum.",    "llvm.maximum.",   "llvm.minimumnum.",
      "llvm.maximumnum.", "llvm.abs.",       "llvm.smin.",
      "llvm.smax.",       "llvm.umin.",      "llvm.umax.",
      "llvm.ctpop.",      "llvm.ctlz.",      "llvm.cttz.",
      "llvm.bitreverse.", "llvm.bswap.",     "llvm.fshl.",
      "llvm.fshr.",       "llvm.assume",     "llvm.lifetime.",
      "llvm.memcpy.",     "llvm.memset.",    "llvm.vector.reduce.",
      "llvm.is.fpclass."};
  return llvm::any_of(
      prefixes, [&](StringRef prefix) { return name.starts_with(prefix); });
}

/// Rejects calls of functions that neither PTX nor the driver has.
static LogicalResult checkDeclarations(gpu::GPUModuleOp module,
                                       const llvm::Module &llvmModule) {
  for (const llvm::Function &function : llvmModule) {
    StringRef name = function.getName();
    if (!function.isDeclaration() || function.use_empty() ||
        isSupportedIntrinsic(name) || name == kAssertFailFunction)
      continue;
    return emitError(module.getLoc())
           << "gpu.module '" << module.getName() << "' calls '" << name
           << "', which PTX has no instruction for: lower it to arithmetic "
              "first (there is no libdevice)";
  }
  return success();
}

FailureOr<std::string> emitPTX(gpu::GPUModuleOp module, const ChipInfo &chip,
                               const EmitPTXOptions &options) {
  std::string message;
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(chip, options, message);
  if (!machine)
    return mlir::emitError(module.getLoc())
           << "this build cannot emit PTX: " << message;

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule =
      translateModuleToLLVMIR(module, context, module.getName());
  if (!llvmModule || failed(checkDeclarations(module, *llvmModule)))
    return failure();
  llvmModule->setTargetTriple(machine->getTargetTriple());
  // The module's data layout determines the width of pointers. LLVM's option
  // for it is process-wide.
  llvmModule->setDataLayout(
      options.shortPointers
          ? machine->getTargetTriple().computeDataLayout("shortptr")
          : machine->createDataLayout().getStringRepresentation());

  PassGate gate;
  context.setOptPassGate(gate);
  if (options.optLevel > 0)
    optimize(*llvmModule, *machine);

  llvm::SmallString<0> ptx;
  llvm::raw_svector_ostream stream(ptx);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile,
                                   /*DisableVerify=*/true))
    return mlir::emitError(module.getLoc())
           << "LLVM cannot emit PTX for " << chip.name;
  passes.run(*llvmModule);
  return ptx.str().str();
}

} // namespace tcgemm
