// Diagnostics of a node whose type, or group, does not exist.
#pragma once

#include "engine/graph/check/diagnostic.h"

namespace hw {

/// "Loop" of a node of the type "onnx:Loop", which stands for an operator of that tool, or of
/// "torch:aten.sort.default"; none of others.
std::optional<std::string> foreign_operator(const Node& node);

/// The parameter of such a node that says why the operator is not read: a sentence.
constexpr const char* kForeignReason = "reason";
constexpr const char* kWaits = "it waits for";  // how it begins where the operator only follows another

/// "stands for the ONNX operator Loop, which is not read: …" of such a node.
std::string foreign_text(const Node& node);
/// Whether such a node only waits for what another one is to make.
bool waits_for_another(const Node& node);

/// HW-G003, an error, with the names nearest to an unknown type. Remedies: outside groups, one of these types in its
/// place, with its wires; without the node.
Diagnostic unknown_type(const Graph& graph, const Node& node);

}  // namespace hw
