// The node Gradient: what it refuses, that the numbers are derivatives, and that a loss of them trains.
#include <gmock/gmock.h>

#include <cmath>

#include "engine/devices/devices.h"
#include "engine/field/plot.h"
#include "engine/gradient/grad_check.h"
#include "engine/graph/groups/flat_graph.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/precision/autocast.h"
#include "engine/graph/precision/choose_precision.h"
#include "engine/io/graph/graph_file.h"
#include "engine/plan/training_plan.h"
#include "engine/train/session.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw {
namespace {

using test::built;
using test::link;
using test::node;
using test::problems;

/// points → `ways` → gradient.y, points → gradient.x, the mean of the gradient's squares → train. `ways` makes wire.y.
Graph slope_of(const Edits& ways, const std::vector<double>& shape = {16, 3}) {
  Edits edits{AddNode{node("points", "random", {{"shape", shape}, {"axes", std::string()}})},
              AddNode{node("gradient", "gradient")},
              AddNode{node("square", "mul")},
              AddNode{node("mean", "mean")},
              AddNode{node("train", "train")},
              AddLink{link("points.y", "gradient.x")},
              AddLink{link("gradient.gradient", "square.a")},
              AddLink{link("gradient.gradient", "square.b")},
              AddLink{link("square.y", "mean.x")},
              AddLink{link("mean.y", "train.loss")}};
  edits.insert(edits.begin() + 1, ways.begin(), ways.end());
  edits.push_back(AddLink{link("wire.y", "gradient.y")});
  return built(edits);
}

Edits one_layer(const std::string& activation) {
  return {AddNode{node("layer", "linear", {{"out_features", int64_t{8}}})}, AddNode{node("wire", activation)},
          AddLink{link("points.y", "layer.x")}, AddLink{link("layer.y", "wire.x")}};
}

Error refusal(const Graph& graph) {
  test::QuadAssets assets;
  const auto plan = plan_training(graph, assets);
  EXPECT_FALSE(plan);
  return plan ? Error{} : plan.error();
}

TEST(GradientNode, FollowsTheTypeOfX) {
  const Graph graph = slope_of(one_layer("tanh"));
  EXPECT_EQ(problems(graph), "");
  Validator v;
  v.reset(graph);
  EXPECT_EQ(to_string(*v.output_type("gradient", "gradient")), to_string(*v.output_type("points", "y")));
}

TEST(GradientNode, XMustBeUpstreamOfY) {
  Graph graph = slope_of(one_layer("tanh"));
  FlatGraph flat;
  flat.reset(graph);
  Validator v;
  v.reset(graph);
  const auto edit = [&](const Edits& edits) {
    ASSERT_TRUE(apply_edits(graph, edits));
    v.update(flat.graph(), flat.update(graph, edits));
    Validator anew;
    anew.reset(graph);
    EXPECT_EQ(v.of("gradient"), anew.of("gradient")) << "edit by edit as from the start";
  };
  const auto is_refused = [&] {
    const auto& found = v.of("gradient");
    return found.size() == 1 && found[0].code == codes::not_upstream && found[0].socket == "x";
  };
  edit({AddNode{node("other", "random", {{"shape", std::vector<double>{16, 3}}, {"axes", std::string()}})}});
  EXPECT_TRUE(v.of("gradient").empty());
  // Far from the node, types unchanged: the way between its wires is cut and comes back.
  edit({RemoveLink{link("points.y", "layer.x")}, AddLink{link("other.y", "layer.x")}});
  ASSERT_TRUE(is_refused()) << problems(graph);
  EXPECT_NE(v.blocking(graph, "train"), nullptr);
  EXPECT_EQ(v.of("gradient")[0].remedies.size(), 1u);
  edit({RemoveLink{link("other.y", "layer.x")}, AddLink{link("points.y", "layer.x")}});
  EXPECT_TRUE(v.of("gradient").empty());
  edit({RemoveLink{link("points.y", "gradient.x")}, AddLink{link("other.y", "gradient.x")}});
  EXPECT_TRUE(is_refused());
  EXPECT_TRUE(check_link(graph, v, link("other.y", "gradient.x")).has_value());
  EXPECT_EQ(check_link(graph, v, link("points.y", "gradient.x")), std::nullopt);
  EXPECT_EQ(check_link(graph, v, link("wire.y", "gradient.x")), std::nullopt) << "y by itself";
  edit({RemoveLink{link("other.y", "gradient.x")}, AddLink{link("points.y", "gradient.x")}});
  EXPECT_TRUE(check_link(graph, v, link("other.y", "gradient.y")).has_value());
}

TEST(GradientNode, XMayComeThroughWhatHandsItOn) {
  Graph bypassed = slope_of(one_layer("tanh"));
  ASSERT_TRUE(apply_edits(bypassed, {AddNode{node("same", "relu")}, SetFlags{"same", false, true},
                                     AddLink{link("points.y", "same.x")}, AddLink{link("same.y", "gradient.x")}}));
  EXPECT_EQ(problems(bypassed), "");
  test::QuadAssets assets;
  EXPECT_TRUE(plan_training(bypassed, assets));
  // y goes by the input of a bypassed node that it does not hand through.
  const std::vector<double> shape{16, 3};
  Graph beside = slope_of({AddNode{node("wire", "add")}, SetFlags{"wire", false, true},
                           AddNode{node("other", "random", {{"shape", shape}, {"axes", std::string()}})},
                           AddLink{link("other.y", "wire.a")}, AddLink{link("points.y", "wire.b")}});
  EXPECT_THAT(problems(beside), testing::HasSubstr(codes::not_upstream));
  // In a group: both wires come through its inputs.
  Group slope{"slope", "", {}, {}, ""};
  slope.graph = built({AddNode{node("x", "input")}, AddNode{node("y", "input")}, AddNode{node("gradient", "gradient")},
                       AddNode{node("out", "output")}, AddLink{link("x.y", "gradient.x")},
                       AddLink{link("y.y", "gradient.y")}, AddLink{link("gradient.gradient", "out.x")}});
  Graph grouped = slope_of(one_layer("tanh"));
  ASSERT_TRUE(apply_edits(grouped, {SetGroup{slope}, AddNode{node("one", "group:slope")},
                                    AddLink{link("points.y", "one.x")}, AddLink{link("wire.y", "one.y")},
                                    AddLink{link("one.out", "square.a")}, AddLink{link("one.out", "square.b")}}));
  const Graph flat = flatten(grouped);
  EXPECT_EQ(problems(flat), "");
  EXPECT_TRUE(plan_training(flat, assets));
}

TEST(GradientNode, NoCastIsOfferedBeforeX) {
  Graph graph =
      slope_of({AddNode{node("mask", "compare")}, AddNode{node("wire", "cast")}, AddLink{link("points.y", "mask.a")},
                AddLink{link("points.y", "mask.b")}, AddLink{link("mask.y", "wire.x")}});
  ASSERT_TRUE(apply_edits(graph, {AddLink{link("mask.y", "gradient.x")}}));
  Validator v;
  v.reset(graph);
  ASSERT_FALSE(v.of("gradient").empty());
  for (const Diagnostic& d : v.of("gradient"))
    for (const Remedy& r : d.remedies) EXPECT_NE(r.kind, Remedy::Kind::insert_cast) << d.reason;
}

TEST(GradientNode, AWayThatNoGradientPassesIsRefused) {
  const Error stopped = refusal(slope_of(one_layer("stop_gradient")));
  EXPECT_EQ(stopped.code, codes::not_upstream);
  EXPECT_EQ(stopped.where, "gradient");
}

TEST(GradientNode, WithoutASecondDerivativeThereIsNoTraining) {
  const Graph graph =
      slope_of({AddNode{node("layer", "conv2d", {{"out_channels", int64_t{2}}})}, AddNode{node("wire", "max_pool")},
                AddLink{link("points.y", "layer.x")}, AddLink{link("layer.y", "wire.x")}},
               {1, 2, 8, 8});
  ASSERT_EQ(problems(graph), "");
  const Error error = refusal(graph);
  EXPECT_EQ(error.code, codes::unsupported);
  EXPECT_EQ(error.where, "gradient");
  EXPECT_THAT(error.reason, testing::HasSubstr("max_pool has no second derivative"));
}

TEST(GradientNode, ItsNumbersAreTheDerivative) {
  const Graph graph =
      built({AddNode{node("x", "random", {{"a", -3.0}, {"b", 3.0}, {"shape", std::vector<double>{64, 1}}})},
             AddNode{node("sin", "sin")}, AddNode{node("gradient", "gradient")}, AddNode{node("plot", "plot_view")},
             AddLink{link("x.y", "sin.x")}, AddLink{link("sin.y", "gradient.y")}, AddLink{link("x.y", "gradient.x")},
             AddLink{link("x.y", "plot.x")}, AddLink{link("gradient.gradient", "plot.a")}});
  ASSERT_EQ(problems(graph), "");
  test::QuadAssets assets;
  const auto plot = PlotEvaluator::make(graph, *find_plot_view(graph), assets, *make_device("cpu"));
  ASSERT_TRUE(plot) << plot.error().text();
  const auto lines = (*plot)->evaluate(nullptr, 7);
  ASSERT_TRUE(lines) << lines.error().text();
  for (size_t i = 0; i < (*lines)[0].x.size(); ++i) EXPECT_NEAR((*lines)[0].y[i], std::cos((*lines)[0].x[i]), 1e-6);
}

/// The gradient check of a loss made of a gradient passes, and `parameter` changes the loss.
void expect_right(const Graph& graph, const std::string& parameter) {
  ASSERT_EQ(problems(graph), "");
  test::QuadAssets assets;
  const auto subject = grad_subject(graph, assets);
  ASSERT_TRUE(subject) << subject.error().text();
  const auto report = check_gradients(*subject, {});
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_TRUE(report->passed());
  const auto found = std::ranges::find(report->results, parameter, [](const GradResult& r) { return r.block.name; });
  ASSERT_NE(found, report->results.end()) << parameter;
  EXPECT_TRUE(found->verdict == GradVerdict::right || found->verdict == GradVerdict::kink) << name(found->verdict);
  EXPECT_GT(found->largest, 1e-4) << "a check of zeros against zeros";
}

TEST(GradientNode, GradientsOfGradientsAreRight) {
  for (const char* activation : {"tanh", "relu", "softplus", "sigmoid", "silu"}) {
    SCOPED_TRACE(activation);
    expect_right(slope_of(one_layer(activation)), "layer.weight");
  }
}

TEST(GradientNode, SoTheyAreThroughNorms) {
  for (const char* norm : {"layer_norm", "batch_norm", "group_norm", "rms_norm"}) {
    SCOPED_TRACE(norm);
    const bool grouped = std::string(norm) == "group_norm";
    const ParamMap params = grouped ? ParamMap{{"groups", int64_t{2}}} : ParamMap{};
    expect_right(
        slope_of({AddNode{node("layer", "linear", {{"out_features", int64_t{8}}})}, AddNode{node("norm", norm, params)},
                  AddNode{node("wire", "tanh")}, AddLink{link("points.y", "layer.x")},
                  AddLink{link("layer.y", "norm.x")}, AddLink{link("norm.y", "wire.x")}}),
        "layer.weight");
  }
}

Edits hash_grid(const std::string& interpolation) {
  const ParamMap params{{"levels", int64_t{3}},
                        {"log2_table", int64_t{6}},
                        {"base_resolution", int64_t{2}},
                        {"interpolation", interpolation},
                        {"dtype", std::string("f32")}};
  return {AddNode{node("grid", "hash_grid", params)}, AddNode{node("wire", "linear", {{"out_features", int64_t{2}}})},
          AddLink{link("points.y", "grid.x")}, AddLink{link("grid.features", "wire.x")}};
}

TEST(GradientNode, SoTheyAreThroughEncoders) {
  expect_right(slope_of(hash_grid("linear")), "grid.table");
  expect_right(slope_of(hash_grid("smoothstep")), "grid.table");
  const ParamMap planes{{"shape", std::vector<double>{3, 2, 4, 4}}, {"scale", 1.0}};
  expect_right(slope_of({AddNode{node("planes", "parameter", planes)}, AddNode{node("look", "triplane_sampler")},
                         AddNode{node("wire", "linear", {{"out_features", int64_t{2}}})},
                         AddLink{link("points.y", "look.position")}, AddLink{link("planes.y", "look.planes")},
                         AddLink{link("look.features", "wire.x")}}),
               "planes.value");
}

TEST(GradientNode, AHashGridTrainsInALossOfItsGradient) {
  Graph graph = slope_of(hash_grid("linear"));
  // |gradient|² to 1: from a table of almost 0.
  ASSERT_TRUE(apply_edits(
      graph,
      {AddNode{
           node("goal", "expression", {{"source", std::string("in g: vec3;\nlet off = dot(g, g) - 1;\ny = off*off")}})},
       RemoveLink{link("square.y", "mean.x")}, AddLink{link("gradient.gradient", "goal.g")},
       AddLink{link("goal.y", "mean.x")}, RemoveNode{"square"}, SetParam{"train", "steps", ParamValue(int64_t{200})}}));
  ASSERT_EQ(problems(graph), "");
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.start(graph, "cpu");
  session.wait();
  const auto s = session.snapshot();
  ASSERT_EQ(s->state, RunState::finished) << (s->error ? s->error->text() : "");
  EXPECT_GT(s->losses->front(), 0.9);
  EXPECT_LT(s->losses->back(), 0.5) << "of 16 points, new ones in each step";
}

TEST(GradientNode, NoCastIsPlacedBeforeX) {
  const auto is_valid_with = [](const Graph& graph, const Edits& edits) {
    Graph changed = graph;
    EXPECT_TRUE(apply_edits(changed, edits));
    EXPECT_EQ(problems(changed), "");
    EXPECT_EQ(changed.links_into("gradient", "x").front().from, "points");
  };
  const Graph graph = slope_of(one_layer("tanh"));
  is_valid_with(graph, autocast(graph, DType::bf16).edits);
  is_valid_with(graph, choose_precision(graph, {{"layer", {DType::f16, {}}}}).edits);
  is_valid_with(graph, choose_precision(graph, {{"points", {DType::f16, {}}}}).edits);
  const std::string nodes[] = {"gradient"};
  const auto refused = set_precision(graph, nodes, DType::f16);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::unsupported);
}

