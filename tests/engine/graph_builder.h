// Short hands for graphs in tests.
#pragma once

#include <gtest/gtest.h>

#include "engine/graph/check/validate.h"

namespace hw::test {

inline Node node(const std::string& id, const std::string& type, ParamMap params = {}) {
  Node n;
  n.id = id;
  n.type = type;
  n.params = std::move(params);
  return n;
}

/// "hash_grid.features" → "cast.x": sockets are named by their only candidate when the part after the dot is missing.
inline Link link(const std::string& from, const std::string& to) {
  const auto split = [](const std::string& text) {
    const size_t dot = text.find('.');
    return std::pair(text.substr(0, dot), text.substr(dot + 1));
  };
  const auto [from_node, from_socket] = split(from);
  const auto [to_node, to_socket] = split(to);
  return {from_node, from_socket, to_node, to_socket};
}

inline Graph built(const Edits& edits) {
  Graph graph;
  const auto applied = apply_edits(graph, edits);
  EXPECT_TRUE(applied) << applied.error().text();
  return graph;
}

/// Normal random numbers of this shape.
inline Node normal_numbers(const std::string& id, std::vector<double> shape, const std::string& axes) {
  return node(id, "random", {{"distribution", std::string("normal")}, {"shape", std::move(shape)}, {"axes", axes}});
}

/// All diagnostics of a graph, a line each.
inline std::string problems(const Graph& g) {
  Validator v;
  v.reset(g);
  std::string text;
  for (const Diagnostic& d : v.all()) text += to_string(d) + "\n";
  return text;
}

/// The neural texture of case 1; `cast` false wires the f16 encoder straight into the f32 MLP.
inline Graph neural_texture(bool cast = true, const std::string& mesh = "asset:Collada/duck.dae") {
  Graph g;
  Edits e;
  const auto add = [&](const std::string& id, const std::string& type, ParamMap params = {}) {
    e.push_back(AddNode{node(id, type, std::move(params))});
  };
  const auto wire = [&](const std::string& from, const std::string& to) { e.push_back(AddLink{link(from, to)}); };
  add("mesh_source", "mesh_source", {{"path", mesh}});
  add("surface_sampler", "surface_sampler", {{"points", int64_t{1024}}});
  add("normalise_aabb", "normalise_aabb");
  add("hash_grid", "hash_grid", {{"levels", int64_t{4}}, {"log2_table", int64_t{12}}});
  add("mlp", "mlp");
  add("sigmoid", "sigmoid");
  add("mse", "mse");
  add("train", "train", {{"steps", int64_t{10}}});
  add("viewport", "viewport");
  wire("mesh_source.mesh", "surface_sampler.mesh");
  wire("surface_sampler.position", "normalise_aabb.position");
  wire("mesh_source.mesh", "normalise_aabb.mesh");
  wire("normalise_aabb.y", "hash_grid.x");
  if (cast) {
    add("cast", "cast", {{"to", std::string("f32")}});
    wire("hash_grid.features", "cast.x");
    wire("cast.y", "mlp.x");
  } else {
    wire("hash_grid.features", "mlp.x");
  }
  wire("mlp.y", "sigmoid.x");
  wire("sigmoid.y", "mse.prediction");
  wire("surface_sampler.color", "mse.target");
  wire("mse.loss", "train.loss");
  wire("mesh_source.mesh", "viewport.mesh");
  wire("sigmoid.y", "viewport.field");
  const auto applied = apply_edits(g, e);
  EXPECT_TRUE(applied) << applied.error().text();
  return g;
}

/// It, to be trained for so many steps.
inline Graph texture_for(int64_t steps) {
  Graph graph = neural_texture();
  EXPECT_TRUE(apply_edits(
      graph, {SetParam{"train", "steps", ParamValue(steps)}, SetParam{"train", "learning_rate", ParamValue(0.01)}}));
  return graph;
}

/// It, at 128 points, with these parameters of its Train node.
inline Graph small_texture(const ParamMap& train) {
  Graph graph = neural_texture();
  Edits edits{SetParam{"surface_sampler", "points", ParamValue(int64_t{128})}};
  for (const auto& [name, value] : train) edits.push_back(SetParam{"train", name, value});
  EXPECT_TRUE(apply_edits(graph, edits));
  return graph;
}

}  // namespace hw::test
