// The operators of a model as nodes, those of its functions, of If, Loop and Scan among them.
#pragma once

#include "app/interop/onnx/import_graph.h"

namespace hw::interop {

constexpr size_t kMostOperators = 1 << 18;

/// Operators of a model, functions inlined; at most 1 more than kMostOperators, which is also what a function has that
/// calls itself.
size_t count_operators(const OnnxModel& model);

/// A function that lies in others, an opset before this: placeholders.
constexpr int64_t kFirstOpset = 6;

/// Makes nodes of all operators of the model. An operator without a rule, or one that its rule refuses, is a
/// placeholder and is added to `missing`. Error: HW-R001.
Status import_operators(const OnnxModel& model, Importer& importer, std::vector<MissingOperator>& missing);

}  // namespace hw::interop
