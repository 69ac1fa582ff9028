// A graph beside tensors that another program wrote: matching, and the node that comes apart first.
#include "engine/compare/dump_comparison.h"

#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "engine/devices/devices.h"
#include "engine/graph/groups/flatten.h"
#include "engine/io/asset/assets.h"
#include "tests/engine/graph_builder.h"

namespace hw::test::dump_comparison_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

/// x → twice → relu → thrice → y; products by constants.
Graph chain() {
  Node twice = node("conv_1", "mul"), relu = node("act", "relu");
  twice.name = "layer1.0.conv1";
  return built({AddNode{node("x", "input", {{"shape", std::vector<double>{2, 3}}})}, AddNode{twice}, AddNode{relu},
                AddNode{node("last", "mul")},
                AddNode{node("two", "constant", {{"value", 2.0}, {"shape", std::vector<double>{1}}})},
                AddNode{node("three", "constant", {{"value", 3.0}, {"shape", std::vector<double>{1}}})},
                AddLink{link("x.y", "conv_1.a")}, AddLink{link("two.y", "conv_1.b")},
                AddLink{link("conv_1.y", "act.x")}, AddLink{link("act.y", "last.a")},
                AddLink{link("three.y", "last.b")}});
}

Tensor floats(const std::vector<float>& values) {
  return Tensor::from_f32(DType::f32, {2, 3}, values);
}

Dump right() {
  return {{"x", floats({1, -2, 3, -4, 5, 6})},
          {"module.layer1.0.conv1", floats({2, -4, 6, -8, 10, 12})},
          {"act", floats({2, 0, 6, 0, 10, 12})},
          {"last", floats({6, 0, 18, 0, 30, 36})}};
}

Result<DumpReport> compared(const Dump& dump, const DumpOptions& options = {}) {
  FileAssets assets("");
  return compare_with_dump(chain(), assets, *make_device("cpu"), dump, options);
}

TEST(DumpComparison, NamesOfAnotherToolAreFound) {
  const auto r = compared(right());
  ASSERT_TRUE(r) << r.error().text();
  EXPECT_FALSE(r->first);
  ASSERT_EQ(r->items.size(), 3u) << "the input is given, not compared";
  EXPECT_EQ(r->items[0].socket.node, "conv_1");
  EXPECT_EQ(r->items[0].tensor, "module.layer1.0.conv1");
  EXPECT_TRUE(r->unmatched.empty());
  EXPECT_TRUE(r->examples.empty());
  EXPECT_TRUE(r->items[0].made.empty()) << "nobody asked for them";
}

TEST(DumpComparison, TheFirstIsNamedAndTheRestInherit) {
  Dump dump = right();
  dump["act"] = floats({2, 0, 0, 0, 10, 12});  // as if dropout had hit one
  dump["last"] = floats({6, 0, 0, 0, 30, 36});
  const auto r = compared(dump);
  ASSERT_TRUE(r) << r.error().text();
  ASSERT_TRUE(r->first);
  EXPECT_EQ(r->items[*r->first].socket.node, "act");
  EXPECT_TRUE(r->items.back().inherited);
  EXPECT_FALSE(r->items.back().diverges);
}

TEST(DumpComparison, AgreementBetweenTwoErrorsMakesTwo) {
  Dump dump = right();
  dump["module.layer1.0.conv1"] = floats({9, 9, 9, 9, 9, 9});
  dump["last"] = floats({1, 1, 1, 1, 1, 1});
  const auto r = compared(dump);
  ASSERT_TRUE(r) << r.error().text();
  EXPECT_TRUE(r->items[0].diverges);
  EXPECT_TRUE(r->items[2].diverges) << "what it is made of agrees";
}

