// A graph beside tensors that another program wrote: matching, and the node that comes apart first.
#include "engine/compare/dump_comparison.h"

#include "engine/core/codes.h"
#include "engine/io/assets.h"
#include "tests/engine/graph_builder.h"

namespace hw::test {
namespace {

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
  EXPECT_EQ(r->unmatched, (std::vector<std::string>{"else"})) << "two wires have its sizes";
  options.names = {{"something", "nowhere"}};
  const auto wrong = compared(dump, options);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, codes::unknown_socket);
  options.names = {{"something", "last.y"}, {"else", "last"}};
  const auto twice = compared(dump, options);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, codes::bad_usage);
}

TEST(DumpComparison, OtherSizesAreSaid) {
  Dump dump = right();
  dump["last"] = Tensor::from_f32(DType::f32, {3, 2}, std::vector<float>{6, 0, 18, 0, 30, 36});
  const auto r = compared(dump);
  ASSERT_TRUE(r) << r.error().text();
  ASSERT_TRUE(r->first);
  EXPECT_NE(r->items[*r->first].note.find("[2, 3] beside [3, 2]"), std::string::npos);
}

}  // namespace
}  // namespace hw::test
