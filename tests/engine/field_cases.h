// Fields of all kinds of channels, which every device must make as ref does.
#pragma once

#include <cmath>

#include "engine/core/dtype_tolerance.h"
#include "engine/devices/devices.h"
#include "engine/field/evaluator.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::test {

/// The neural texture; beside it a colour without f16, the distance from the origin, its exponential, and the normal.
inline Graph graph_of_fields() {
  Graph g = neural_texture();
  const Edits edits{AddNode{node("waves", "frequency")},
                    AddNode{node("colours", "mlp")},
                    AddNode{node("square", "mul")},
                    AddNode{node("sum", "sum", {{"axes", std::vector<double>{1}}, {"keep", true}})},
                    AddNode{node("distance", "sqrt")},
                    AddNode{node("density", "exp")},
                    AddNode{node("unit", "normalise_vector")},
                    AddLink{link("normalise_aabb.y", "waves.x")},
                    AddLink{link("waves.features", "colours.x")},
                    AddLink{link("surface_sampler.position", "square.a")},
                    AddLink{link("surface_sampler.position", "square.b")},
                    AddLink{link("square.y", "sum.x")},
                    AddLink{link("sum.y", "distance.x")},
                    AddLink{link("distance.y", "density.x")},
                    AddLink{link("surface_sampler.normal", "unit.v")}};
  const auto applied = apply_edits(g, edits);
  EXPECT_TRUE(applied) << applied.error().text();
  return g;
}

struct FieldCase {
  SocketRef from;
  Channels channels;
  DType narrowest;  // that a value behind it is stored in
};
inline const std::vector<FieldCase> kFields{{{"sigmoid", "y"}, Channels::color, DType::f16},
                                            {{"colours", "y"}, Channels::color, DType::f32},
                                            {{"distance", "y"}, Channels::distance, DType::f32},
                                            {{"density", "y"}, Channels::density, DType::f32},
                                            {{"unit", "y"}, Channels::vector, DType::f32}};

/// The hash grid's table with values in ±1: with the initial ±1e-4 every colour would be about the same.
inline std::shared_ptr<const Weights> clear_table(const Graph& graph) {
  QuadAssets assets;
  const SocketRef features{"hash_grid", "features"};
  const auto lowered = lower(graph, std::span(&features, 1), {}, assets);
  EXPECT_TRUE(lowered) << lowered.error().text();
  const Param& table = lowered->program->params.at(0);
  const Value& view = (*lowered->program)[table.view];
  std::vector<double> values(static_cast<size_t>(element_count(view.dims)));
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i));
  return std::make_shared<Weights>(Weights{{table.name, Tensor::from_f64(view.dtype, view.dims, values)}});
}

/// The field at 100 points in blocks of 32; parameters but that table have their initial values for seed 3.
inline Result<std::vector<float>> field_values(const Graph& graph, const FieldCase& wire,
                                               std::shared_ptr<Device> device) {
  HW_TRY(const auto field, FieldEvaluator::make(graph, {wire.from, {wire.channels, {"position", "normal"}}},
                                                std::make_shared<QuadAssets>(), std::move(device), 32));
  HW_CHECK(field->set_weights(clear_table(graph), 3));
  std::vector<std::array<float, 3>> positions, normals;
  for (int i = 0; i < 100; ++i) {
    const float t = static_cast<float>(i) / 100;
    positions.push_back({t, 1 - t * t, 0.5f * t});
    normals.push_back({0.5f - t, t, 2});
  }
  return field->evaluate(positions, normals);
}

/// How many values are further apart than the dtype allows.
inline size_t count_apart(const std::vector<float>& got, const std::vector<float>& wanted, DType dtype) {
  const Tolerance allowed = tolerance(dtype);
  size_t apart = got.size() == wanted.size() ? 0 : 1;
  for (size_t i = 0; i < std::min(got.size(), wanted.size()); ++i) {
    const double reference = static_cast<double>(wanted[i]);
    if (!(std::abs(static_cast<double>(got[i]) - reference) <=
          allowed.absolute + allowed.relative * std::abs(reference)))
      ++apart;
  }
  return apart;
}

/// `device` makes one anew for each field.
template <class MakeDevice>
void expect_fields_of_ref(const MakeDevice& device) {
  const Graph graph = graph_of_fields();
  for (const FieldCase& wire : kFields) {
    const auto wanted = field_values(graph, wire, *make_device("ref")), got = field_values(graph, wire, device());
    ASSERT_TRUE(wanted) << wanted.error().text();
    ASSERT_TRUE(got) << got.error().text();
    EXPECT_EQ(wanted->size(), 100u * static_cast<size_t>(info(wire.channels).count)) << wire.from.node;
    EXPECT_EQ(count_apart(*got, *wanted, wire.narrowest), 0u) << wire.from.node;
  }
}

}  // namespace hw::test
