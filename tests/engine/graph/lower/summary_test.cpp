// The summary's figures, counted by hand.
#include "engine/graph/lower/summary.h"

#include <gtest/gtest.h>

#include "engine/graph/groups/flatten.h"
#include "engine/io/asset/assets.h"
#include "tests/engine/group_graphs.h"

namespace hw::test {
namespace {

NetworkSummary summary_of(const Graph& document) {
  const Graph flat = flatten(document);
  Validator validator;
  validator.reset(flat);
  FileAssets assets("");
  auto summary = summarise(flat, validator, assets);
  EXPECT_TRUE(summary) << (summary ? "" : summary.error().text());
  return summary ? std::move(*summary) : NetworkSummary{};
}

TEST(Summary, CountsProductsOfGroupsAtAnyDepth) {
  const NetworkSummary s = summary_of(grouped());
  // 64 rows. one: 3 → 8, then 8 → 8 three times; two: 8 → 8 three times, 8 → 5; head: 5 → 3.
  EXPECT_EQ(s.multiply_adds.at("one"), 64 * (24 + 3 * 64));
  EXPECT_EQ(s.multiply_adds.at("two/b/second"), 64 * 40);
  EXPECT_EQ(s.multiply_adds.at(""), 64 * (24 + 3 * 64 + 3 * 64 + 40 + 15));
  EXPECT_EQ(s.parameters.at("two/b/second").parameters, 45);
}

TEST(Summary, ConvolutionsCountTheirGroups) {
  const Graph g = built({AddNode{normal_numbers("x", {2, 6, 10, 10}, "N C H W")},
                         AddNode{node("conv", "conv2d",
                                      {{"out_channels", int64_t{4}},
                                       {"kernel_size", std::vector<double>{3}},
                                       {"stride", std::vector<double>{2}},
                                       {"groups", int64_t{2}}})},
                         AddLink{link("x.y", "conv.x")}});
  const NetworkSummary s = summary_of(g);
  EXPECT_EQ(s.multiply_adds.at(""), 2 * 4 * 5 * 5 * (6 / 2) * 9);
  EXPECT_EQ(s.nodes.back().path, "conv");
  ASSERT_EQ(s.nodes.back().outputs.size(), 1u);
  EXPECT_EQ(s.nodes.back().outputs[0].second.shape.dims(), (Dims{2, 4, 5, 5}));
  EXPECT_EQ(s.nodes.back().parameters.parameters, 4 * 3 * 9 + 4);
}

TEST(Summary, InputsComeBeforeWhatDependsOnThem) {
  const Graph flat = flatten(grouped());
  const NetworkSummary s = summary_of(grouped());
  ASSERT_EQ(s.nodes.size(), flat.nodes().size());
  std::set<std::string> seen;
  for (const NodeSummary& node : s.nodes) {
    for (const Link& link : flat.links_into(node.path)) EXPECT_TRUE(seen.contains(link.from)) << node.path;
    seen.insert(node.path);
  }
}

}  // namespace
}  // namespace hw::test
