// Symbolic sizes of models: shapes that are computed of them, what stays symbolic, and sizes that are asked for.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "app/interop/onnx/export_graph.h"
#include "engine/core/codes.h"
#include "tests/interop/onnx_symbolic.h"

namespace hw::test::onnx_sizes_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(OnnxSizes, HeadsOfAttentionAreSplitAndJoined) {
  onnx::ModelProto model = symbolic_model({-1, -1, 4}, {"batch", "seq"});
  add_numbers(model);
  const std::string batch = size_of_x(model, "0"), tokens = size_of_x(model, "1");
  add_node(model, "Concat", {batch, tokens, "n2", "n2"}, {"heads"});
  add_node(model, "Reshape", {"x", "heads"}, {"split"});
  set_ints(add_node(model, "Transpose", {"split"}, {"turned"}), "perm", {0, 2, 1, 3});
  add_node(model, "Concat", {batch, tokens, "n4"}, {"flat"});
  add_node(model, "Reshape", {"turned", "flat"}, {"y"});
  for (const auto& op : {"Concat"})
    for (auto& node : *model.mutable_graph()->mutable_node())
      if (node.op_type() == op) set_int(node, "axis", 0);
  const ImportedModel made = whole(model);
  // Two heads of two tokens, then read as two tokens of four.
  EXPECT_THAT(values_of(made, counting({1, 2, 4})), ElementsAre(1, 2, 5, 6, 3, 4, 7, 8));
  EXPECT_THAT(values_of(made, counting({2, 1, 4})), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  expect_same_exported(made, counting({2, 3, 4}));
}

TEST(OnnxSizes, RowsAreJoinedAndSplitAgain) {
  onnx::ModelProto model = symbolic_model({-1, -1, 2}, {"batch", "seq"});
  add_numbers(model);
  add_integers(model, "rows", {-1, 2});
  add_node(model, "Reshape", {"x", "rows"}, {"flat"});
  add_node(model, "Neg", {"flat"}, {"negative"});
  add_node(model, "Shape", {"x"}, {"shape"});
  add_node(model, "Reshape", {"negative", "shape"}, {"back"});
  set_ints(add_node(model, "Transpose", {"back"}, {"y"}), "perm", {1, 0, 2});
  const ImportedModel made = whole(model);
  EXPECT_THAT(values_of(made, counting({2, 2, 2})), ElementsAre(-1, -2, -5, -6, -3, -4, -7, -8));
  EXPECT_EQ(values_of(made, counting({3, 5, 2})).size(), 30u);
  expect_same_exported(made, counting({3, 5, 2}));
}

TEST(OnnxSizes, PositionsAndMasksFollowTheTokens) {
  onnx::ModelProto model = symbolic_model({-1, -1}, {"s0", "s1"});
  add_numbers(model);
  std::vector<float> table(64);
  for (size_t i = 0; i < table.size(); ++i) table[i] = 10 * static_cast<float>(i + 1);
  add_floats(model, "table", {64, 1}, table);
  const std::string tokens = size_of_x(model, "1");
  add_integers(model, "first", {0});
  for (const auto& [from, to] : {std::pair("first", "zero"), {"n1", "one"}}) add_node(model, "Squeeze", {from}, {to});
  add_node(model, "Squeeze", {tokens}, {"count"});
  add_node(model, "Range", {"zero", "count", "one"}, {"places"});
  add_node(model, "Gather", {"table", "places"}, {"rows"});  // [seq, 1]
  set_int(add_node(model, "Concat", {tokens, tokens}, {"square"}), "axis", 0);
  add_node(model, "ConstantOfShape", {"square"}, {"zeros"});
  add_floats(model, "unit", {}, {1});
  add_node(model, "Add", {"zeros", "unit"}, {"ones"});
  set_int(add_node(model, "Trilu", {"ones"}, {"mask"}), "upper", 0);
  add_node(model, "MatMul", {"mask", "rows"}, {"sums"});  // of the rows up to each
  set_ints(add_node(model, "Transpose", {"sums"}, {"line"}), "perm", {1, 0});
  add_node(model, "Add", {"x", "line"}, {"y"});
  const ImportedModel made = whole(model);
  EXPECT_THAT(values_of(made, floats({1, 3}, {0, 0, 0})), ElementsAre(10, 30, 60));
  EXPECT_THAT(values_of(made, floats({2, 2}, {1, 1, 2, 2})), ElementsAre(11, 31, 12, 32));
  const Node& x = *made.graph.find(made.inputs.at("x"));
  EXPECT_EQ(std::get<std::string>(x.params.at("symbolic")), "s0 s1") << "each has its own name";
  expect_same_exported(made, floats({2, 3}, {1, 2, 3, 4, 5, 6}));
}

TEST(OnnxSizes, EndsAreCountedFromTheEnd) {
  onnx::ModelProto model = symbolic_model({1, -1}, {"seq"});
  add_numbers(model);
  add_integers(model, "most", {std::numeric_limits<int64_t>::max()});
  add_node(model, "Slice", {"x", "n-1", "most", "n1"}, {"last"});
  add_node(model, "Slice", {"x", "n0", "n-1", "n1"}, {"others"});
  set_int(add_node(model, "Concat", {"last", "others"}, {"rolled"}), "axis", 1);
  std::vector<float> table(64);
  std::iota(table.begin(), table.end(), 1.0f);
  add_floats(model, "table", {1, 64}, table);
  add_node(model, "Slice", {"table", "n0", size_of_x(model, "1"), "n1"}, {"part"});
  add_node(model, "Mul", {"rolled", "part"}, {"y"});
  const ImportedModel made = whole(model);
  EXPECT_THAT(values_of(made, floats({1, 3}, {1, 2, 3})), ElementsAre(3, 2, 6));
  EXPECT_THAT(values_of(made, floats({1, 4}, {1, 2, 3, 4})), ElementsAre(4, 2, 6, 12));
}

TEST(OnnxSizes, OneRowIsRepeatedForEachOfTheBatch) {
  onnx::ModelProto model = symbolic_model({-1, 2, 2}, {"batch"});
  add_numbers(model);
  add_floats(model, "token", {1, 1, 2}, {7, 8});
  set_int(add_node(model, "Concat", {size_of_x(model, "0"), "n-1", "n-1"}, {"wanted"}), "axis", 0);
  // What PyTorch writes: −1 keeps a size.
  add_node(model, "Equal", {"wanted", "n-1"}, {"kept"});
  add_integers(model, "ones", {1, 1, 1});
  add_node(model, "Where", {"kept", "ones", "wanted"}, {"sizes"});
  add_node(model, "Expand", {"token", "sizes"}, {"tokens"});
  set_int(add_node(model, "Concat", {"tokens", "x"}, {"y"}), "axis", 1);
  const ImportedModel made = whole(model);
  EXPECT_THAT(values_of(made, counting({2, 2, 2})), ElementsAre(7, 8, 1, 2, 3, 4, 7, 8, 5, 6, 7, 8));
  EXPECT_THAT(values_of(made, counting({1, 2, 2})), ElementsAre(7, 8, 1, 2, 3, 4));
}

TEST(OnnxSizes, QueriesAreTiledForEachOfTheBatch) {
  onnx::ModelProto model = symbolic_model({-1, 1, 2}, {"batch"});
  add_numbers(model);
  add_floats(model, "query", {1, 1, 2}, {7, 8});
  set_int(add_node(model, "Concat", {size_of_x(model, "0"), "n2", "n1"}, {"repeats"}), "axis", 0);
  add_node(model, "Tile", {"query", "repeats"}, {"queries"});
  set_int(add_node(model, "Concat", {"queries", "x"}, {"y"}), "axis", 1);
  const ImportedModel made = whole(model);
  EXPECT_THAT(values_of(made, counting({2, 1, 2})), ElementsAre(7, 8, 7, 8, 1, 2, 7, 8, 7, 8, 3, 4));
}

/// As masks of attention are written: rows and columns of x by tuples [seq, batch, 2], the sizes being symbolic.
TEST(OnnxSizes, TuplesOfIndicesAreComputed) {
  onnx::ModelProto model = symbolic_model({-1, -1}, {"batch", "seq"});
  add_numbers(model);
  const std::string batch = size_of_x(model, "0"), tokens = size_of_x(model, "1");
  for (const auto& [from, to] : {std::pair("n0", "zero"), {"n1", "one"}}) add_node(model, "Squeeze", {from}, {to});
  const auto grid = [&](const std::string& size, const std::string& axes, const std::string& to) {
    add_node(model, "Squeeze", {size}, {to + "_count"});
    add_node(model, "Range", {"zero", to + "_count", "one"}, {to + "_line"});
    add_node(model, "Unsqueeze", {to + "_line", axes}, {to + "_open"});
    add_node(model, "Expand", {to + "_open", "both"}, {to});
  };
  add_integers(model, "last_two", {1, 2});
  add_integers(model, "ends", {0, 2});
  set_int(add_node(model, "Concat", {tokens, batch, "n1"}, {"both"}), "axis", 0);
  grid(batch, "ends", "row");
  grid(tokens, "last_two", "column");
  set_int(add_node(model, "Concat", {"row", "column"}, {"tuples"}), "axis", 2);
  add_node(model, "GatherND", {"x", "tuples"}, {"y"});
  const ImportedModel made = whole(model);
  EXPECT_THAT(values_of(made, counting({2, 3})), ElementsAre(1, 4, 2, 5, 3, 6)) << "transposed";
  EXPECT_THAT(values_of(made, counting({1, 2})), ElementsAre(1, 2));
}

/// The numbers of the rows of x laid out one behind another: what one size gives may not be taken for a number.
TEST(OnnxSizes, AStepThatIsASizeFollowsIt) {
  onnx::ModelProto model = symbolic_model({-1, -1}, {"batch", "seq"});
  add_numbers(model);
  const std::string batch = size_of_x(model, "0"), tokens = size_of_x(model, "1");
  for (const auto& [from, to] : {std::pair("n0", "zero"), {"n1", "one"}}) add_node(model, "Squeeze", {from}, {to});
  add_node(model, "Squeeze", {batch}, {"count"});
  add_node(model, "Range", {"zero", "count", "one"}, {"rows"});
  add_node(model, "Mul", {"rows", tokens}, {"begins"});
  set_int(add_node(model, "Cast", {"begins"}, {"numbers"}), "to", onnx::TensorProto::FLOAT);
  add_node(model, "Unsqueeze", {"numbers", "n1"}, {"column"});
  add_node(model, "Add", {"x", "column"}, {"y"});
  const ImportedModel made = whole(model);
  EXPECT_THAT(values_of(made, floats({2, 3}, {0, 0, 0, 0, 0, 0})), ElementsAre(0, 0, 0, 3, 3, 3));
  EXPECT_THAT(values_of(made, floats({3, 1}, {0, 0, 0})), ElementsAre(0, 1, 2));
  expect_same_exported(made, floats({3, 2}, {0, 0, 0, 0, 0, 0}));
}

TEST(OnnxSizes, NegativeIndicesOfTuplesCountFromASymbolicEnd) {
  onnx::ModelProto model = symbolic_model({-1, -1}, {"batch", "seq"});
  onnx::TensorProto& tuples = *model.mutable_graph()->add_initializer();
  tuples.set_name("tuples");
  tuples.set_data_type(onnx::TensorProto::INT64);
  for (const int64_t size : {2, 2}) tuples.add_dims(size);
  for (const int64_t index : {-1, 0, 0, -2}) tuples.add_int64_data(index);
  add_node(model, "GatherND", {"x", "tuples"}, {"y"});
  const ImportedModel made = whole(model);
  EXPECT_THAT(values_of(made, counting({2, 3})), ElementsAre(4, 2));
  EXPECT_THAT(values_of(made, counting({3, 2})), ElementsAre(5, 1));
}

TEST(OnnxSizes, ASizeIsANumber) {
  onnx::ModelProto model = symbolic_model({-1, 2}, {"batch"});
  add_numbers(model);
  set_int(add_node(model, "Cast", {size_of_x(model, "0")}, {"count"}), "to", onnx::TensorProto::FLOAT);
  add_node(model, "Div", {"x", "count"}, {"y"});
  const ImportedModel made = whole(model);
  EXPECT_THAT(values_of(made, floats({2, 2}, {2, 4, 6, 8})), ElementsAre(1, 2, 3, 4));
}

/// What a size is made into by operators that are no list of sizes: x ÷ √batch.
TEST(OnnxSizes, WhatIsComputedOfASizeFollowsIt) {
  onnx::ModelProto model = symbolic_model({-1, 2}, {"batch"});
  add_numbers(model);
  set_int(add_node(model, "Cast", {size_of_x(model, "0")}, {"count"}), "to", onnx::TensorProto::FLOAT);
  add_node(model, "Sqrt", {"count"}, {"root"});
  add_node(model, "Div", {"x", "root"}, {"y"});
  const ImportedModel made = whole(model);
  EXPECT_THAT(values_of(made, floats({1, 2}, {2, 4})), ElementsAre(2, 4));
  EXPECT_THAT(values_of(made, floats({4, 2}, {2, 4, 6, 8, 2, 4, 6, 8})), ElementsAre(1, 2, 3, 4, 1, 2, 3, 4));
}

/// What is the same at two sizes need not be at a third.
TEST(OnnxSizes, RestsAndComparisonsOfSizesAreNoConstants) {
  const auto sum_with = [](const std::string& op, int64_t number) {
    onnx::ModelProto model = symbolic_model({1, -1}, {"seq"});
    add_numbers(model);
    add_integers(model, "number", {number});
    add_node(model, op, {size_of_x(model, "1"), "number"}, {"made"});
    set_int(add_node(model, "Cast", {"made"}, {"float"}), "to", onnx::TensorProto::FLOAT);
    add_node(model, "Add", {"x", "float"}, {"y"});
    return whole(model);
  };
  const ImportedModel rest = sum_with("Mod", 4);
  EXPECT_THAT(values_of(rest, floats({1, 2}, {0, 0})), ElementsAre(2, 2));
  EXPECT_THAT(values_of(rest, floats({1, 4}, {0, 0, 0, 0})), ElementsAre(0, 0, 0, 0));
  const ImportedModel longer = sum_with("Greater", 3);
  EXPECT_THAT(values_of(longer, floats({1, 2}, {0, 0})), ElementsAre(0, 0));
  EXPECT_THAT(values_of(longer, floats({1, 4}, {0, 0, 0, 0})), ElementsAre(1, 1, 1, 1));
  const ImportedModel most = sum_with("Max", 5);
  EXPECT_THAT(values_of(most, floats({1, 2}, {0, 0})), ElementsAre(5, 5));
  EXPECT_THAT(values_of(most, floats({1, 6}, {0, 0, 0, 0, 0, 0})), ElementsAre(6, 6, 6, 6, 6, 6));
  const ImportedModel half = sum_with("Div", 2);
  EXPECT_THAT(values_of(half, floats({1, 3}, {0, 0, 0})), ElementsAre(1, 1, 1));
}

TEST(OnnxSizes, AnAxisOfAnySizeIsTurnedRound) {
  onnx::ModelProto model = symbolic_model({1, -1}, {"seq"});
  add_numbers(model);
  add_integers(model, "begin", {std::numeric_limits<int64_t>::min() + 1});
  add_node(model, "Slice", {"x", "n-1", "begin", "n1", "n-1"}, {"y"});
  const ImportedModel made = whole(model);
  EXPECT_THAT(values_of(made, floats({1, 3}, {1, 2, 3})), ElementsAre(3, 2, 1));
}

/// x as large as `sizes` says: "double", or, once it is made smaller by 2, "shape".
onnx::ModelProto resized(const std::string& sizes) {
  onnx::ModelProto model = symbolic_model({1, 1, -1, -1}, {"height", "width"});
  add_numbers(model);
  add_integers(model, "twice", {1, 1, 2, 2});
  add_node(model, "Shape", {"x"}, {"shape"});
  add_node(model, "Mul", {"shape", "twice"}, {"double"});
  onnx::NodeProto& pool = add_node(model, "MaxPool", {"x"}, {"small"});
  set_ints(pool, "kernel_shape", {2, 2});
  set_ints(pool, "strides", {2, 2});
  onnx::NodeProto& resize = add_node(model, "Resize", {sizes == "shape" ? "small" : "x", "", "", sizes}, {"y"});
  set_text(resize, "coordinate_transformation_mode", "asymmetric");
  set_text(resize, "nearest_mode", "floor");
  return model;
}

TEST(OnnxSizes, APictureIsResizedToAMultipleOfItsSize) {
  const ImportedModel made = whole(resized("double"));
  EXPECT_THAT(values_of(made, floats({1, 1, 1, 2}, {1, 2})), ElementsAre(1, 1, 2, 2, 1, 1, 2, 2));
}

/// Half of an odd size, rounded down and doubled, is not that size: it is as large as another tensor.
TEST(OnnxSizes, APictureThatWasHalvedIsResizedToWhatItWas) {
  const ImportedModel made = whole(resized("shape"));
  EXPECT_THAT(values_of(made, counting({1, 1, 2, 4})), ElementsAre(6, 6, 8, 8, 6, 6, 8, 8));
  EXPECT_THAT(values_of(made, counting({1, 1, 3, 3})), ElementsAre(5, 5, 5, 5, 5, 5, 5, 5, 5));
  FileAssets assets("");
  const auto back = interop::export_graph(made.graph, made.outputs, &made.weights, assets);
  ASSERT_TRUE(back) << back.error().text();
}

/// What a transposed convolution doubles is joined with x, which must have been of even sizes.
TEST(OnnxSizes, SizesThatAreHalvedAndDoubledAreMultiples) {
  onnx::ModelProto model = symbolic_model({1, 1, -1, -1}, {"height", "width"});
  add_floats(model, "w", {1, 1, 2, 2}, {1, 1, 1, 1});
  onnx::NodeProto& pool = add_node(model, "MaxPool", {"x"}, {"small"});
  set_ints(pool, "kernel_shape", {2, 2});
  set_ints(pool, "strides", {2, 2});
  set_ints(add_node(model, "ConvTranspose", {"small", "w"}, {"large"}), "strides", {2, 2});
  set_int(add_node(model, "Concat", {"x", "large"}, {"y"}), "axis", 1);
  const auto made = imported(model);
  ASSERT_TRUE(made && made->missing.empty());
  EXPECT_TRUE(made->fixed.empty());
  EXPECT_EQ(interop::sizes_text(made->multiples), "height=2, width=2");
  EXPECT_THAT(interop::limits_text(*made),
              HasSubstr("height a multiple of 2, width a multiple of 2, because of Concat"));
  EXPECT_THAT(values_of(*made, counting({1, 1, 2, 4})), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 6, 6, 8, 8, 6, 6, 8, 8));
  Graph odd = made->graph;
  ASSERT_TRUE(apply_edits(odd, {SetParam{made->inputs.at("x"), "shape", std::vector<double>{1, 1, 3, 4}}}));
  Validator validator;
  validator.reset(odd);
  ASSERT_FALSE(validator.of(made->inputs.at("x")).empty());
  EXPECT_THAT(validator.of(made->inputs.at("x")).front().reason, HasSubstr("multiples of"));
}

