// Passes from the terminal: what they did is said, and each can be left out.
#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "engine/io/graph/graph_file.h"
#include "engine/io/tensor/npy.h"
#include "tests/cli/process.h"
#include "tests/engine/graph_builder.h"

namespace hw {
namespace {

using test::cli;
using test::link;
using test::node;
using test::Outcome;
using ::testing::HasSubstr;
using ::testing::Not;

class CliPasses : public testing::Test {
 protected:
  void SetUp() override {
    const Graph graph = test::built(
        {AddNode{node("x", "random", {{"shape", std::vector<double>{4, 2, 9, 8}}, {"axes", std::string("N C H W")}})},
         AddNode{node("conv", "conv2d", {{"out_channels", int64_t{3}}})}, AddNode{node("norm", "batch_norm")},
         AddNode{node("relu", "relu")}, AddLink{link("x.y", "conv.x")}, AddLink{link("conv.y", "norm.x")},
         AddLink{link("norm.y", "relu.x")}});
    ASSERT_TRUE(save_graph(graph, file_));
  }
  /// relu.y, run with these arguments.
  Outcome run(const std::vector<std::string>& more, const std::string& array) const {
    std::vector<std::string> all{"run", file_, "--output", "relu.y=" + (folder_ / array).string()};
    all.insert(all.end(), more.begin(), more.end());
    return cli(all);
  }
  const test::TempFolder folder_;
  const std::string file_ = (folder_ / "g.halfwire").string();
};

TEST_F(CliPasses, AreSaidAndLeftOut) {
  const Outcome with = run({}, "with.npy"), without = run({"--no-pass", "fold_batch_norm"}, "without.npy");
  ASSERT_EQ(with.exit, 0) << with.err;
  ASSERT_EQ(without.exit, 0) << without.err;
  EXPECT_THAT(with.err, HasSubstr("note: norm is computed in conv (fold_batch_norm)"));
  EXPECT_THAT(without.err, Not(HasSubstr("fold_batch_norm")));
  const auto a = read_npy(folder_ / "with.npy"), b = read_npy(folder_ / "without.npy");
  ASSERT_TRUE(a && b);
  const auto x = a->to_f64(), y = b->to_f64();
  ASSERT_EQ(x.size(), y.size());
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-5) << i;
  // The oracle computes what the graph says.
  EXPECT_THAT(run({"--device", "ref"}, "ref.npy").err, Not(HasSubstr("fold_batch_norm")));
  // A value that is asked for is there.
  EXPECT_THAT(run({"--output", "conv.y"}, "both.npy").err, Not(HasSubstr("fold_batch_norm")));
}

TEST_F(CliPasses, AnUnknownNameIsRefused) {
  const Outcome o = run({"--no-pass", "fold"}, "y.npy");
  EXPECT_EQ(o.exit, 2);
  EXPECT_THAT(o.err, HasSubstr(codes::bad_usage));
  EXPECT_THAT(o.err, HasSubstr("fold_batch_norm"));
}

}  // namespace
}  // namespace hw
