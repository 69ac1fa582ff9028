// The blocks that come with Halfwire: each file is valid alone and in a graph, has right gradients, and devices agree
// on it. A new file is tested by lying there.
#include <gtest/gtest.h>

#include <filesystem>

#include "engine/compare/parity.h"
#include "engine/gradient/grad_check.h"
#include "engine/graph/groups/block.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/groups/group_interface.h"
#include "engine/io/graph/graph_file.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/io_temp.h"
#include "tests/engine/quad_subject.h"

namespace hw {
namespace {

namespace fs = std::filesystem;
using test::link;
using test::node;

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(HALFWIRE_BLOCKS)) names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

class Blocks : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    auto read = read_graph(fs::path(HALFWIRE_BLOCKS) / (GetParam() + ".halfwire"));
    ASSERT_TRUE(read) << read.error().text();
    file_ = *std::move(read);
    const auto block = block_of(file_);
    ASSERT_TRUE(block) << block.error().text();
    group_ = *block;
  }

  /// The file with the block's outputs compared with numbers by chance, in training.
  Graph trained() const {
    Graph graph = file_;
    Validator types;
    types.reset(flatten(graph));
    std::vector<std::string> losses;
    for (const auto& [id, end] : file_.nodes()) {
      if (end.type != "output") continue;
      std::vector<double> sizes;
      for (const int64_t size : types.output_type(id, "y")->shape.dims()) sizes.push_back(static_cast<double>(size));
      EXPECT_TRUE(
          apply_edits(graph, {AddNode{test::normal_numbers("target_" + id, sizes, "")},
                              AddNode{node("mse_" + id, "mse")}, AddLink{link(id + ".y", "mse_" + id + ".prediction")},
                              AddLink{link("target_" + id + ".y", "mse_" + id + ".target")}}));
      losses.push_back("mse_" + id + ".loss");
    }
    EXPECT_EQ(losses.size(), 1u) << "a second output wants a sum of losses here";
    EXPECT_TRUE(apply_edits(graph, {AddNode{node("train", "train")}, AddLink{link(losses.front(), "train.loss")}}));
    return graph;
  }

  Graph file_;
  const Group* group_ = nullptr;
};

TEST_P(Blocks, IsValidAlone) {
  EXPECT_EQ(test::problems(flatten(file_)), "");
  Validator types;
  types.reset(flatten(file_));
  for (const auto& [id, end] : file_.nodes()) EXPECT_TRUE(end.type != "output" || types.output_type(id, "y")) << id;
}

TEST_P(Blocks, SaysWhatItIs) {
  EXPECT_EQ(group_->id, GetParam()) << "found by its file's name";
  const NodeDecl decl = interface_of(file_, *group_);
  EXPECT_FALSE(group_->title.empty());
  EXPECT_FALSE(decl.summary().empty());
  EXPECT_NE(group_->description.find("Source: "), std::string::npos);
  EXPECT_FALSE(group_->keywords.empty());
  EXPECT_FALSE(group_->category.empty());
  EXPECT_FALSE(decl.params().empty());
  for (const PromotedParam& promoted : group_->params)
    EXPECT_TRUE(declared_param(file_, *group_, promoted)) << promoted.node << "." << promoted.param;
}

TEST_P(Blocks, IsWrittenAsItLies) {
  EXPECT_EQ(test::read_bytes(fs::path(HALFWIRE_BLOCKS) / (GetParam() + ".halfwire")), write_graph(file_))
      << "save it with Halfwire";
}

TEST_P(Blocks, CardsDoNotCoverEachOther) {
  constexpr double width = 216, header = 32;  // canvas units; a card is at least so large
  for (const auto& [a, one] : group_->graph.nodes())
    for (const auto& [b, other] : group_->graph.nodes())
      EXPECT_FALSE(a < b && std::abs(one.x - other.x) < width && std::abs(one.y - other.y) < header)
          << a << " and " << b;
}

TEST_P(Blocks, FitsIntoAGraphTwice) {
  Graph graph;
  const auto adopted = adopt_block(graph, file_);
  ASSERT_TRUE(adopted) << adopted.error().text();
  ASSERT_TRUE(apply_edits(graph, adopted->edits));
  const auto again = adopt_block(graph, file_);
  EXPECT_TRUE(again && again->edits.empty() && again->group == adopted->group);
  Graph small = file_;  // two of them between the file's Inputs and Outputs
  Node second = *small.find(group_->id);
  second.id = "second";
  ASSERT_TRUE(apply_edits(small, {AddNode{second}}));
  Edits wires;
  for (const auto& [id, end] : file_.nodes())
    if (end.type == "input") wires.push_back(AddLink{{id, "y", "second", id}});
  ASSERT_TRUE(apply_edits(small, wires));
  EXPECT_EQ(test::problems(flatten(small)), "");
}

TEST_P(Blocks, GradientsAreRight) {
  const Graph graph = flatten(trained());
  ASSERT_EQ(test::problems(graph), "");
  const auto report = check_gradients(test::subject_of(graph), {});
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_TRUE(report->passed());
  for (const GradResult& r : report->results) {
    EXPECT_NE(r.verdict, GradVerdict::wrong) << r.block.name;
    EXPECT_NE(r.verdict, GradVerdict::zero) << r.block.name;
  }
}

TEST_P(Blocks, DevicesAgree) {
  test::QuadAssets assets;
  const auto ref = parity_device("ref"), cpu = parity_device("cpu");
  ASSERT_TRUE(ref && cpu);
  const auto report = parity(flatten(trained()), assets, *ref, *cpu, {});
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_FALSE(report->first) << report->items[report->first.value_or(0)].node;
}

INSTANTIATE_TEST_SUITE_P(Files, Blocks, ::testing::ValuesIn(names()), [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace hw
