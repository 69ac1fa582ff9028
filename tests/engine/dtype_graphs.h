// Small graphs of many dtypes for tests of what is cast where, and questions about them.
#pragma once

#include <set>

#include "engine/graph/precision/precision_plan.h"
#include "tests/engine/graph_builder.h"

namespace hw::test {

using Wires = std::vector<std::pair<std::string, std::string>>;

inline Graph made(const std::vector<Node>& nodes, const Wires& wires) {
  Graph g;
  Edits e;
  for (const Node& n : nodes) e.push_back(AddNode{n});
  for (const auto& [from, to] : wires) e.push_back(AddLink{link(from, to)});
  const auto applied = apply_edits(g, e);
  EXPECT_TRUE(applied) << applied.error().text();
  return g;
}

/// A source [4, 8] of this dtype.
inline Node source(const std::string& id, DType dtype) {
  return node(id, "random", {{"shape", std::vector<double>{4, 8}}, {"dtype", std::string(name(dtype))}});
}

inline Node computing(const std::string& id, const std::string& type, DType dtype, ParamMap params = {}) {
  params["dtype"] = std::string(name(dtype));
  return node(id, type, std::move(params));
}

/// Without parameters that are written out though they are the default, as every edit leaves them.
inline Graph plain(Graph g) {
  Edits edits;
  for (const auto& [id, n] : g.nodes()) {
    for (const auto& [param, value] : n.params) edits.push_back(SetParam{id, param, value});
  }
  EXPECT_TRUE(apply_edits(g, edits));
  return g;
}

inline Graph after(const Graph& g, const PrecisionPlan& plan) {
  Graph mended = g;
  const auto undo = apply_edits(mended, plan.edits);
  EXPECT_TRUE(undo) << undo.error().text();
  if (!undo) return mended;
  Graph back = mended;
  EXPECT_TRUE(apply_edits(back, *undo));
  EXPECT_EQ(plain(back), plain(g)) << "one undo takes it all back";
  EXPECT_EQ(problems(mended), "");
  return mended;
}

inline std::vector<const Node*> casts(const Graph& g) {
  std::vector<const Node*> found;
  for (const auto& [id, n] : g.nodes()) {
    if (n.type == "cast") found.push_back(&n);
  }
  return found;
}

inline std::string dtype_of(const Graph& g, const std::string& node_id) {
  return std::get<std::string>(param_value(*g.find(node_id), "dtype"));
}

inline std::optional<DType> carried(const Graph& g, const std::string& node_id, const std::string& socket) {
  Validator v;
  v.reset(g);
  const auto type = v.output_type(node_id, socket);
  return type ? std::optional(type->dtype) : std::nullopt;
}

/// A bf16 picture into a Linear layer that computes in bf16, whose weight and bias are stored as f8e4m3.
inline Graph f8_weights_under_bf16() {
  Graph g = made({source("pixels", DType::bf16), computing("layer", "linear", DType::bf16), node("relu", "relu"),
                  computing("head", "linear", DType::bf16)},
                 {{"pixels.y", "layer.x"}, {"layer.y", "relu.x"}, {"relu.y", "head.x"}});
  for (const char* weight : {"weight", "bias"})
    EXPECT_TRUE(apply_edits(g, {SetWeight{"layer", weight, WeightFormat{DType::f8e4m3, false, false}}}));
  return g;
}

}  // namespace hw::test
