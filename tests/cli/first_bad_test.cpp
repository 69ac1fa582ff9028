// first-bad and the other instruments that only look, on graphs that have nothing to learn.
#include <gmock/gmock.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "engine/io/tensor/npy.h"
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

// What is given or drawn is bad itself: no op and no learning rate is at fault.
TEST(CliFirstBad, WhatIsReadIsNotBlamedOnTheOpThatReadsIt) {
  const TempFolder folder;
  const double kNaN = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
  const std::string graph = normalised(folder);
  const Outcome nan = cli({"first-bad", graph, "--input", "x=" + saved(folder, DType::f16, {3, kNaN, 1, 0.5})});
  EXPECT_EQ(nan.exit, 1);
  EXPECT_THAT(nan.err, HasSubstr("HW-R003 at x: NaN at [1] of x.y f16[4] was read, not computed"));
  EXPECT_THAT(nan.err, HasSubstr("x.y, as given, holds 0 Inf and 1 NaN; the first is at [1]."));
  EXPECT_THAT(nan.err, Not(HasSubstr("learning rate")));
  // An Inf may be meant, as in a mask: it is reported beside the op that makes a NaN of it.
  const Outcome inf = cli({"first-bad", graph, "--input", "x=" + saved(folder, DType::f16, {3, kInf, 1, 0.5})});
  EXPECT_EQ(inf.exit, 1);
  EXPECT_THAT(inf.err, HasSubstr("HW-R003 at over: div made NaN"));
  EXPECT_THAT(inf.err, HasSubstr("x.y, as given, holds 1 Inf and 0 NaN; the first is at [1]."));
}

// A label that is ignored picks from outside of the axis, which is left out; where all are, the mean is 0 / 0.
TEST(CliFirstBad, WhatIsLeftOutIsNoFaultAndRemediesFitTheOp) {
  const TempFolder folder;
  const auto looked_at = [&](const std::string& ignores, const std::vector<double>& labels) {
    const std::string graph =
        written(folder,
                R"({"id": "x", "type": "input", "params": {"shape": [4, 3]}},
    {"id": "t", "type": "input", "params": {"shape": [4], "axes": "N", "dtype": "i64"}},
    {"id": "l", "type": "linear", "params": {"out_features": 3}},
    {"id": "loss", "type": "cross_entropy", "params": {"ignores": )" +
                    ignores + R"(}}, {"id": "train", "type": "train"})",
                R"(["x.y", "l.x"], ["l.y", "loss.logits"], ["t.y", "loss.labels"], ["loss.loss", "train.loss"])");
    EXPECT_TRUE(save_npy(Tensor::zeros(DType::f32, {4, 3}), folder / "x4.npy"));
    EXPECT_TRUE(save_npy(Tensor::from_f64(DType::i64, {4}, labels), folder / "t4.npy"));
    return cli({"first-bad", graph, "--input", "x=" + (folder / "x4.npy").string(), "--input",
                "t=" + (folder / "t4.npy").string()});
  };
  EXPECT_EQ(looked_at("true", {-100, 0, 1, 2}).exit, 0);
  const Outcome none = looked_at("true", {-100, -100, -100, -100});
  EXPECT_EQ(none.exit, 1);
  EXPECT_THAT(none.err, HasSubstr("HW-R003 at loss: div made NaN"));
  EXPECT_THAT(none.err, HasSubstr("nothing is left to average"));
  const Outcome outside = looked_at("false", {0, 1, 2, 7});
  EXPECT_EQ(outside.exit, 1);
  EXPECT_THAT(outside.err, HasSubstr("HW-R003 at loss: gather_elements made NaN at [3]"));
  EXPECT_THAT(outside.err, HasSubstr("An index lies outside the axis"));
}

TEST(CliFirstBad, SamplesThatHoldNaNAreReportedOfEachSplit) {
  const TempFolder folder;
  const auto save = [&](const char* name, int64_t rows, int64_t bad, double value) {
    Tensor x = Tensor::zeros(DType::f32, {rows, 2});
    x.as<float>()[2 * bad + 1] = static_cast<float>(value);
    EXPECT_TRUE(save_npy(x, folder / ("x_" + std::string(name) + ".npy")));
    EXPECT_TRUE(save_npy(Tensor::zeros(DType::i64, {rows}), folder / ("y_" + std::string(name) + ".npy")));
  };
  save("train", 8, 3, std::numeric_limits<double>::quiet_NaN());
  save("test", 6, 5, std::numeric_limits<double>::infinity());
  const std::string graph =
      written(folder, R"({"id": "data", "type": "dataset_source", "params": {"path": ".", "sample": [2], "classes": 2}},
    {"id": "b", "type": "batch", "params": {"batch_size": 8}}, {"id": "l", "type": "linear", "params": {"out_features": 2}},
    {"id": "loss", "type": "cross_entropy"}, {"id": "acc", "type": "accuracy"}, {"id": "train", "type": "train"})",
              R"(["data.data", "b.data"], ["b.x", "l.x"], ["l.y", "loss.logits"], ["b.labels", "loss.labels"],
    ["loss.loss", "train.loss"], ["l.y", "acc.logits"], ["b.labels", "acc.labels"])");
  const std::string out = (folder / "out").string();
  const Outcome first = cli({"first-bad", graph});
  EXPECT_EQ(first.exit, 1);
  EXPECT_THAT(first.err, HasSubstr("HW-R003 at b: NaN at "));
  EXPECT_THAT(first.err, HasSubstr("was read, not computed"));
  EXPECT_THAT(first.err, HasSubstr("1 of the 8 samples of the train split of"));
  EXPECT_THAT(first.err, HasSubstr("the first is sample 3."));
  const Outcome train = cli({"train", graph, "--steps", "2", "--out", out});
  EXPECT_THAT(train.err, HasSubstr("note: 1 of the 8 samples of the train split of"));
  save("train", 8, 3, 0);
  const Outcome sound = cli({"train", graph, "--steps", "2", "--out", out});
  EXPECT_EQ(sound.exit, 0) << sound.err;
  EXPECT_THAT(sound.err, HasSubstr("note: 1 of the 6 samples of the test split of"));
  EXPECT_THAT(sound.err, HasSubstr("the first is sample 5."));
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

TEST(CliFirstBad, AnInterruptEndsTheLookingAndIsReported) {
  const TempFolder folder;
  const Outcome o = test::cli_interrupted({"first-bad", normalised(folder), "--steps", "1000000000"});
  EXPECT_EQ(o.exit, 128 + SIGINT) << o.err;
  EXPECT_THAT(o.out, HasSubstr("stopped: no Inf or NaN in"));
}

}  // namespace
}  // namespace hw
