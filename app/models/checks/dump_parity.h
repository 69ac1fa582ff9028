// What compare_with_dump() found, as the rows of a table.
#pragma once

#include "app/models/checks/verdict_model.h"
#include "engine/compare/dump_comparison.h"

namespace hw::app {

/// `not_read`: of read_dump(); `dump`: what its file is called; `device`: what the graph was evaluated on; `weights`:
/// "loaded weights".
VerdictModel::Report report_of(const DumpReport& found, const NotRead& not_read, const QString& dump,
                               const std::string& device, const QString& weights);

}  // namespace hw::app
