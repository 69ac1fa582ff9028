// Choosing the precision of nodes, as ordinary edits: what "try bf16 here" and the precision planner change.
#pragma once

#include <span>

#include "engine/graph/precision/precision_plan.h"

namespace hw {

/// What a node stores and computes in.
struct NodePrecision {
  DType dtype = DType::f32;      // of its dtype parameter: weights, inputs, outputs
  std::optional<DType> compute;  // what the factors of its products are rounded to; nothing: the storage dtype
  bool operator==(const NodePrecision&) const = default;
};
/// "bf16", "f32, products in bf16".
std::string to_string(const NodePrecision& precision);

/// A node whose precision can be chosen: its sockets follow a dtype parameter. Casts are none of these.
struct ChoosableNode {
  std::string node;
  std::vector<DType> dtypes;    // that it can be stored in
  std::vector<DType> computes;  // that its products can be rounded to; empty: it has no such choice
  NodePrecision now;
};
/// By id. A node that uses the parameters of another is not listed: it goes with that one.
std::vector<ChoosableNode> choosable_nodes(const Graph& graph);

/// The nodes as given, weights stored in their dtype; what is not listed keeps its dtype parameter. A node without one
/// follows its inputs, in the wider dtype where what comes after it is another (a Gradient Scale works before the
/// gradient is narrowed), and losses and norms stay in f32 or wider. Casts that the user placed turn to what stands
/// behind them, unless they saturate or round at random, and go where they change nothing any more.
PrecisionPlan choose_precision(const Graph& graph, const std::map<std::string, NodePrecision>& nodes);

/// These nodes in `dtype`, with Casts around them; all others as they are. tf32: their products. The name of a group's
/// instance stands for the nodes in it that can. Errors HW-G003: no such node; HW-R002: a node cannot carry `dtype`, or
/// carries no float; so of a group in which none can.
Result<PrecisionPlan> set_precision(const Graph& graph, std::span<const std::string> nodes, DType dtype);

/// Train's loss in f32 or wider, whatever the graph computes it in, so that losses can be compared: all nodes after the
/// last tensor of more than one element. For measuring only.
PrecisionPlan widen_loss(const Graph& graph, const std::string& trainer);

}  // namespace hw
