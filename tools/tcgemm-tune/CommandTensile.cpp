//===- CommandTensile.cpp - Tensile's parameters and tcgemm's -------------===//
//
// Part of tcgemm, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../common/TextTable.h"
#include "ExchangeFlags.h"
#include "tcgemm/Tuner/Tensile.h"

using namespace tcgemm;

int tcgemm::runTensile(const Flags &flags) {
  TextTable table({"Tensile", "short", "tcgemm", "values"});
  for (const TensileParameter &parameter : getTensileParameters())
    table.addRow({parameter.name.str(), parameter.abbreviation.str(),
                  parameter.parameters.str(), parameter.rule.str()});
  if (flags.output.markdown)
    table.printMarkdown(llvm::outs());
  else
    table.print(llvm::outs());
  return kExitSuccess;
}