TEST(DumpComparison, MapsNotedAndWrong) {
  Dump dump{{"x", floats({1, -2, 3, -4, 5, 6})},
            {"something", floats({6, 0, 18, 0, 30, 36})},
            {"else", floats({0, 0, 0, 0, 0, 0})}};
  DumpOptions options;
  options.names = {{"something", "last.y"}};
  const auto r = compared(dump, options);
  ASSERT_TRUE(r) << r.error().text();
  ASSERT_EQ(r->items.size(), 1u);
  EXPECT_EQ(r->items[0].match, DumpMatch::map);
  EXPECT_FALSE(r->first);
  EXPECT_THAT(r->unmatched, ElementsAre(Pair("else", ""))) << "two wires have its sizes";
  options.names = {{"something", "nowhere"}};
  const auto wrong = compared(dump, options);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, codes::unknown_socket);
  options.names = {{"something", "last.y"}, {"else", "last"}};
  const auto twice = compared(dump, options);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, codes::bad_usage);
}

// A module of several operators, named after it, and of a module in it that makes what leaves.
TEST(DumpComparison, AModuleIsHeldAgainstWhatLeavesIt) {
  const auto named = [](Node n, const char* name) {
    n.name = name;
    return AddNode{std::move(n)};
  };
  const std::vector<double> shape{2, 3}, turned{1, 0};
  const Graph graph =
      built({AddNode{node("x", "input", {{"shape", shape}, {"axes", std::string()}})},
             named(node("turn", "transpose", {{"axes", turned}}), "head"), named(node("inside", "relu"), "block"),
             named(node("made", "neg"), "block.norm"), AddLink{link("x.y", "turn.x")}, AddLink{link("x.y", "inside.x")},
             AddLink{link("inside.y", "made.x")}});
  FileAssets assets("");
  const Dump dump{{"x", floats({1, -2, 3, -4, 5, 6})},
                  {"head", floats({1, -2, 3, -4, 5, 6})},
                  {"block", floats({-1, 0, -3, 0, -5, -6})},
                  {"block.norm", floats({-1, 0, -3, 0, -5, -6})}};
  const auto r = compare_with_dump(graph, assets, *make_device("cpu"), dump, {});
  ASSERT_TRUE(r) << r.error().text();
  EXPECT_FALSE(r->first) << r->items[r->first.value_or(0)].tensor;
  EXPECT_EQ(r->items.size(), 2u) << "the Transpose has other sizes than the module";
  EXPECT_THAT(r->unmatched, ElementsAre(Pair("head", HasSubstr("[2, 3]")))) << "and the sizes of both are said";
}

TEST(DumpComparison, OtherSizesAreSaid) {
  Dump dump = right();
  dump["last"] = Tensor::from_f32(DType::f32, {3, 2}, std::vector<float>{6, 0, 18, 0, 30, 36});
  const auto r = compared(dump);
  ASSERT_TRUE(r) << r.error().text();
  ASSERT_TRUE(r->first);
  EXPECT_NE(r->items[*r->first].note.find("[2, 3] beside [3, 2]"), std::string::npos);
}

// An import gives nodes the names of modules: ids are others.
TEST(DumpComparison, AModuleOfAnotherNumberOfElementsDiverges) {
  Dump dump = right();
  dump["module.layer1.0.conv1"] = Tensor::from_f32(DType::f32, {1, 3}, std::vector<float>{2, -4, 6});
  dump["act"] = dump["last"] = floats({1, 1, 1, 1, 1, 1});
  const auto r = compared(dump);
  ASSERT_TRUE(r) << r.error().text();
  ASSERT_TRUE(r->first);
  EXPECT_EQ(r->items[*r->first].socket.node, "conv_1");
  EXPECT_THAT(r->items[*r->first].note, HasSubstr("[2, 3] beside [1, 3]"));
  EXPECT_TRUE(r->unmatched.empty());
}

TEST(DumpComparison, AnInputThatItLacksHadTheExampleOfTheGraph) {
  Dump dump = right();
  dump.erase("x");
  const auto r = compared(dump);
  ASSERT_TRUE(r) << r.error().text();
  EXPECT_TRUE(r->first);
  EXPECT_THAT(r->examples, ElementsAre("x"));
}