TEST(OnnxSizes, StepsOfARecurrentLayerStaySymbolic) {
  onnx::ModelProto model = symbolic_model({-1, -1, 1}, {"seq", "batch"});
  add_numbers(model);
  add_floats(model, "w", {1, 4, 1}, {0.5f, -1, 1, 2});
  add_floats(model, "r", {1, 4, 1}, {1, 0.25f, -0.5f, 1});
  set_int(add_node(model, "Concat", {"n1", size_of_x(model, "1"), "n1"}, {"wanted"}), "axis", 0);
  add_node(model, "ConstantOfShape", {"wanted"}, {"zeros"});
  set_int(add_node(model, "LSTM", {"x", "w", "r", "", "", "zeros", "zeros"}, {"", "y"}), "hidden_size", 1);
  const ImportedModel made = whole(model);
  const Values one = values_of(made, floats({2, 1, 1}, {1, 2})), two = values_of(made, floats({2, 2, 1}, {1, 1, 2, 2}));
  ASSERT_EQ(one.size(), 1u);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_NEAR(one[0], 0.105452456, 1e-6) << "by the formula of ONNX in f64";
  EXPECT_EQ(two[0], one[0]);
  EXPECT_EQ(two[1], one[0]);
}

/// An axis that is taken in steps from its end has to be known.
onnx::ModelProto stepped() {
  onnx::ModelProto model = symbolic_model({-1, -1}, {"batch", "seq"});
  add_numbers(model);
  add_integers(model, "begin", {std::numeric_limits<int64_t>::min() + 1});
  add_integers(model, "step", {-2});
  add_node(model, "Slice", {"x", "n-1", "begin", "n1", "step"}, {"y"});
  return model;
}

