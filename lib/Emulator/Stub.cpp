#include "Decoder.h"
namespace tcgemm::emu {
llvm::ArrayRef<FamilyEntry> getAtomicFamily() { return {}; }
llvm::ArrayRef<FamilyEntry> getMatrixFamily() { return {}; }
llvm::ArrayRef<FamilyEntry> getMmaFamily() { return {}; }
llvm::ArrayRef<FamilyEntry> getWmmaFamily() { return {}; }
}