/// x, of any rows N and 3 columns → linear.
Result<DumpReport> of_a_layer(const Dims& given, const Dims& made) {
  const Graph graph =
      built({AddNode{node("x", "input", {{"shape", std::vector<double>{1, 3}}})},
             AddNode{node("fc", "linear", {{"out_features", int64_t{2}}})}, AddLink{link("x.y", "fc.x")}});
  FileAssets assets("");
  return compare_with_dump(graph, assets, *make_device("cpu"),
                           {{"x", Tensor(DType::f32, given)}, {"fc", Tensor(DType::f32, made)}}, {});
}

TEST(DumpComparison, AnInputOfOtherSizesIsAnError) {
  for (const Dims& wrong : {Dims{3}, Dims{}, Dims{1, 1, 3}, Dims{1, 4}, Dims{3, 1}}) {
    const auto r = of_a_layer(wrong, {1, 2});
    ASSERT_FALSE(r) << to_string(wrong);
    EXPECT_EQ(r.error().code, codes::size_mismatch);
    EXPECT_EQ(r.error().where, "x");
    EXPECT_THAT(r.error().reason, HasSubstr(to_string(wrong)));
    EXPECT_FALSE(r.error().remedy.empty());
  }
}

TEST(DumpComparison, SymbolicAxesHaveTheSizeOfTheDump) {
  const auto r = of_a_layer({5, 3}, {5, 2});
  ASSERT_TRUE(r) << r.error().text();
  ASSERT_EQ(r->items.size(), 1u);
  EXPECT_EQ(r->items[0].dims, (Dims{5, 2}));
}

TEST(DumpComparison, ANodeThatTheSizesOfTheDumpDoNotFitIsNamed) {
  const Graph graph =
      built({AddNode{node("x", "input", {{"shape", std::vector<double>{1, 3}}})},
             AddNode{node("flat", "reshape", {{"shape", std::vector<double>{1, 3}}})}, AddLink{link("x.y", "flat.x")}});
  FileAssets assets("");
  const Tensor two(DType::f32, {2, 3});
  const auto r = compare_with_dump(graph, assets, *make_device("cpu"), {{"x", two}, {"flat", two}}, {});
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().where, "flat");
}

TEST(DumpComparison, NothingThatTheGraphComputesIsAnError) {
  DumpOptions options;
  options.where = "dump.npz";
  const auto r = compared({{"x", floats({1, -2, 3, -4, 5, 6})}}, options);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().code, codes::file_syntax);
  EXPECT_EQ(r.error().where, "dump.npz");
}

TEST(DumpComparison, TheWorstElementAndSmallTensorsAreKept) {
  Dump dump = right();
  dump["last"] = floats({6, 0, 18, 0, 30.5, 36.25});
  DumpOptions options;
  options.keep_up_to = 6;
  const auto r = compared(dump, options);
  ASSERT_TRUE(r) << r.error().text();
  const DumpItem& last = r->items.back();
  ASSERT_TRUE(last.worst);
  EXPECT_EQ(last.worst->index, 4);
  EXPECT_EQ(last.worst->made, 30);
  EXPECT_EQ(last.worst->wanted, 30.5);
  EXPECT_FALSE(r->items[0].worst);
  EXPECT_EQ(last.made.to_f64()[5], 36);
  EXPECT_EQ(last.wanted.to_f64()[5], 36.25);
}

TEST(DumpComparison, EachOutputOfANodeIsJudged) {
  const Graph graph = built({AddNode{node("x", "input", {{"shape", std::vector<double>{2, 3}}})},
                             AddNode{node("best", "top_k", {{"k", int64_t{1}}})}, AddLink{link("x.y", "best.x")}});
  FileAssets assets("");
  const Dump dump{{"x", floats({1, -2, 3, -4, 5, 6})},
                  {"best.values", Tensor::from_f32(DType::f32, {2, 1}, std::vector<float>{4, 6})},
                  {"best.indices", Tensor::from_f64(DType::i64, {2, 1}, std::vector<double>{2, 1})}};
  const auto r = compare_with_dump(graph, assets, *make_device("cpu"), dump, {});
  ASSERT_TRUE(r) << r.error().text();
  ASSERT_EQ(r->items.size(), 2u);
  EXPECT_TRUE(r->items[0].diverges);
  EXPECT_TRUE(r->items[1].diverges);
}

