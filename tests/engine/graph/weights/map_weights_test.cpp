// Tensors of other names against the parameters of a graph: the ways to find them, and what is kept.
#include "engine/graph/weights/map_weights.h"

#include <gmock/gmock.h>

#include <numeric>

#include "engine/graph/groups/flatten.h"
#include "engine/graph/weights/convert_weights.h"
#include "engine/graph/weights/fit_weights.h"
#include "engine/graph/weights/foreign_names.h"
#include "engine/io/graph/graph_file.h"
#include "tests/engine/graph_builder.h"

namespace hw::map_weights_test {
namespace {

using test::link;
using test::node;
using ::testing::Contains;
using ::testing::HasSubstr;

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

// As of DistributedDataParallel: the names that the graph keeps, tables and transposes among them.
TEST(MapWeights, APrefixBeforeAllNamesIsASimilarName) {
  Graph g = layers();
  ASSERT_TRUE(apply_edits(g, {AddNode{node("table", "parameter", {{"shape", std::vector<double>{9, 4}}})}}));
  g.weight_names = {{"table.value", "emb.weight"}, {"layer_1.weight", "fc.weight^T"}};
  std::map<std::string, Tensor> file;
  for (const auto& [name, tensor] : tensors([](const auto& name) { return "module." + name; }))
    if (name != "module.layer_1.weight") file[name] = tensor;
  file["module.emb.weight"] = Tensor::zeros(DType::f32, {9, 4});
  file["module.fc.weight"] = Tensor::zeros(DType::f32, {8, 6});
  EXPECT_TRUE(pairs(map(g, file, MappedBy::name)).empty());
  const WeightMapping m = map(g, file, MappedBy::similar_name, g.weight_names);
  EXPECT_TRUE(m.unused.empty());
  EXPECT_EQ(pairs(m).at("table.value"), "module.emb.weight");
  EXPECT_EQ(pairs(m).at("layer_2.bias"), "module.layer_2.bias");
  EXPECT_EQ(m.names(g).at("layer_1.weight"), "module.fc.weight^T");
}

TEST(MapWeights, LayersOfARecurrentModuleGoByTheirNumbers) {
  Graph g;
  Edits edits{AddNode{
      node("x", "random", {{"shape", std::vector<double>{2, 5, 3}}, {"axes", std::string("batch seq hidden")}})}};
  std::string before = "x";
  for (const char* id : {"rnn_a", "rnn_b", "rnn_c"}) {
    edits.push_back(AddNode{node(id, "lstm", {{"hidden_size", int64_t{4}}})});
    edits.push_back(AddLink{link(before + ".y", std::string(id) + ".x")});
    before = id;
  }
  ASSERT_TRUE(apply_edits(g, edits));
  std::map<std::string, Tensor> file;
  for (int layer = 0; layer < 3; ++layer) {
    const std::string end = "_l" + std::to_string(layer);
    file["encoder.weight_ih" + end] = Tensor::zeros(DType::f32, {16, layer == 0 ? 3 : 4});
    file["encoder.weight_hh" + end] = Tensor::zeros(DType::f32, {16, 4});
    file["encoder.bias_ih" + end] = Tensor::zeros(DType::f32, {16});
    file["encoder.bias_hh" + end] = Tensor::zeros(DType::f32, {16});
  }
  const auto found = pairs(map(g, file, MappedBy::similar_name));
  ASSERT_EQ(found.size(), 12u);
  EXPECT_EQ(found.at("rnn_a.weight_ih"), "encoder.weight_ih_l0");
  EXPECT_EQ(found.at("rnn_b.bias_hh"), "encoder.bias_hh_l1");
  EXPECT_EQ(found.at("rnn_c.weight_hh"), "encoder.weight_hh_l2");
}

// Layers "a", "model.a": a file with "model." before all names is no file of which the first two names fit.
TEST(MapWeights, APrefixBeforeAllNamesCountsMoreThanNamesThatFitByChance) {
  Graph g = layers();
  std::map<std::string, std::string> name{{"layer_1", "a"}, {"layer_2", "b"}, {"layer_10", "m.b"}, {"head", "c"}};
  Edits edits;
  for (const auto& [id, other] : name) {
    Node named = *g.find(id);
    named.name = other;
    for (const Link& link : g.links_into(id)) edits.push_back(AddLink{link});
    for (const Link& link : g.links_from(id)) edits.push_back(AddLink{link});
    edits.insert(edits.begin(), {RemoveNode{id}, AddNode{named}});
  }
  ASSERT_TRUE(apply_edits(g, edits));
  const auto file = tensors([&](const std::string& own) {
    const size_t dot = own.find('.');
    return "m." + name.at(own.substr(0, dot)) + own.substr(dot);
  });
  const auto found = pairs(map(g, file, MappedBy::similar_name));
  EXPECT_EQ(found.at("layer_2.weight"), "m.b.weight");
  EXPECT_EQ(found.at("layer_10.weight"), "m.m.b.weight");
}

TEST(MapWeights, ShapeAndOrderDoNotCountAgainstNumbers) {
  const Graph g = layers();
  // The second layer has its tensor by name: what is left of its kind is not the next.
  std::map<std::string, Tensor> file{{"layer_2.weight", Tensor::zeros(DType::f32, {6, 6})},
                                     {"layer_3.weight", Tensor::zeros(DType::f32, {6, 6})}};
  EXPECT_FALSE(pairs(map(g, file, MappedBy::shape)).contains("layer_10.weight"));
  // Two branches: nothing says which comes first, though one is longer.
  Graph parallel;
  ASSERT_TRUE(
      apply_edits(parallel, {AddNode{node("x", "random", {{"shape", std::vector<double>{4, 6}}})},
                             AddNode{node("p", "linear", {{"out_features", int64_t{6}}})}, AddNode{node("r", "relu")},
                             AddNode{node("q", "linear", {{"out_features", int64_t{6}}})}, AddLink{link("x.y", "p.x")},
                             AddLink{link("x.y", "r.x")}, AddLink{link("r.y", "q.x")}}));
  file = {{"l.1.weight", Tensor::zeros(DType::f32, {6, 6})}, {"l.2.weight", Tensor::zeros(DType::f32, {6, 6})}};
  EXPECT_TRUE(pairs(map(parallel, file, MappedBy::order)).empty());
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

// GPT-2's Conv1D and the Dense of Keras have weights [in, out].
TEST(MapWeights, AMatrixMayLieTransposedInItsFile) {
  Graph g = layers();
  const std::string weight = "layer_1.weight", stored = "h.0.attn.c_attn.weight";
  auto own = tensors([](const auto& name) { return name; });
  std::vector<double> numbers(48);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  own[weight] = Tensor::from_f64(DType::f32, {6, 8}, numbers);
  own[weight + "#adam_m"] = own[weight];
  g.weight_names = {{weight, stored + std::string(kTransposed)}};
  const auto file = with_foreign_names(g, own);
  ASSERT_TRUE(file.contains(stored) && file.contains(stored + "#adam_m"));
  EXPECT_EQ(file.at(stored).dims(), (Dims{8, 6}));
  EXPECT_EQ(file.at(stored).to_f64()[1], 8) << "the second output of the first input";
  EXPECT_EQ(file.size(), own.size());
  const auto again = with_node_ids(g, file);
  EXPECT_EQ(again.at(weight).to_f64(), numbers);
  EXPECT_EQ(again.at(weight + "#adam_m").to_f64(), numbers);
  Validator v;
  v.reset(g);
  EXPECT_TRUE(fit_weights(g, v, file).problems.empty());
  const WeightMapping m = map_weights(g, v, file, g.weight_names, MappedBy::name);
  EXPECT_TRUE(m.unused.empty());
  EXPECT_EQ(m.names(g), g.weight_names);
}

/// Square ones, which sizes do not distinguish from their transposes.
TEST(MapWeights, AMatrixAndItsTransposeAreOneTensorOfTheFile) {
  Graph g = layers();
  std::vector<double> numbers(36), turned(36);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  for (size_t i = 0; i < 36; ++i) turned[i] = numbers[i % 6 * 6 + i / 6];
  const std::string plain = "W", turn = "W" + std::string(kTransposed);
  for (const bool owner_is_turned : {true, false}) {
    g.weight_names = {{"layer_10.weight", owner_is_turned ? turn : plain},
                      {"layer_2.weight", owner_is_turned ? plain : turn}};
    const std::map<std::string, Tensor> file{{"W", Tensor::from_f64(DType::f32, {6, 6}, numbers)}};
    const auto read = with_node_ids(g, file);
    EXPECT_EQ(read.size(), 2u);
    EXPECT_EQ(read.at("layer_10.weight").to_f64(), owner_is_turned ? turned : numbers);
    EXPECT_EQ(read.at("layer_2.weight").to_f64(), owner_is_turned ? numbers : turned);
    // Each has its own after training: the second goes by its own name.
    auto learnt = read;
    learnt["layer_2.weight"] = Tensor::zeros(DType::f32, {6, 6});
    const auto written = with_foreign_names(g, learnt);
    EXPECT_EQ(written.at("W").to_f64(), numbers);
    EXPECT_TRUE(written.contains("layer_2.weight"));
    const auto again = with_node_ids(g, written);
    EXPECT_EQ(again.at("layer_10.weight").to_f64(), learnt.at("layer_10.weight").to_f64());
    EXPECT_EQ(again.at("layer_2.weight").to_f64(), learnt.at("layer_2.weight").to_f64());
    Validator v;
    v.reset(g);
    EXPECT_THAT(fit_weights(g, v, file, WeightsTaken::what_fits).notes,
                Contains(HasSubstr("W is loaded to each of layer_10.weight, layer_2.weight")));
  }
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

TEST(MapWeights, ATensorThatIsStoredTwiceIsTakenOnce) {
  const Graph g = layers();
  Validator v;
  v.reset(g);
  auto file = tensors([](const auto& name) { return name; });
  file["head.weight"] = Tensor::from_f64(DType::f32, {3, 6}, std::vector<double>(18, 0.5));
  file["embedding.weight"] = file["head.weight"];
  const FittedWeights fitted = fit_weights(g, v, file);
  EXPECT_TRUE(fitted.problems.empty());
  EXPECT_FALSE(fitted.tensors.contains("embedding.weight"));
  ASSERT_EQ(fitted.notes.size(), 1u);
  EXPECT_THAT(fitted.notes.front(), testing::HasSubstr("embedding.weight is left out: it is what head.weight has"));
  file["embedding.weight"] = Tensor::zeros(DType::f32, {3, 6});
  EXPECT_EQ(fit_weights(g, v, file).problems.size(), 1u);
}

// A node called "fc" whose id is another, and a file of another model.
TEST(MapWeights, WhatDoesNotFitIsNamedAsTheFileNamesIt) {
  Graph g = layers();
  Node named = *g.find("head");
  named.name = "fc";
  ASSERT_TRUE(apply_edits(g, {RemoveNode{"head"}, AddNode{named}, AddLink{link("layer_10.y", "head.x")}}));
  Validator v;
  v.reset(g);
  auto file = tensors([](const auto& name) { return name; });
  for (const char* weight : {".weight", ".bias"}) {
    auto taken = file.extract("head" + std::string(weight));
    taken.key() = "fc" + std::string(weight);
    file.insert(std::move(taken));
  }
  file["fc.extra"] = Tensor::zeros(DType::f32, {3});
  file["fc.weight"] = Tensor::zeros(DType::f32, {6, 3});
  const Error error = as_error(fit_weights(g, v, file).problems);
  EXPECT_THAT(error.reason, testing::HasSubstr("superfluous: fc.extra"));
  EXPECT_THAT(error.reason, testing::HasSubstr("Its transpose would fit"));
  EXPECT_THAT(error.remedy, testing::HasSubstr("--map name"));
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

// The groups of an imported graph are the modules; what the operators in them are called says nothing.
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

TEST(MapWeights, OrderDoesNotDistinguishWhatIsSideBySide) {
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

// In the file o_proj lies before q_proj, in the network behind it, and both are square.
TEST(MapWeights, WordsHaveNoOrder) {
  const Graph g = layers();
  std::map<std::string, Tensor> file;
  for (const char* name : {"attn.o_proj.weight", "attn.q_proj.weight"}) file[name] = Tensor::zeros(DType::f32, {6, 6});
  EXPECT_TRUE(pairs(map(g, file, MappedBy::order)).empty());
  file.clear();
  for (const char* name : {"attn.0.proj.weight", "attn.1.proj.weight"}) file[name] = Tensor::zeros(DType::f32, {6, 6});
  EXPECT_EQ(pairs(map(g, file, MappedBy::order)).size(), 2u);
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

// The file counts every layer, the graph every second number: 2 is the second of one, and the third of the other.
TEST(MapWeights, NumbersThatAreCountedOtherwiseAreNoNames) {
  Edits edits{AddNode{node("x", "input", {{"shape", std::vector<double>{2, 6}}})}};
  std::string before = "x";
  std::map<std::string, Tensor> file;
  for (int i = 0; i < 6; ++i) {
    const std::string id = "linear_" + std::to_string(2 * i);
    edits.push_back(AddNode{node(id, "linear", {{"out_features", int64_t{6}}, {"bias", false}})});
    edits.push_back(AddLink{link(before + ".y", id + ".x")});
    file["layers." + std::to_string(i) + ".weight"] = Tensor::zeros(DType::f32, {6, 6});
    before = id;
  }
  const Graph g = test::built(edits);
  EXPECT_TRUE(pairs(map(g, file, MappedBy::similar_name)).empty());
  const auto by_order = pairs(map(g, file, MappedBy::order));
  ASSERT_EQ(by_order.size(), 6u);
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(by_order.at("linear_" + std::to_string(2 * i) + ".weight"), "layers." + std::to_string(i) + ".weight");
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

TEST(MapWeights, ScalesAreThoseOfTheTensorInTheFile) {
  Graph g = layers();
  g.weight_names = {{"layer_1.weight", "fc.weight^T"}};
  Validator v;
  v.reset(g);
  auto file = tensors([](const auto& name) { return name; });
  file.erase("layer_1.weight");
  file["fc.weight"] = Tensor::from_f64(DType::f8e4m3, {8, 6}, std::vector<double>(48, 1.5));
  file["fc.weight_scale"] = Tensor::from_f64(DType::f32, {8}, std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8});
  const FittedWeights fitted = fit_weights(g, v, file, WeightsTaken::all_or_nothing, OtherDtypes::converted);
  ASSERT_TRUE(fitted.problems.empty()) << as_error(fitted.problems).text();
  const std::vector<double> values = converted(fitted).at("layer_1.weight").to_f64();
  EXPECT_EQ(values[0], 1.5);
  EXPECT_EQ(values[1], 3) << "the second input";
}

// As ComfyUI writes them, with marks and scales of what the layers are given.
TEST(MapWeights, ScalesHaveSeveralNamesAndOneThatIsMissingIsSaid) {
  const Graph g = layers();
  Validator v;
  v.reset(g);
  auto file = tensors([](const auto& name) { return name; });
  file["layer_1.weight"] = Tensor::from_f64(DType::f8e4m3, {6, 8}, std::vector<double>(48, 1.5));
  file["layer_1.scale_weight"] = Tensor::from_f64(DType::f32, {}, std::vector<double>{2});
  file["layer_1.scale_input"] = Tensor::from_f64(DType::f32, {}, std::vector<double>{3});
  file["scaled_fp8"] = Tensor::zeros(DType::f8e4m3, {2});
  EXPECT_TRUE(map(g, file, MappedBy::order).unused.empty());
  FittedWeights fitted = fit_weights(g, v, file, WeightsTaken::all_or_nothing, OtherDtypes::converted);
  ASSERT_TRUE(fitted.problems.empty()) << as_error(fitted.problems).text();
  EXPECT_EQ(fitted.notes.size(), 1u);
  EXPECT_EQ(converted(std::move(fitted)).at("layer_1.weight").to_f64().front(), 3);
  file["layer_1.weight_scale"] = Tensor::from_f64(DType::f32, {}, std::vector<double>{5});
  EXPECT_EQ(fit_weights(g, v, file, WeightsTaken::all_or_nothing, OtherDtypes::converted).problems.size(), 1u);
  file.erase("layer_1.weight_scale");
  file["head.weight"] = Tensor::zeros(DType::f8e4m3, {3, 6});
  fitted = fit_weights(g, v, file, WeightsTaken::all_or_nothing, OtherDtypes::converted);
  EXPECT_THAT(fitted.notes, testing::Contains(testing::HasSubstr("head.weight has no scale beside it")));
}

}  // namespace
}  // namespace hw::map_weights_test
