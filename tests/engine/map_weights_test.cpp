// Tensors of other names against the parameters of a graph: the ways to find them, and what is kept.
#include "engine/graph/map_weights.h"

#include <gmock/gmock.h>

#include "engine/graph/fit_weights.h"
#include "engine/graph/flatten.h"
#include "engine/graph/foreign_names.h"
#include "engine/io/graph_file.h"
#include "tests/engine/graph_builder.h"

namespace hw {
namespace {

using test::link;
using test::node;

/// x [4, 8] → layer_1 (6) → layer_2 (6) → layer_10 (6) → head (3), with biases.
Graph layers() {
  Graph g;
  Edits edits{AddNode{node("x", "random", {{"shape", std::vector<double>{4, 8}}})}};
  std::string before = "x";
  for (const auto& [id, size] : {std::pair("layer_1", 6), {"layer_2", 6}, {"layer_10", 6}, {"head", 3}}) {
    edits.push_back(AddNode{node(id, "linear", {{"out_features", int64_t{size}}})});
    edits.push_back(AddLink{link(before + ".y", std::string(id) + ".x")});
    before = id;
  }
  EXPECT_TRUE(apply_edits(g, edits));
  return g;
}

/// The parameters' sizes under names that `rename` makes of "layer_1.weight".
std::map<std::string, Tensor> tensors(const std::function<std::string(const std::string&)>& rename) {
  std::map<std::string, Tensor> all;
  for (const auto& [id, dims] :
       {std::pair("layer_1", Dims{6, 8}), {"layer_2", Dims{6, 6}}, {"layer_10", Dims{6, 6}}, {"head", Dims{3, 6}}}) {
    all[rename(std::string(id) + ".weight")] = Tensor::zeros(DType::f32, dims);
    all[rename(std::string(id) + ".bias")] = Tensor::zeros(DType::f32, {dims[0]});
  }
  return all;
}

WeightMapping map(const Graph& g, const std::map<std::string, Tensor>& given, MappedBy last,
                  const std::map<std::string, std::string>& by_hand = {}) {
  Validator v;
  v.reset(g);
  return map_weights(g, v, given, by_hand, last);
}

std::map<std::string, std::string> pairs(const WeightMapping& m) {
  std::map<std::string, std::string> all;
  for (const MappedWeight& row : m.parameters)
    if (!row.tensor.empty()) all[row.parameter] = row.tensor;
  return all;
}

TEST(MapWeights, NamesAsTheyAreNeedNoMapping) {
  const Graph g = layers();
  const WeightMapping m = map(g, tensors([](const auto& name) { return name; }), MappedBy::name);
  EXPECT_EQ(pairs(m).size(), 8u);
  EXPECT_TRUE(m.names(g).empty());
  EXPECT_TRUE(m.unused.empty());
}

TEST(MapWeights, PrefixesSeparatorsAndWordsOfOtherToolsAreSimilarNames) {
  const Graph g = layers();
  const auto other = [](std::string name) {
    const size_t dot = name.find('.');
    const std::string of = name.substr(dot) == ".weight" ? "/gamma" : "/beta";
    std::string layer = name.substr(0, dot);
    std::ranges::replace(layer, '_', '.');
    return "module." + layer + of;
  };
  const auto file = tensors(other);
  EXPECT_TRUE(pairs(map(g, file, MappedBy::name)).empty());
  const WeightMapping m = map(g, file, MappedBy::similar_name);
  ASSERT_EQ(pairs(m).size(), 8u);
  for (const MappedWeight& row : m.parameters) EXPECT_EQ(row.tensor, other(row.parameter));
  EXPECT_EQ(m.names(g).size(), 8u);
}

TEST(MapWeights, AShapeThatIsThereOnceSaysWhoseTensorItIs) {
  const Graph g = layers();
  const WeightMapping m = map(
      g, tensors([](const auto& name) { return "t" + std::to_string(name.size()) + name.substr(1); }), MappedBy::shape);
  EXPECT_EQ(pairs(m), (std::map<std::string, std::string>{{"head.bias", "t9ead.bias"},
                                                          {"head.weight", "t11ead.weight"},
                                                          {"layer_1.weight", "t14ayer_1.weight"}}));
  EXPECT_EQ(m.unused.size(), 5u);
}

TEST(MapWeights, OrderCountsNumbersAsNumbersAndIsTakenOnlyWhereAsked) {
  const Graph g = layers();
  // blocks 3, 7 and 20, as the layers follow each other
  const std::map<std::string, std::string> block{
      {"layer_1", "b3"}, {"layer_2", "b7"}, {"layer_10", "b20"}, {"head", "b21"}};
  const auto other = [&](const std::string& name) {
    const size_t dot = name.find('.');
    return block.at(name.substr(0, dot)) + name.substr(dot);
  };
  const WeightMapping m = map(g, tensors(other), MappedBy::order);
  ASSERT_EQ(pairs(m).size(), 8u);
  for (const MappedWeight& row : m.parameters) EXPECT_EQ(row.tensor, other(row.parameter)) << name(row.by);
}

TEST(MapWeights, WhatIsGivenCountsMost) {
  const Graph g = layers();
  const WeightMapping m =
      map(g, tensors([](const auto& name) { return name; }), MappedBy::name,
          {{"layer_2.weight", "layer_10.weight"}, {"layer_10.weight", "layer_2.weight"}, {"head.bias", "none"}});
  EXPECT_EQ(pairs(m).at("layer_2.weight"), "layer_10.weight");
  EXPECT_EQ(pairs(m).at("layer_10.weight"), "layer_2.weight");
  EXPECT_EQ(pairs(m).at("head.bias"), "head.bias");
}

TEST(MapWeights, TheGraphKeepsTheNamesAndFilesAreReadAndWrittenByThem) {
  Graph g = layers();
  auto file = tensors([](const auto& name) { return "net." + name; });
  file["net.layer_1.weight#adam_m"] = Tensor::zeros(DType::f32, {6, 8});
  const auto names = map(g, file, MappedBy::similar_name).names(g);
  const auto undo = apply_edits(g, {SetWeightNames{names}});
  ASSERT_TRUE(undo);
  const auto again = parse_graph(write_graph(g), "again");
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, g);

