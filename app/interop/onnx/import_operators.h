// The operators of a model as nodes, those of its functions, of If, Loop and Scan among them.
#pragma once

#include "app/interop/onnx/import_graph.h"

namespace hw::interop {

/// A function that lies in others, an opset before this: placeholders.
constexpr int64_t kFirstOpset = 6;

/// Makes nodes of all operators of the model. An operator without a rule, or one that its rule refuses, is a
/// placeholder and is added to `missing`. Error: HW-R001.
Status import_operators(const OnnxModel& model, Importer& importer, std::vector<MissingOperator>& missing);

}  // namespace hw::interop
