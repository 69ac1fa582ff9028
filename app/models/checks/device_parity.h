// What parity() found, as the rows of a table.
#pragma once

#include "app/models/checks/verdict_model.h"
#include "engine/compare/parity.h"

namespace hw::app {

/// `smaller`: it trained a smaller copy of the graph; `stands_in`: with a loss that was added.
VerdictModel::Report report_of(const ParityReport& found, bool smaller, bool stands_in);

}  // namespace hw::app
