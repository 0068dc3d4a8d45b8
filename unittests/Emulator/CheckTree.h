//===- CheckTree.h - What every tree of PTX fulfils -------------*- C++ -*-===//
//
// Part of the tcgemm project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TCGEMM_UNITTESTS_EMULATOR_CHECKTREE_H
#define TCGEMM_UNITTESTS_EMULATOR_CHECKTREE_H

#include "tcgemm/Emulator/Ptx.h"

#include "llvm/ADT/StringSet.h"

namespace tcgemm::ptx {

/// Describes the first defect of a tree; null if there is none. For tests and
/// the fuzzer.
class TreeChecker {
public:
  explicit TreeChecker(const Module &module) : module(module) {}

  const char *check() {
    for (const Variable &variable : module.variables)
      checkVariable(variable);
    for (const Function &each : module.functions)
      checkFunction(each);
    return problem;
  }

private:
  void require(bool condition, const char *what) {
    if (!condition && !problem)
      problem = what;
  }

  void checkVariable(const Variable &variable) {
    require(!variable.name.empty(), "a variable without a name");
    require(variable.align && !(variable.align & (variable.align - 1)),
            "an alignment that is no power of two");
    require(variable.init.empty() || variable.init.size() == variable.bytes,
            "initial values of another size than their variable");
    for (const Variable::Relocation &relocation : variable.relocations) {
      require(relocation.at + relocation.bytes <= variable.init.size(),
              "a relocation outside of its variable");
      require(relocation.shift < 64, "a shift of 64 or more");
      if (relocation.kind == SymbolKind::Variable)
        require(relocation.index < module.variables.size(),
                "a relocation to no variable");
      else
        require(relocation.kind == SymbolKind::Function &&
                    relocation.index < module.functions.size(),
                "a relocation to no function");
    }
  }

  void claim(llvm::StringSet<> &names, llvm::StringRef name) {
    require(names.insert(name).second, "a name that occurs twice");
  }

  void checkFunction(const Function &each) {
    function = &each;
    require(!each.name.empty(), "a function without a name");
    require(each.isDefinition || each.instructions.empty(),
            "a declaration with instructions");
    if (each.isDefinition) {
      llvm::StringSet<> names;
      for (const auto *list : {&each.params, &each.results, &each.variables})
        for (const Variable &variable : *list)
          if (variable.space != Space::Reg)
            claim(names, variable.name);
      for (const Register &reg : each.registers)
        claim(names, reg.name);
      for (const Label &label : each.labels)
        claim(names, label.name);
      for (const BranchTable &table : each.branchTables)
        claim(names, table.name);
    }
    for (const auto *list : {&each.params, &each.results, &each.variables})
      for (const Variable &variable : *list)
        checkVariable(variable);
    for (const Label &label : each.labels)
      require(label.at <= each.instructions.size(), "a label past the end");
    for (const BranchTable &table : each.branchTables)
      checkTable(table);
    for (const Instruction &instruction : each.instructions) {
      require(!instruction.opcode.empty() && instruction.line != 0,
              "an instruction without opcode or line");
      if (instruction.guard)
        require(instruction.guard->reg < each.registers.size() &&
                    each.registers[instruction.guard->reg].type == Type::Pred,
                "a guard that is no predicate");
      for (const Operand &operand : instruction.operands)
        checkOperand(operand);
    }
  }

  void checkTable(const BranchTable &table) {
    require(table.targets.size() == table.indices.size(),
            "a table with targets that lead nowhere");
    for (auto [target, index] : llvm::zip(table.targets, table.indices)) {
      bool isLabels = table.kind == BranchTable::Kind::Branches;
      require(isLabels ? index < function->labels.size() &&
                             function->labels[index].name == target
                       : index < module.functions.size() &&
                             module.functions[index].name == target,
              "a target of another name");
    }
  }

  /// The name of a symbol's target; empty if it has none.
  llvm::StringRef getTarget(const Operand &operand) {
    auto at = [&](const auto &list) -> llvm::StringRef {
      return operand.index < list.size() ? list[operand.index].name : "";
    };
    switch (operand.symbol) {
    case SymbolKind::None:
      return "";
    case SymbolKind::Variable:
      return at(module.variables);
    case SymbolKind::Function:
      return at(module.functions);
    case SymbolKind::Param:
      return at(function->params);
    case SymbolKind::Result:
      return at(function->results);
    case SymbolKind::Local:
      return at(function->variables);
    case SymbolKind::Label:
      return at(function->labels);
    case SymbolKind::Table:
      return at(function->branchTables);
    }
    return "";
  }

  void checkOperand(const Operand &operand) {
    using Kind = Operand::Kind;
    bool isNested = operand.kind == Kind::Address ||
                    operand.kind == Kind::Vector ||
                    operand.kind == Kind::Pair || operand.kind == Kind::List;
    require(isNested || operand.elements.empty(), "elements of a leaf");
    require(!operand.elements.empty() || !isNested ||
                operand.kind == Kind::List,
            "an operand without elements");
    if (operand.kind == Kind::Register)
      require(operand.reg < function->registers.size() &&
                  function->registers[operand.reg].name == operand.name,
              "a register of another name");
    if (operand.kind == Kind::Symbol)
      require(!operand.name.empty() && getTarget(operand) == operand.name,
              "a symbol of another name");
    if (operand.kind == Kind::Special)
      require(isSpecialRegister(operand.name), "no special register");
    if (operand.kind == Kind::Pair)
      require(operand.elements.size() == 2, "a pair that is none");
    for (const Operand &element : operand.elements)
      checkOperand(element);
  }

  const Module &module;
  const Function *function = nullptr;
  const char *problem = nullptr;
};

} // namespace tcgemm::ptx

#endif // TCGEMM_UNITTESTS_EMULATOR_CHECKTREE_H
