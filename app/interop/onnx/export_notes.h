// Notes for the user about a model that was exported.
#pragma once

#include "app/interop/onnx/export_graph.h"

namespace hw::interop {

/// A sentence each, without its full stop: symbolic axes that have a size, groups that are several functions or none,
/// and where instances of a function differ.
std::vector<std::string> export_notes(const ExportedModel& model);

}  // namespace hw::interop
