// What is said of a tensor of a dump that is off: channels last, narrow dtypes, operators in place.
#include "engine/compare/dump_hints.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "engine/compare/dump_comparison.h"
#include "engine/devices/devices.h"
#include "engine/io/asset/assets.h"
#include "tests/engine/graph_builder.h"

namespace hw::test {
namespace {

using ::testing::HasSubstr;

TEST(DumpHints, ChannelsLastAreSeenThoughSizesAreThoseOfTheWire) {
  for (const Dims& wire : {Dims{2, 3, 4}, Dims{2, 3, 3, 3}, Dims{1, 2, 3, 4, 5}}) {
    std::vector<double> made(static_cast<size_t>(element_count(wire)));
    std::iota(made.begin(), made.end(), 1.0);
    std::vector<double> turned(made.size());
    const size_t channels = static_cast<size_t>(wire[1]);
    const size_t places = made.size() / channels / static_cast<size_t>(wire[0]);
    for (size_t i = 0; i < made.size(); ++i)
      turned[(i / places / channels * places + i % places) * channels + i / places % channels] = made[i];
    Dims last = wire;
    last.erase(last.begin() + 1);
    last.push_back(wire[1]);
    EXPECT_TRUE(has_channels_last(last, wire));
    const Tensor a = Tensor::from_f64(DType::f32, wire, made), b = Tensor::from_f64(DType::f32, last, turned);
    EXPECT_THAT(hint_of(a, b, 1000, 1e-3), HasSubstr("channels read as the last axis it agrees"));
    turned[0] += 10;
    EXPECT_EQ(hint_of(a, Tensor::from_f64(DType::f32, last, turned), 1000, 1e-3), "");
  }
  EXPECT_FALSE(has_channels_last({2, 3}, {2, 3}));
}

TEST(DumpHints, WhatADtypeRoundsIsNamedWithTheOptionThatAllowsIt) {
  const Tensor narrow = Tensor::zeros(DType::bf16, {4}), wide = Tensor::zeros(DType::f32, {4});
  EXPECT_THAT(hint_of(narrow, wide, 8, 1e-3),
              HasSubstr("within what bf16 rounds (on the command line: --relative 0.016 allows it)"));
  EXPECT_EQ(hint_of(narrow, wide, 20, 1e-3), "");
  EXPECT_EQ(hint_of(narrow, wide, INFINITY, 1e-3), "");
  EXPECT_EQ(hint_of(narrow, wide, 1e5, 0), "");
  EXPECT_EQ(hint_of(wide, wide, 1.5, 1e-3), "");
}

/// fc → relu, of which the dump has the numbers after the relu twice.
TEST(DumpHints, AnOperatorInPlaceIsSuspectedWhereTwoTensorsAreTheSame) {
  const Graph g =
      built({AddNode{node("x", "input", {{"shape", std::vector<double>{1, 3}}})}, AddNode{node("neg", "neg")},
             AddNode{node("act", "relu")}, AddLink{link("x.y", "neg.x")}, AddLink{link("neg.y", "act.x")}});
  const auto floats = [](const std::vector<float>& values) { return Tensor::from_f32(DType::f32, {1, 3}, values); };
  FileAssets assets("");
  const Dump dump{{"x", floats({1, -2, 3})}, {"neg", floats({0, 2, 0})}, {"act", floats({0, 2, 0})}};
  const auto r = compare_with_dump(g, assets, *make_device("cpu"), dump, {});
  ASSERT_TRUE(r) << r.error().text();
  ASSERT_TRUE(r->first);
  EXPECT_EQ(r->items[*r->first].socket.node, "neg");
  EXPECT_THAT(r->items[*r->first].note, HasSubstr("the same numbers as \"act\", which agrees"));
}

TEST(DumpHints, AnInputWithItsChannelsLastHasAHintHowToTurnIt) {
  const Graph g = built(
      {AddNode{node("x", "input", {{"shape", std::vector<double>{1, 3, 4, 5}}, {"axes", std::string("N C H W")}})},
       AddNode{node("act", "relu")}, AddLink{link("x.y", "act.x")}});
  FileAssets assets("");
  const Dump dump{{"x", Tensor(DType::f32, {1, 4, 5, 3})}, {"act", Tensor(DType::f32, {1, 3, 4, 5})}};
  const auto r = compare_with_dump(g, assets, *make_device("cpu"), dump, {});
  ASSERT_FALSE(r);
  EXPECT_THAT(r.error().remedy, HasSubstr("channels are the last axis"));
}

}  // namespace
}  // namespace hw::test