/// x → blocks_2 (x → relu → y, and the negated x as z above it) → last.
Graph with_group() {
  Group group{"unit", "Unit", {}, {}, ""};
  Node z = node("z", "output");
  z.y = -100;
  group.graph = built({AddNode{node("x", "input")}, AddNode{node("relu", "relu")}, AddNode{node("neg", "neg")},
                       AddNode{node("y", "output")}, AddNode{z}, AddLink{link("x.y", "relu.x")},
                       AddLink{link("x.y", "neg.x")}, AddLink{link("relu.y", "y.x")}, AddLink{link("neg.y", "z.x")}});
  return flatten(
      built({SetGroup{group}, AddNode{node("x", "input", {{"shape", std::vector<double>{2, 3}}})},
             AddNode{node("blocks_2", "group:unit")}, AddNode{node("last", "add")}, AddLink{link("x.y", "blocks_2.x")},
             AddLink{link("blocks_2.y", "last.a")}, AddLink{link("blocks_2.z", "last.b")}}));
}

TEST(DumpComparison, AGroupHasTheNameOfItsModule) {
  FileAssets assets("");
  const Dump dump{{"x", floats({1, -2, 3, -4, 5, 6})},
                  {"blocks.2", floats({-1, 2, -3, 4, -5, -6})},
                  {"blocks.2.y", floats({1, 0, 3, 0, 5, 6})},
                  {"blocks_2/x", floats({0, 0, 0, 0, 0, 0})}};
  const auto r = compare_with_dump(with_group(), assets, *make_device("cpu"), dump, {});
  ASSERT_TRUE(r) << r.error().text();
  ASSERT_EQ(r->items.size(), 3u) << "what a group is given is compared, not given to it";
  std::map<std::string, const DumpItem*> by_tensor;
  for (const DumpItem& item : r->items) by_tensor[item.tensor] = &item;
  EXPECT_EQ(by_tensor.at("blocks.2")->socket.node, "blocks_2/z") << "its first output, as its interface lists them";
  EXPECT_EQ(by_tensor.at("blocks.2")->match, DumpMatch::name);
  EXPECT_EQ(by_tensor.at("blocks.2.y")->socket.node, "blocks_2/y");
  EXPECT_TRUE(by_tensor.at("blocks_2/x")->diverges);
}

// Used on x, then on what relu makes of x; the second use comes first in the order of the graph where it waits for
// less.
TEST(DumpComparison, ALayerThatIsUsedTwiceIsHeldAgainstItsLastUse) {
  Node first = node("fc", "linear", {{"out_features", int64_t{3}}}), second = first;
  first.name = "fc";
  second.id = "fc_2";
  second.tie = "fc";
  const Graph graph =
      built({AddNode{node("x", "input", {{"shape", std::vector<double>{2, 3}}})}, AddNode{node("act", "relu")},
             AddNode{node("more", "relu")}, AddNode{first}, AddNode{second}, AddNode{node("y", "output")},
             AddNode{node("z", "output")}, AddLink{link("x.y", "act.x")}, AddLink{link("act.y", "more.x")},
             AddLink{link("more.y", "fc.x")}, AddLink{link("x.y", "fc_2.x")}, AddLink{link("fc.y", "y.x")},
             AddLink{link("fc_2.y", "z.x")}});
  FileAssets assets("");
  const Dump dump{{"x", floats({1, -2, 3, -4, 5, 6})}, {"fc", floats({0, 0, 0, 0, 0, 0})}};
  const auto r = compare_with_dump(graph, assets, *make_device("cpu"), dump, {});
  ASSERT_TRUE(r) << r.error().text();
  ASSERT_EQ(r->items.size(), 1u);
  EXPECT_EQ(r->items[0].socket.node, "fc_2");
}

