// What a Plot View draws: its wires' own numbers, in the order of x, with the weights that are given.
#include "engine/field/plot.h"

#include <algorithm>
#include <cmath>

#include "engine/devices/devices.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::test {
namespace {

Graph sine() {
  Graph g;
  const Edits edits{AddNode{node("x", "random", {{"a", -3.0}, {"b", 3.0}, {"shape", std::vector<double>{64, 1}}})},
                    AddNode{node("sin", "sin")},
                    AddNode{node("mlp", "mlp", {{"out_features", int64_t{1}}})},
                    AddNode{node("rows", "reshape", {{"shape", std::vector<double>{4, 16}}})},
                    AddNode{node("plot", "plot_view")},
                    AddLink{link("x.y", "sin.x")},
                    AddLink{link("x.y", "mlp.x")},
                    AddLink{link("sin.y", "rows.x")},
                    AddLink{link("x.y", "plot.x")},
                    AddLink{link("mlp.y", "plot.a")},
                    AddLink{link("sin.y", "plot.b")}};
  const auto applied = apply_edits(g, edits);
  EXPECT_TRUE(applied) << applied.error().text();
  return g;
}

std::vector<PlotLine> lines_of(const Graph& g, std::shared_ptr<const Weights> weights = nullptr) {
  QuadAssets assets;
  const auto plot = PlotEvaluator::make(g, *find_plot_view(g), assets, *make_device("cpu"));
  EXPECT_TRUE(plot) << plot.error().text();
  auto lines = (*plot)->evaluate(std::move(weights), 7);
  EXPECT_TRUE(lines) << lines.error().text();
  return *lines;
}

TEST(Plot, LinesStandOverTheirXInAscendingOrder) {
  const Graph g = sine();
  Validator v;
  v.reset(g);
  EXPECT_TRUE(v.all().empty()) << to_string(v.all()[0]);
  const auto lines = lines_of(g);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].input, 0u);
  EXPECT_EQ(lines[1].input, 1u);
  ASSERT_EQ(lines[1].x.size(), 64u);
  EXPECT_EQ(lines[0].x, lines[1].x);
  EXPECT_LT(lines[1].x.front(), -2) << "the samples spread over [-3, 3]";
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_NEAR(lines[1].y[i], std::sin(lines[1].x[i]), 1e-6);
  }
  EXPECT_TRUE(std::is_sorted(lines[1].x.begin(), lines[1].x.end()));
}

TEST(Plot, FollowsTheWeightsAndForgetsThemAgain) {
  const Graph g = sine();
  QuadAssets assets;
  const auto plot = PlotEvaluator::make(g, *find_plot_view(g), assets, *make_device("cpu"));
  ASSERT_TRUE(plot) << plot.error().text();
  const auto first = (*plot)->evaluate(nullptr, 7);
  ASSERT_TRUE(first) << first.error().text();

  // All parameters of the MLP at zero: the prediction is zero everywhere, the target as before.
  auto zeros = std::make_shared<Weights>();
  const auto lowered = lower(g, std::vector<SocketRef>{{"mlp", "y"}}, {}, assets);
  ASSERT_TRUE(lowered);
  for (const Param& p : lowered->program->params) {
    const Value& view = (*lowered->program)[p.view];
    (*zeros)[p.name] = Tensor::zeros(view.dtype, view.dims);
  }
  const auto zero = (*plot)->evaluate(zeros, 7);
  ASSERT_TRUE(zero) << zero.error().text();
  EXPECT_EQ((*zero)[0].y, std::vector<double>(64, 0.0));
  EXPECT_EQ((*zero)[1].y, (*first)[1].y);
  const auto again = (*plot)->evaluate(nullptr, 7);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ((*again)[0].y, (*first)[0].y);
  EXPECT_NE((*again)[0].y, (*zero)[0].y);
}

TEST(Plot, RowsAreLinesAndWithoutXPointsAreCounted) {
  Graph g = sine();
  ASSERT_TRUE(apply_edits(
      g, {RemoveLink{link("x.y", "plot.x")}, RemoveLink{link("mlp.y", "plot.a")}, RemoveLink{link("sin.y", "plot.b")},
          AddLink{link("rows.y", "plot.a")}, AddLink{link("sin.y", "plot.b")}}));
  const auto lines = lines_of(g);
  ASSERT_EQ(lines.size(), 5u);
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(lines[i / 16].y[i % 16], lines[4].y[i]);
    EXPECT_EQ(lines[i / 16].x[i % 16], static_cast<double>(i % 16));
  }
  EXPECT_EQ(lines[2].row, 2);
  EXPECT_EQ(lines[2].rows, 4);
}

TEST(Plot, AnXOfAnotherLengthIsRefusedAtTheLine) {
  Graph g = sine();
  ASSERT_TRUE(apply_edits(g, {RemoveLink{link("mlp.y", "plot.a")}, AddLink{link("rows.y", "plot.a")}}));
  Validator v;
  v.reset(g);
  ASSERT_EQ(v.all().size(), 1u);
  EXPECT_EQ(v.all()[0].code, codes::size_mismatch);
  EXPECT_EQ(v.all()[0].node, "plot");
  EXPECT_EQ(v.all()[0].socket, "a");
}

}  // namespace
}  // namespace hw::test
