// first-bad and the other instruments that only look, on graphs that have nothing to learn.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "engine/io/npy.h"
#include "tests/cli/process.h"

namespace hw {
namespace {

using nlohmann::json;
using test::cli;
using test::Outcome;
using test::TempFolder;
using ::testing::HasSubstr;
using ::testing::Not;

std::string written(const TempFolder& folder, const std::string& nodes, const std::string& links) {
  const std::string file = (folder / "g.halfwire").string();
  test::write_bytes(file, R"({"halfwire": 1, "nodes": [)" + nodes + R"(], "links": [)" + links + "]}");
  return file;
}

/// x f16 [4] → its square → mean → root; y = x ÷ root.
std::string normalised(const TempFolder& folder) {
  return written(folder, R"({"id": "x", "type": "input", "params": {"shape": [4], "dtype": "f16"}},
    {"id": "square", "type": "mul"}, {"id": "mean", "type": "mean"}, {"id": "root", "type": "sqrt"},
    {"id": "over", "type": "div"}, {"id": "y", "type": "output"})",
                 R"(["x.y", "square.a"], ["x.y", "square.b"], ["square.y", "mean.x"], ["mean.y", "root.x"],
    ["x.y", "over.a"], ["root.y", "over.b"], ["over.y", "y.x"])");
}

std::string saved(const TempFolder& folder, DType dtype, const std::vector<double>& numbers) {
  const std::string file = (folder / "x.npy").string();
  EXPECT_TRUE(save_npy(Tensor::from_f64(dtype, {static_cast<int64_t>(numbers.size())}, numbers), file));
  return file;
}

TEST(CliFirstBad, AnOverflowThatLeavesNoInfBehindWithoutATrainNodeOrParameters) {
  const TempFolder folder;
  const std::string graph = normalised(folder), x = saved(folder, DType::f16, {787.5, 2, 1, 0.5});
  const Outcome o = cli({"first-bad", graph, "--input", "x=" + x});
  EXPECT_EQ(o.exit, 1) << o.err;
  EXPECT_THAT(o.out, HasSubstr("first bad value: square.y of node square, in the forward pass of step 1"));
  EXPECT_THAT(o.out, HasSubstr("1 Inf, 0 NaN; the first is Inf at [0]"));
  EXPECT_THAT(o.out, HasSubstr("from x.y f16[4] at [0]: 787.5"));
  EXPECT_THAT(o.out, HasSubstr("Keep square … over in a wider dtype than f16"));
  EXPECT_THAT(o.out, HasSubstr("over.y is finite again, and wrong"));
  EXPECT_THAT(o.err, HasSubstr("HW-R003 at square"));
  const json j = json::parse(cli({"first-bad", graph, "--input", "x=" + x, "--json"}).out);
  EXPECT_EQ(j["first_bad_value"]["node"], "square");
  EXPECT_EQ(j["first_bad_value"]["index"], 0);
  EXPECT_TRUE(j["first_bad_value"]["replayed"].get<bool>());

  const Outcome clean = cli({"first-bad", graph, "--input", "x=" + saved(folder, DType::f16, {3, 2, 1, 0.5})});
  EXPECT_EQ(clean.exit, 0) << clean.err;
  EXPECT_THAT(clean.out, HasSubstr("no Inf or NaN in 1 step"));
  EXPECT_THAT(clean.err, Not(HasSubstr("stands in for a loss"))) << "nothing is added to what is looked at";
}

TEST(CliFirstBad, LooksWhereOnlyWholeNumbersComeOut) {
  const TempFolder folder;
  const std::string graph = written(folder, R"({"id": "x", "type": "input", "params": {"shape": [4]}},
    {"id": "log", "type": "log"}, {"id": "best", "type": "argmax", "params": {"axis": 0}},
    {"id": "index", "type": "output"})",
                                    R"(["x.y", "log.x"], ["log.y", "best.x"], ["best.y", "index.x"])");
  const Outcome o = cli({"first-bad", graph, "--input", "x=" + saved(folder, DType::f32, {1, 2, 0, 4})});
  EXPECT_EQ(o.exit, 1) << o.err;
  EXPECT_THAT(o.out, HasSubstr("first bad value: log.y of node log"));
}

TEST(CliFirstBad, ALargeFiniteOutputIsNotSquared) {
  const TempFolder folder;
  const std::string graph = written(folder, R"({"id": "x", "type": "input", "params": {"shape": [2]}},
    {"id": "neg", "type": "neg"}, {"id": "y", "type": "output"})",
                                    R"(["x.y", "neg.x"], ["neg.y", "y.x"])");
  EXPECT_EQ(cli({"first-bad", graph, "--input", "x=" + saved(folder, DType::f32, {1e30, 1})}).exit, 0);
}

/// p → log → mean → Train; `p`: the node that has the number, `value` its socket.
std::string trained(const TempFolder& folder, const std::string& p) {
  return written(folder, p + R"(, {"id": "log", "type": "log"}, {"id": "mean", "type": "mean"},
    {"id": "train", "type": "train", "params": {"steps": 3}})",
                 R"(["p.y", "log.x"], ["log.y", "mean.x"], ["mean.y", "train.loss"])");
}

TEST(CliFirstBad, ATrainNodeThatNothingLearnsFor) {
  const TempFolder folder;
  for (const char* p :
       {R"({"id": "p", "type": "constant", "params": {"shape": [2], "value": 0.0}})",
        R"({"id": "p", "type": "parameter", "frozen": true, "params": {"shape": [2], "init": "zeros"}})"}) {
    const std::string graph = trained(folder, p);
    const Outcome o = cli({"first-bad", graph});
    EXPECT_EQ(o.exit, 1) << p;
    EXPECT_THAT(o.out, HasSubstr("first bad value: log.y of node log, in the forward pass of step 1")) << o.err;
    const Outcome seen = cli({"xray", graph});
    EXPECT_EQ(seen.exit, 0) << seen.err;
    EXPECT_THAT(seen.out, HasSubstr("training mode"));
    EXPECT_THAT(cli({"train", graph, "--out", (folder / "out").string()}).err, HasSubstr("HW-G006")) << p;
  }
  const std::string sound =
      trained(folder, R"({"id": "p", "type": "constant", "params": {"shape": [2], "value": 1.0}})");
  EXPECT_THAT(cli({"first-bad", sound}).out, HasSubstr("no Inf or NaN in 3 steps"));
  EXPECT_THAT(cli({"first-bad", sound, "--steps", "2"}).out, HasSubstr("no Inf or NaN in 2 steps"));
}

TEST(CliFirstBad, AnInterruptEndsTheLookingAndIsTold) {
  const TempFolder folder;
  const Outcome o = test::cli_interrupted({"first-bad", normalised(folder), "--steps", "1000000000"});
  EXPECT_EQ(o.exit, 128 + SIGINT) << o.err;
  EXPECT_THAT(o.out, HasSubstr("stopped: no Inf or NaN in"));
}

}  // namespace
}  // namespace hw