  const auto ids = with_node_ids(*again, file);
  EXPECT_TRUE(ids.contains("layer_10.bias"));
  EXPECT_TRUE(ids.contains("layer_1.weight#adam_m"));
  EXPECT_EQ(with_foreign_names(*again, ids).size(), file.size());
  EXPECT_TRUE(with_foreign_names(*again, ids).contains("net.layer_10.bias"));
  Validator v;
  v.reset(*again);
  EXPECT_TRUE(fit_weights(*again, v, file).problems.empty());

  undo_edits(g, *undo);
  EXPECT_TRUE(g.weight_names.empty());
}

TEST(MapWeights, ATensorWhoseNameAnotherHasTakenIsLeftOverAndSaid) {
  Graph g = layers();
  auto file = tensors([](const auto& name) { return name; });
  file["best"] = Tensor::from_f64(DType::f32, {3}, std::vector<double>{1, 2, 3});
  const WeightMapping m = map(g, file, MappedBy::name, {{"head.bias", "best"}});
  EXPECT_EQ(m.unused, std::vector<std::string>{"head.bias"});
  g.weight_names = m.names(g);
  EXPECT_EQ(with_node_ids(g, file).at("head.bias").to_f64(), (std::vector<double>{1, 2, 3}));
  Validator v;
  v.reset(g);
  const FittedWeights fitted = fit_weights(g, v, file);
  ASSERT_EQ(fitted.problems.size(), 1u);
  EXPECT_EQ(fitted.problems.front().node, "unmapped:head");
}

TEST(MapWeights, NamesThatAreKeptNeverGiveTwoParametersOneName) {
  Graph g = layers();
  // What is called layer_10 goes to layer_2, and layer_10 has none.
  auto file = tensors([](const auto& name) { return name; });
  file.erase("layer_2.weight");
  const WeightMapping m = map(g, file, MappedBy::name, {{"layer_2.weight", "layer_10.weight"}});
  g.weight_names = m.names(g);
  const auto own = tensors([](const auto& name) { return name; });
  const auto saved = with_foreign_names(g, own);
  EXPECT_EQ(saved.size(), own.size());
  EXPECT_EQ(with_node_ids(g, saved).size(), own.size());
  for (const auto& [name, tensor] : with_node_ids(g, saved)) EXPECT_EQ(tensor.data(), own.at(name).data()) << name;
}

/// A table [20, 8], rows of it, and a head [20, 8] that makes scores: as tied embeddings are stored, once.
Graph tied() {
  Graph g;
  EXPECT_TRUE(apply_edits(
      g,
      {AddNode{node("ids", "input",
                    {{"shape", std::vector<double>{4}}, {"axes", std::string()}, {"dtype", std::string("i64")}})},
       AddNode{node("table", "parameter", {{"shape", std::vector<double>{20, 8}}})}, AddNode{node("gather", "gather")},
       AddNode{node("head", "linear", {{"out_features", int64_t{20}}, {"bias", false}})},
       AddLink{link("ids.y", "gather.index")}, AddLink{link("table.y", "gather.x")},
       AddLink{link("gather.y", "head.x")}}));
  return g;
}

TEST(MapWeights, AWeightThatIsStoredOnceIsLoadedToBothThatShareIt) {
  Graph g = tied();
  std::vector<double> values(160);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  for (const char* stored : {"wte.weight", "head.weight"}) {
    const std::map<std::string, Tensor> file{{stored, Tensor::from_f64(DType::f32, {20, 8}, values)}};
    for (const WeightMapping& m : {map(g, file, MappedBy::given, {{"table.value", stored}, {"head.weight", stored}}),
                                   map(g, file, MappedBy::shape)}) {
      EXPECT_EQ(pairs(m), (std::map<std::string, std::string>{{"table.value", stored}, {"head.weight", stored}}));
      g.weight_names = m.names(g);
      Validator v;
      v.reset(g);
      const FittedWeights fitted = fit_weights(g, v, file);
      EXPECT_TRUE(fitted.problems.empty()) << as_error(fitted.problems).text();
      EXPECT_EQ(fitted.tensors.at("table.value").to_f64(), values);
      EXPECT_EQ(fitted.tensors.at("head.weight").to_f64(), values);
      EXPECT_EQ(fitted.notes.size(), 1u);

      // What training made of the two is written as two, and read again so.
      Tensor other = Tensor::zeros(DType::f32, {20, 8});
      const auto saved = with_foreign_names(g, {{"table.value", other}, {"head.weight", file.at(stored)}});
      ASSERT_EQ(saved.size(), 2u);
      const auto read = with_node_ids(g, saved);
      EXPECT_EQ(read.at("table.value").to_f64(), other.to_f64());
      EXPECT_EQ(read.at("head.weight").to_f64(), values);
      EXPECT_TRUE(fit_weights(g, v, saved).notes.empty());
    }
  }
}

// Of an imported graph the groups are the modules; what the operators in them are called says nothing.
TEST(MapWeights, AGroupHasTheWordsOfItsModule) {
  Group group;
  group.id = "unit";
  ASSERT_TRUE(apply_edits(
      group.graph,
      {AddNode{node("x", "input")},
       AddNode{node("linear_2", "linear", {{"out_features", int64_t{8}}, {"bias", false}})},
       AddNode{node("y", "output")}, AddLink{link("x.y", "linear_2.x")}, AddLink{link("linear_2.y", "y.x")}}));
  Graph document;
  ASSERT_TRUE(
      apply_edits(document, {SetGroup{group}, AddNode{node("x", "random", {{"shape", std::vector<double>{4, 8}}})},
                             AddNode{node("query", "group:unit")}, AddNode{node("key", "group:unit")},
                             AddLink{link("x.y", "query.x")}, AddLink{link("x.y", "key.x")}}));
  const Graph flat = flatten(document);
  std::map<std::string, Tensor> file;
  for (const char* name : {"encoder.query.proj.weight", "encoder.key.proj.weight", "encoder.value.proj.weight"})
    file[name] = Tensor::zeros(DType::f32, {8, 8});
  EXPECT_EQ(pairs(map(flat, file, MappedBy::similar_name)),
            (std::map<std::string, std::string>{{"query/linear_2.weight", "encoder.query.proj.weight"},
                                                {"key/linear_2.weight", "encoder.key.proj.weight"}}));
  file["decoder.key.weight"] = Tensor::zeros(DType::f32, {8, 8});
  EXPECT_EQ(pairs(map(flat, file, MappedBy::similar_name)).count("key/linear_2.weight"), 0u) << "two could be it";
}

TEST(MapWeights, OrderNeverSwapsTwoNorms) {
  Graph g;
  Edits edits{AddNode{node("x", "random", {{"shape", std::vector<double>{4, 8}}})}};
  std::string before = "x";
  for (const char* id : {"n1", "n2"}) {
    edits.push_back(AddNode{node(id, "layer_norm")});
    edits.push_back(AddLink{link(before + ".y", std::string(id) + ".x")});
    before = id;
  }
  ASSERT_TRUE(apply_edits(g, edits));
  const auto file = [](const std::string& first, const std::string& second) {
    std::map<std::string, Tensor> all;
    for (const std::string& name : {first, second})
      for (const char* of : {".weight", ".bias"}) all[name + of] = Tensor::zeros(DType::f32, {8});
    return all;
  };
  // "final" comes before "input" by name, and after it in the network.
  EXPECT_TRUE(pairs(map(g, file("input", "final"), MappedBy::order)).empty());
  const auto numbered = pairs(map(g, file("block.9.ln", "block.10.ln"), MappedBy::order));
  ASSERT_EQ(numbered.size(), 4u);
  EXPECT_EQ(numbered.at("n1.weight"), "block.9.ln.weight");
}

TEST(MapWeights, OrderDoesNotTellWhatIsSideBySide) {
  Graph g;
  Edits edits{AddNode{node("x", "random", {{"shape", std::vector<double>{4, 8}}})}};
  for (const char* id : {"query", "key"}) {
    edits.push_back(AddNode{node(id, "linear", {{"out_features", int64_t{8}}, {"bias", false}})});
    edits.push_back(AddLink{link("x.y", std::string(id) + ".x")});
  }
  ASSERT_TRUE(apply_edits(g, edits));
  std::map<std::string, Tensor> file;
  for (const char* name : {"a.weight", "b.weight"}) file[name] = Tensor::zeros(DType::f32, {8, 8});
  EXPECT_TRUE(pairs(map(g, file, MappedBy::order)).empty());
}

TEST(MapWeights, OrderNeverTearsAModuleApart) {
  const Graph g = layers();
  // The first layer's bias is called after the others: [6] would give it layer_10's.
  const std::map<std::string, std::string> block{{"layer_1", "z"}, {"layer_2", "b"}, {"layer_10", "c"}, {"head", "d"}};
  const WeightMapping m = map(g, tensors([&](const auto& name) {
                                const size_t dot = name.find('.');
                                return block.at(name.substr(0, dot)) + name.substr(dot);
                              }),
                              MappedBy::order);
  for (const auto& [parameter, tensor] : pairs(m))
    EXPECT_EQ(tensor, block.at(parameter.substr(0, parameter.find('.'))) + parameter.substr(parameter.find('.')));
}

TEST(MapWeights, CountsOfBatchesAreNoWeights) {
  const Graph g = layers();
  auto file = tensors([](const auto& name) { return name; });
  file["head.num_batches_tracked"] = Tensor::zeros(DType::i64, {});
  EXPECT_TRUE(map(g, file, MappedBy::name).unused.empty());
  Validator v;
  v.reset(g);
  EXPECT_TRUE(fit_weights(g, v, file).problems.empty());
}

TEST(MapWeights, OtherDtypesAreConvertedWhereAsked) {
  const Graph g = layers();
  Validator v;
  v.reset(g);
  auto file = tensors([](const auto& name) { return name; });
  for (auto& [name, tensor] : file) tensor = tensor.to(DType::f8e4m3);
  EXPECT_EQ(fit_weights(g, v, file).problems.size(), 8u);
  FittedWeights fitted = fit_weights(g, v, file, WeightsTaken::all_or_nothing, OtherDtypes::converted);
  EXPECT_TRUE(fitted.problems.empty());
  EXPECT_EQ(converted(std::move(fitted)).at("head.bias").dtype(), DType::f32);
  file["head.bias"] = Tensor::zeros(DType::i32, {3});
  EXPECT_EQ(fit_weights(g, v, file, WeightsTaken::all_or_nothing, OtherDtypes::converted).problems.size(), 1u);
}

// As published f8 checkpoints have them: what counts is weight · scale.
TEST(MapWeights, ScalesBesideF8WeightsAreMultipliedIn) {
  const Graph g = layers();
  Validator v;
  v.reset(g);
  const std::vector<double> ones(48, 1.5), rows{1, 2, 3, 4, 5, 6};
  auto file = tensors([](const auto& name) { return name; });
  file["layer_1.weight"] = Tensor::from_f64(DType::f8e4m3, {6, 8}, ones);
  file["layer_1.weight_scale"] = Tensor::from_f64(DType::f32, {6, 1}, rows);
  EXPECT_TRUE(map(g, file, MappedBy::order).unused.empty());
  EXPECT_EQ(fit_weights(g, v, file).problems.size(), 1u) << "another dtype";
  const FittedWeights fitted = fit_weights(g, v, file, WeightsTaken::all_or_nothing, OtherDtypes::converted);
  ASSERT_TRUE(fitted.problems.empty()) << as_error(fitted.problems).text();
  ASSERT_EQ(fitted.notes.size(), 1u);
  EXPECT_THAT(fitted.notes.front(), testing::HasSubstr("times the scale"));
  const std::vector<double> values = converted(fitted).at("layer_1.weight").to_f64();
  EXPECT_EQ(values.front(), 1.5);
  EXPECT_EQ(values[8], 3);
  EXPECT_EQ(values.back(), 9);

  file.erase("layer_1.weight_scale");
  file["layer_1.weight_scale_inv"] = Tensor::from_f64(DType::f32, {1, 1}, std::vector<double>{0.5});
  EXPECT_EQ(converted(fit_weights(g, v, file, WeightsTaken::all_or_nothing, OtherDtypes::converted))
                .at("layer_1.weight")
                .to_f64()
                .back(),
            0.75);
  file["layer_1.weight_scale_inv"] = Tensor::zeros(DType::f32, {3, 1});
  EXPECT_EQ(fit_weights(g, v, file, WeightsTaken::all_or_nothing, OtherDtypes::converted).problems.size(), 1u);
}

}  // namespace
}  // namespace hw