// A model in a wrapper: the wrapper's only module has the name of a node in it.
TEST(DumpComparison, TheModuleThatAllOthersAreInMakesTheOutput) {
  Node inner = node("model", "relu"), head = node("head", "neg");
  inner.name = "model.model";
  head.name = "model.head";
  const Graph graph = built({AddNode{node("x", "input", {{"shape", std::vector<double>{2, 3}}})}, AddNode{inner},
                             AddNode{head}, AddNode{node("y", "output")}, AddLink{link("x.y", "model.x")},
                             AddLink{link("model.y", "head.x")}, AddLink{link("head.y", "y.x")}});
  const Tensor made = floats({-1, 0, -3, 0, -5, -6});
  FileAssets assets("");
  const Dump dump{{"x", floats({1, -2, 3, -4, 5, 6})},
                  {"model", made},
                  {"model.head", made},
                  {"model.model", floats({1, 0, 3, 0, 5, 6})}};
  const auto r = compare_with_dump(graph, assets, *make_device("cpu"), dump, {});
  ASSERT_TRUE(r) << r.error().text();
  ASSERT_EQ(r->items.size(), 3u);
  for (const DumpItem& item : r->items) {
    EXPECT_FALSE(item.diverges) << item.tensor;
    EXPECT_EQ(item.socket.node, item.tensor == "model.model" ? "model" : "head");
  }
}

// fc → SiLU, as an exporter writes it: Sigmoid and Mul of one name, all in "block".
TEST(DumpComparison, AModuleOfSeveralOperatorsIsWhatLeavesThem) {
  Node fc = node("fc", "relu"), sigmoid = node("n1", "sigmoid"), mul = node("n2", "mul");
  fc.name = "block.fc";
  sigmoid.name = mul.name = "block.act";
  const Graph graph =
      built({AddNode{node("x", "input", {{"shape", std::vector<double>{2, 3}}})}, AddNode{fc}, AddNode{sigmoid},
             AddNode{mul}, AddNode{node("y", "output")}, AddLink{link("x.y", "fc.x")}, AddLink{link("fc.y", "n1.x")},
             AddLink{link("fc.y", "n2.a")}, AddLink{link("n1.y", "n2.b")}, AddLink{link("n2.y", "y.x")}});
  const Tensor silu = floats({0.7310586f, 0, 2.8577224f, 0, 4.9665356f, 5.9851643f});
  Dump dump{{"x", floats({1, -2, 3, -4, 5, 6})},
            {"block.fc", floats({1, 0, 3, 0, 5, 6})},
            {"block.act", silu},
            {"block", silu}};
  FileAssets assets("");
  const auto r = compare_with_dump(graph, assets, *make_device("cpu"), dump, {});
  ASSERT_TRUE(r) << r.error().text();
  EXPECT_FALSE(r->first);
  EXPECT_TRUE(r->unmatched.empty());
  ASSERT_EQ(r->items.size(), 3u);
  EXPECT_EQ(r->items[1].socket.node, "n2");
  EXPECT_EQ(r->items[2].socket.node, "n2") << "the block hands on what its last module makes";

  dump["block"] = dump["block.act"] = floats({0.7f, 0, 2.8577224f, 0, 4.9665356f, 5.9851643f});
  const auto off = compare_with_dump(graph, assets, *make_device("cpu"), dump, {});
  ASSERT_TRUE(off && off->first);
  EXPECT_EQ(off->items[*off->first].socket.node, "n2");
}