TEST(OnnxSizes, WhatHasToBeKnownIsFixedAlone) {
  const auto made = imported(stepped(), {.given = {}, .sizes = {{"seq", 6}}});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_TRUE(made->missing.empty());
  EXPECT_EQ(interop::sizes_text(made->fixed), "seq=6");
  EXPECT_THAT(made->fixed_because, HasSubstr("Slice"));
  EXPECT_THAT(values_of(*made, counting({2, 6})), ElementsAre(6, 4, 2, 12, 10, 8));
  EXPECT_EQ(interop::sizes_text(imported(stepped())->fixed), "seq=16") << "as many tokens as there are without a word";
}

TEST(OnnxSizes, AShapeThatIsEditedAfterwardsIsAnError) {
  auto made = imported(stepped(), {.given = {}, .sizes = {{"seq", 6}}});
  ASSERT_TRUE(made);
  const std::string x = made->inputs.at("x");
  const auto problems = [&](const std::vector<double>& shape) {
    made->graph.node(x).params["shape"] = shape;
    Validator validator;
    validator.reset(made->graph);
    std::string all;
    for (const Diagnostic& d : validator.of(x)) all += d.code + " " + d.reason;
    return all;
  };
  EXPECT_EQ(problems({5, 6}), "") << "the batch is free";
  EXPECT_THAT(problems({1, 8}), HasSubstr("HW-S002"));
  EXPECT_THAT(problems({1, 8}), HasSubstr("were made for [-1, 6]"));
}