/// The largest distance between the lines a and b.
double largest_error(const Graph& graph, std::shared_ptr<const Weights> weights) {
  test::QuadAssets assets;
  const auto plot = PlotEvaluator::make(graph, *find_plot_view(graph), assets, *make_device("cpu"));
  EXPECT_TRUE(plot) << plot.error().text();
  const auto lines = (*plot)->evaluate(std::move(weights), 7);
  EXPECT_TRUE(lines) << lines.error().text();
  EXPECT_EQ(lines->size(), 2u);
  double most = 0;
  for (size_t i = 0; i < (*lines)[0].y.size(); ++i)
    most = std::max(most, std::abs((*lines)[0].y[i] - (*lines)[1].y[i]));
  return most;
}

TEST(GradientNode, AnEikonalLossTrainsTheDistanceToASphere) {
  const auto graph = read_graph(std::filesystem::path(HALFWIRE_EXAMPLES) / "sphere.halfwire");
  ASSERT_TRUE(graph) << graph.error().text();
  ASSERT_EQ(problems(*graph), "");
  EXPECT_GT(largest_error(*graph, nullptr), 0.3);
  Session session(std::make_shared<test::QuadAssets>(), nullptr);
  session.start(*graph, "cpu");
  session.wait();
  const auto s = session.snapshot();
  ASSERT_EQ(s->state, RunState::finished) << (s->error ? s->error->text() : "");
  EXPECT_LT(s->losses->back(), s->losses->front() / 20);
  EXPECT_LT(largest_error(*graph, s->weights), 0.1) << "up to the corners of the cube, which the loss says little of";
}

}  // namespace
}  // namespace hw