// The module hands on [2, 3] and [2, 1], of which the graph computes the other: what is made of it agrees.
TEST(DumpComparison, AnotherOutputOfAModuleIsNoDivergence) {
  Node last = node("best", "top_k", {{"k", int64_t{1}}});
  last.name = "rnn";
  const Graph graph =
      built({AddNode{node("x", "input", {{"shape", std::vector<double>{2, 3}}})}, AddNode{last},
             AddNode{node("head", "neg")}, AddLink{link("x.y", "best.x")}, AddLink{link("best.values", "head.x")}});
  Dump dump{{"x", floats({1, -2, 3, -4, 5, 6})},
            {"rnn", floats({0, 0, 0, 0, 0, 0})},
            {"head", Tensor::from_f32(DType::f32, {2, 1}, std::vector<float>{-3, -6})}};
  FileAssets assets("");
  const auto r = compare_with_dump(graph, assets, *make_device("cpu"), dump, {});
  ASSERT_TRUE(r) << r.error().text();
  EXPECT_FALSE(r->first);
  EXPECT_THAT(r->unmatched, ElementsAre(Pair("rnn", AllOf(HasSubstr("[2, 3]"), HasSubstr("best makes [2, 1]")))));

  dump["head"] = Tensor::from_f32(DType::f32, {2, 1}, std::vector<float>{3, 6});
  const auto off = compare_with_dump(graph, assets, *make_device("cpu"), dump, {});
  ASSERT_TRUE(off && off->first);
  EXPECT_EQ(off->items[*off->first].socket.node, "best") << "nothing behind it agrees";
}

// PyTorch's older exporter numbers the uses of one module.
TEST(DumpComparison, ANumberedUseIsOfTheModuleThatTheDumpHas) {
  Node first = node("one", "relu"), second = node("two", "neg"), other = node("three", "abs");
  first.name = "block.act";
  second.name = "block.act_1";
  other.name = "block.act_2";
  const Graph graph = built({AddNode{node("x", "input", {{"shape", std::vector<double>{2, 3}}})}, AddNode{first},
                             AddNode{second}, AddNode{other}, AddLink{link("x.y", "one.x")},
                             AddLink{link("one.y", "two.x")}, AddLink{link("two.y", "three.x")}});
  const Dump dump{{"x", floats({1, -2, 3, -4, 5, 6})},
                  {"block.act", floats({-1, 0, -3, 0, -5, -6})},
                  {"block.act_2", floats({1, 0, 3, 0, 5, 6})}};
  FileAssets assets("");
  const auto r = compare_with_dump(graph, assets, *make_device("cpu"), dump, {});
  ASSERT_TRUE(r) << r.error().text();
  EXPECT_FALSE(r->first);
  ASSERT_EQ(r->items.size(), 2u);
  EXPECT_EQ(r->items[0].socket.node, "two");
  EXPECT_EQ(r->items[1].socket.node, "three") << "a module of its own";
}

// x → scale → unit (relu) → y, all in "model": what the group is given does not leave the model.
TEST(DumpComparison, NodesOfAGroupAreOfTheModuleThatItIs) {
  Group group{"unit", "Unit", {}, {}, ""};
  group.graph = built({AddNode{node("x", "input")}, AddNode{node("relu", "relu")}, AddNode{node("y", "output")},
                       AddLink{link("x.y", "relu.x")}, AddLink{link("relu.y", "y.x")}});
  Node scale = node("scale", "neg"), unit = node("unit", "group:unit");
  scale.name = "model";
  unit.name = "model.unit";
  const Graph graph =
      flatten(built({SetGroup{group}, AddNode{node("x", "input", {{"shape", std::vector<double>{2, 3}}})},
                     AddNode{scale}, AddNode{unit}, AddNode{node("last", "exp")}, AddLink{link("x.y", "scale.x")},
                     AddLink{link("scale.y", "unit.x")}, AddLink{link("unit.y", "last.x")}}));
  const Dump dump{{"x", floats({1, -2, 3, -4, 5, 6})}, {"model", floats({0, 2, 0, 4, 0, 0})}};
  FileAssets assets("");
  const auto r = compare_with_dump(graph, assets, *make_device("cpu"), dump, {});
  ASSERT_TRUE(r) << r.error().text();
  EXPECT_FALSE(r->first);
  ASSERT_EQ(r->items.size(), 1u);
  EXPECT_EQ(r->items[0].socket.node, "unit/y");
}

}  // namespace
}  // namespace hw::test::dump_comparison_test
