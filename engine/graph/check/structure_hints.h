// Hints about a network's structure that is valid and probably not intended.
#pragma once

#include "engine/graph/check/diagnostic.h"
#include "engine/graph/graph.h"

namespace hw {

/// As many layers with weights behind one another, none of which a wire leads around, train worse than fewer do (He et
/// al. 2015, Deep Residual Learning: 34 plain layers against 18).
inline constexpr int kMostPlainLayers = 20;

/// The hints for a flattened graph; severity info:
///   HW-G012  kMostPlainLayers layers or more without a shortcut, at the last of them
///   HW-G013  an average over the picture is the graph's output, or goes into a loss: no layer makes scores of it
///   HW-P003  biases before batch norms, which take them away with the mean, at the first of them; remedy: without all
///   HW-P004  Lion with the beta2 and the learning rate that Adam begins with; remedy: those usual for Lion
/// Linear in nodes and wires, times the depth of the network.
std::vector<Diagnostic> structure_hints(const Graph& flat);

}  // namespace hw