TEST(OnnxSizes, AnUnknownSymbolIsRefusedWithThoseThatThereAre) {
  const auto made = imported(stepped(), {.given = {}, .sizes = {{"height", 6}}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, codes::bad_usage);
  EXPECT_THAT(made.error().remedy, HasSubstr("batch, seq"));
}

// At the sizes that are tried both ends lie beyond the table: that says nothing of others.
TEST(OnnxSizes, AShortTableCutAtASymbolicSizeIsNotTakenAsAWhole) {
  onnx::ModelProto model = symbolic_model({-1, 2}, {"N"});
  add_numbers(model);
  add_floats(model, "table", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const std::string size = size_of_x(model, "0");
  add_node(model, "Slice", {"table", "n0", size, "axis"}, {"part"});
  add_node(model, "ReduceSum", {"part", "axis"}, {"sum"});
  add_node(model, "Add", {"x", "sum"}, {"y"});
  const auto made = imported(model, {.given = {}, .sizes = {{"N", 2}}});
  ASSERT_TRUE(made && made->missing.empty());
  EXPECT_EQ(made->fixed.at("N"), 2);
  EXPECT_THAT(made->fixed_because, HasSubstr("may have fewer"));
  EXPECT_EQ(values_of(*made, counting({2, 2})), (Values{5, 8, 7, 10}));
}

TEST(OnnxSizes, APlaceThatFollowsFromASymbolicSizeIsComputed) {
  onnx::ModelProto model = symbolic_model({-1, 2}, {"N"});
  add_numbers(model);
  add_floats(model, "table", {4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const std::string size = size_of_x(model, "0");
  add_node(model, "Sub", {size, "n1"}, {"last"});
  add_node(model, "Gather", {"table", "last"}, {"row"});
  add_node(model, "Add", {"x", "row"}, {"y"});
  EXPECT_EQ(values_of(whole(model), counting({2, 2})), (Values{4, 6, 6, 8}));
}

TEST(OnnxSizes, WhichAxesAreOneIsNotGuessed) {
  onnx::ModelProto model = symbolic_model({-1, 4}, {"N"});
  add_node(model, "Squeeze", {"x"}, {"y"});
  const auto made = imported(model, {.given = {}, .sizes = {{"N", 1}}});
  ASSERT_TRUE(made && made->missing.empty());
  EXPECT_EQ(made->fixed.at("N"), 1);
  EXPECT_THAT(made->fixed_because, HasSubstr("symbolic"));
}

}  // namespace
}  // namespace hw::test::onnx_sizes_test
