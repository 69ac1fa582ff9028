// Sizes that are proposed for symbolic axes, where they come from, and what an import says of those that are asked for.
#include <gmock/gmock.h>

#include "app/interop/onnx/example_sizes.h"
#include "tests/interop/onnx_models.h"

namespace hw::test {
namespace {

using interop::SizeConstraint;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// An input; a size that is text is a symbol, "" has none.
interop::OnnxValue input(const std::string& name, const std::vector<std::string>& sizes) {
  interop::OnnxValue value{name, DType::f32, "FLOAT", std::vector<interop::OnnxDim>(), 1};
  for (const std::string& size : sizes)
    if (!size.empty() && std::isdigit(static_cast<unsigned char>(size[0])))
      value.dims->push_back({std::stoll(size), ""});
    else
      value.dims->push_back({-1, size});
  return value;
}

interop::OnnxNode reader(const std::string& op, const std::string& value,
                         std::map<std::string, int64_t> attributes = {}) {
  interop::OnnxNode node;
  node.name = "/" + op;
  node.op = op;
  node.inputs = {value, "w"};
  node.outputs = {"y"};
  for (const auto& [name, number] : attributes) node.attributes[name] = number;
  return node;
}

/// "batch=1 by its name: a batch", a line each.
std::vector<std::string> proposals(const interop::OnnxGraph& graph) {
  std::vector<std::string> all;
  for (const auto& [symbol, uses, example] : interop::symbolic_sizes(graph))
    all.push_back(symbol + "=" + std::to_string(example.size) + " " + example.from);
  return all;
}

TEST(OnnxProposals, ComeFromNames) {
  interop::OnnxGraph graph;
  graph.inputs = {input("image", {"batch_size", "num_channels", "Height", "width"}),
                  input("ids", {"batch_size", "seq_len"})};
  EXPECT_THAT(proposals(graph),
              ElementsAre("batch_size=1 by its name: a batch", "num_channels=3 by its name: colours",
                          "Height=224 by its name: side of a picture", "width=224 by its name: side of a picture",
                          "seq_len=16 by its name: a text"));
  const auto sizes = interop::symbolic_sizes(graph);
  ASSERT_EQ(sizes[0].uses.size(), 2u);
  EXPECT_EQ(sizes[0].uses[1].input->name, "ids");
}

TEST(OnnxProposals, ComeFromPlacesWhereNamesSayNothing) {
  interop::OnnxGraph graph;
  graph.inputs = {input("x", {"", "", "a", "b"}), input("v", {"1", "2", "c", "d", "e"}), input("t", {"1", "", "8"})};
  EXPECT_THAT(proposals(graph),
              ElementsAre("x_0=1 first axis: a batch", "x_1=3 second of 4 axes: colours",
                          "a=224 one of 4 axes: side of a picture", "b=224 one of 4 axes: side of a picture",
                          "c=32 one of 5 axes: side of a volume", "d=32 one of 5 axes: side of a volume",
                          "e=32 one of 5 axes: side of a volume", "t_1=16 a guess: neither name nor axis tells"));
}

TEST(OnnxProposals, AWeightSaysMoreThanAName) {
  const auto with = [](const interop::OnnxNode& node, const Dims& weight, const std::vector<std::string>& sizes) {
    interop::OnnxGraph graph;
    graph.inputs = {input("x", sizes)};
    graph.nodes = {node};
    graph.initializers["w"] = Tensor(DType::f32, weight);
    return proposals(graph);
  };
  EXPECT_THAT(with(reader("Conv", "x"), {8, 6, 3, 3}, {"1", "channels", "9", "9"}),
              ElementsAre("channels=6 weight of Conv /Conv"));
  EXPECT_THAT(with(reader("Conv", "x", {{"group", 4}}), {8, 2, 3, 3}, {"1", "channels", "9", "9"}),
              ElementsAre("channels=8 weight of Conv /Conv"));
  EXPECT_THAT(with(reader("ConvTranspose", "x"), {5, 6, 3, 3}, {"1", "c", "9", "9"}),
              ElementsAre("c=5 weight of ConvTranspose /ConvTranspose"));
  EXPECT_THAT(
      with(reader("MatMul", "x"), {12, 4}, {"batch", "seq", "hidden"}),
      ElementsAre("batch=1 by its name: a batch", "seq=16 by its name: a text", "hidden=12 weight of MatMul /MatMul"));
  EXPECT_THAT(with(reader("Gemm", "x", {{"transB", 1}}), {4, 12}, {"1", "features"}),
              ElementsAre("features=12 weight of Gemm /Gemm"));
  EXPECT_THAT(with(reader("Conv", "x", {{"group", -1}}), {8, 6, 3, 3}, {"1", "channels", "9", "9"}),
              ElementsAre("channels=3 by its name: colours"))
      << "what no size can be is not proposed";
}

TEST(OnnxProposals, AWeightBehindASecondInputOfTheSymbolCounts) {
  interop::OnnxGraph graph;
  graph.inputs = {input("a", {"1", "width"}), input("x", {"1", "width"})};
  graph.nodes = {reader("MatMul", "x")};
  graph.initializers["w"] = Tensor(DType::f32, {7, 2});
  EXPECT_THAT(proposals(graph), ElementsAre("width=7 weight of MatMul /MatMul"));
}

TEST(OnnxProposals, WhatIsNoSizeIsSaid) {
  EXPECT_EQ(interop::size_problem(1), "");
  EXPECT_EQ(interop::size_problem(1 << 28), "");
  EXPECT_THAT(interop::size_problem(0), HasSubstr("at least 1"));
  EXPECT_THAT(interop::size_problem(-3), HasSubstr("at least 1"));
  EXPECT_THAT(interop::size_problem(2.5), HasSubstr("whole number"));
  EXPECT_THAT(interop::size_problem(std::nan("")), HasSubstr("whole number"));
  EXPECT_THAT(interop::size_problem(HUGE_VAL), HasSubstr("at most"));
  EXPECT_THAT(interop::size_problem((1 << 28) + 1.0), HasSubstr("268435456 at most"));
  EXPECT_EQ(interop::size_problem(64, 32), "");
  EXPECT_EQ(interop::size_problem(70, 32), "It has to be a multiple of 32: 64 or 96.");
  EXPECT_EQ(interop::size_problem(5, 32), "It has to be a multiple of 32: 32.");
}

/// More symbols than a large model is tried with: two pictures of one size, of other colours each.
TEST(OnnxProposals, OfManySymbolsTheFewThatHaveToBeKnownAreFixed) {
  onnx::ModelProto model = onnx_model();
  for (const auto& [name, colours] : {std::pair("a", int64_t{6}), {"b", int64_t{3}}}) {
    add_value(*model.mutable_graph()->mutable_input(), name, {-1, -1, -1, -1});
    auto* dims = model.mutable_graph()
                     ->mutable_input(model.graph().input_size() - 1)
                     ->mutable_type()
                     ->mutable_tensor_type()
                     ->mutable_shape();
    const std::string symbols[] = {"batch", std::string("channels_") + name, "height", "width"};
    for (int d = 0; d < 4; ++d) dims->mutable_dim(d)->set_dim_param(symbols[d]);
    const std::string weight = std::string("w") + name;
    add_floats(model, weight, {1, colours, 1, 1}, std::vector<float>(static_cast<size_t>(colours), 1));
    add_node(model, "Conv", {name, weight}, {weight + "y"});
  }
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_node(model, "Add", {"way", "wby"}, {"y"});
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_TRUE(made->missing.empty());
  EXPECT_EQ(interop::sizes_text(made->fixed), "channels_a=6, channels_b=3");
}

/// x [batch, 1, height, width] in a Reshape to numbers of one size alone, as exporters write what they traced.
onnx::ModelProto traced(const std::string& more = "") {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {1, 1, -1, -1});
  auto* dims = model.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  dims->mutable_dim(2)->set_dim_param("height");
  dims->mutable_dim(3)->set_dim_param("width");
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_integers(model, "traced", {1, 2, 6, 5});
  add_node(model, "Reshape", {"x", "traced"}, {more.empty() ? "y" : "r"});
  if (!more.empty()) add_node(model, more, {"r"}, {"y"});
  return model;
}

TEST(OnnxProposals, AnOperatorThatOtherSizesMayFitAsksForThem) {
  const auto made = imported(traced());
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_FALSE(made->missing.empty());
  EXPECT_EQ(interop::sizes_text(made->missing_at), "height=224, width=224");
  EXPECT_EQ(interop::constraint_of(*made, "height"), SizeConstraint::unfit);
  const auto fit = imported(traced(), {.given = {}, .sizes = {{"height", 12}, {"width", 5}}});
  ASSERT_TRUE(fit && fit->missing.empty()) << "the sizes that it was traced with";
  EXPECT_EQ(interop::sizes_text(fit->fixed), "height=12, width=5");
  EXPECT_EQ(interop::constraint_of(*fit, "height"), SizeConstraint::fixed);
}

TEST(OnnxProposals, AnOperatorThatIsNotThereAsksForNone) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {-1, 4});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_node(model, "NoSuchOperator", {"x"}, {"y"});
  const auto made = imported(model);
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_FALSE(made->missing.empty());
  EXPECT_TRUE(made->missing_at.empty()) << interop::sizes_text(made->missing_at);
  EXPECT_EQ(interop::constraint_of(*made, "batch"), SizeConstraint::symbolic);
}

/// The operator that is missing at any size stands in front of the one that wants to know a size.
TEST(OnnxProposals, TheReasonIsTheOperatorThatWantsTheSize) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {-1, 4});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  add_node(model, "NoSuchOperator", {"x"}, {"lost"});
  for (const auto& [name, number] : {std::pair("begin", int64_t{0}), {"end", 1 << 20}, {"axis", 0}, {"step", 2}})
    add_integers(model, name, {number});
  add_node(model, "Slice", {"x", "begin", "end", "axis", "step"}, {"y"});
  const auto made = imported(model, {.given = {}, .sizes = {{"batch", 6}}});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(interop::sizes_text(made->fixed), "batch=6");
  EXPECT_THAT(made->fixed_because, HasSubstr("Slice"));
  EXPECT_TRUE(made->missing_at.empty()) << "no size gives it the other";
}

}  // namespace
}  // namespace hw::test
