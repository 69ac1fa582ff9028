// what-if and plan-precision from the terminal.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "engine/io/media/image_file.h"
#include "tests/cli/process.h"

namespace hw {
namespace {

using nlohmann::json;
using test::cli;
using test::kExample;
using test::small;
using ::testing::HasSubstr;

TEST(CliWhatIf, ShowsBothSides) {
  const auto o = cli(small({"what-if", kExample, "--nodes", "mlp,sigmoid", "--dtype", "bf16", "--steps", "20"}));
  ASSERT_EQ(o.exit, 0) << o.err;
  for (const char* text : {"mlp computes in bf16, before in f32.", "as it is", "changed", "held-out loss", "ms/step",
                           "masters, optimiser, activations"})
    EXPECT_THAT(o.out, HasSubstr(text));
}

TEST(CliWhatIf, WritesTheChangedGraph) {
  const test::TempFolder folder;
  const std::string out = (folder / "tried.halfwire").string();
  const auto o =
      cli(small({"what-if", kExample, "--nodes", "mlp", "--dtype", "bf16", "--steps", "8", "--json", "-o", out}));
  ASSERT_EQ(o.exit, 0) << o.err;
  const json j = json::parse(o.out);
  EXPECT_EQ(j["steps"], 8);
  EXPECT_GT(j["base"]["held_out_loss"].get<double>(), 0);
  EXPECT_GT(j["changed"]["bytes"]["training"]["total"].get<size_t>(), 0u);
  EXPECT_GT(j["output_error"].get<double>(), 0);
  EXPECT_EQ(cli({"validate", out}).exit, 0);
}

TEST(CliWhatIf, WhatItReadsIsNotWrittenOver) {
  const test::TempFolder folder;
  const std::string graph = (folder / "g.halfwire").string(), picture = (folder / "p.png").string();
  Image image;
  image.width = image.height = 2;
  image.rgba.assign(16, 255);
  ASSERT_TRUE(save_png(image, picture));
  test::write_bytes(graph, R"({"halfwire": 1, "nodes": [
    {"id": "picture", "type": "image_source", "params": {"path": "p.png"}},
    {"id": "points", "type": "image_sampler", "params": {"points": 16}},
    {"id": "layer", "type": "linear", "params": {"out_features": 3}}, {"id": "loss", "type": "mse"},
    {"id": "train", "type": "train", "params": {"steps": 1}}],
    "links": [["picture.image", "points.image"], ["points.position", "layer.x"], ["layer.y", "loss.prediction"],
              ["points.color", "loss.target"], ["loss.loss", "train.loss"]]})");
  const std::string before = test::read_bytes(picture);
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"what-if", graph, "--nodes", "layer", "--dtype", "bf16", "--steps", "1", "-o", picture},
           {"plan-precision", graph, "--budget", "loss=5%", "--steps", "2", "-o", picture}}) {
    const auto o = cli(words);
    EXPECT_EQ(o.exit, 2) << words[0] << o.err;
    EXPECT_THAT(o.err, HasSubstr("HW-C001")) << words[0];
    EXPECT_EQ(test::read_bytes(picture), before) << words[0];
  }
}

TEST(CliWhatIf, SaysWhatIsWrong) {
  const auto run = [](const std::string& nodes, const std::string& dtype) {
    return cli(small({"what-if", kExample, "--nodes", nodes, "--dtype", dtype, "--steps", "2"}));
  };
  const auto unknown = run("mlp,moon", "bf16");
  EXPECT_EQ(unknown.exit, 2);
  EXPECT_THAT(unknown.err, HasSubstr("HW-G003 at --nodes moon"));
  const auto mesh = run("mesh", "bf16");
  EXPECT_EQ(mesh.exit, 1);
  EXPECT_THAT(mesh.err, HasSubstr("HW-R002 at mesh"));
  const auto dtype = run("mlp", "i8");
  EXPECT_EQ(dtype.exit, 2);
  EXPECT_THAT(dtype.err, HasSubstr("HW-C001 at --dtype i8"));
}

TEST(CliPlanPrecision, ThePlanValidatesTrainsAndKeepsTheBudget) {
  const test::TempFolder folder;
  const std::string out = (folder / "plan.halfwire").string();
  const auto o = cli(small({"plan-precision", kExample, "--budget", "loss=5%", "--minimise", "bytes", "--steps", "32",
                            "--probe-steps", "8", "--json", "-o", out}));
  ASSERT_EQ(o.exit, 0) << o.err;
  const json j = json::parse(o.out);
  EXPECT_LE(j["cost"].get<double>(), 0.05);
  EXPECT_FALSE(j["bytes_ratio"].get<double>() > 1 && j["time_ratio"].get<double>() >= 1);
  EXPECT_FALSE(j["trials"].empty());
  const auto valid = cli({"validate", out});
  EXPECT_EQ(valid.exit, 0) << valid.err;
  const auto trained = cli(small({"train", out, "--steps", "3", "--out", (folder / "out").string()}));
  EXPECT_EQ(trained.exit, 0) << trained.err;
}

TEST(CliPlanPrecision, PrintsWhatItTried) {
  const auto o = cli(small({"plan-precision", kExample, "--budget", "error=1e-2", "--steps", "8"}));
  ASSERT_EQ(o.exit, 0) << o.err;
  for (const char* text :
       {"output error", "encoder bf16; mlp f32", "final", "budget: output error at most 0.01", "running bytes"})
    EXPECT_THAT(o.out, HasSubstr(text));
}

TEST(CliPlanPrecision, SaysWhatIsWrong) {
  const test::TempFolder folder;
  const auto run = [&](const std::string& graph, const std::string& budget, const std::string& out) {
    return cli(small({"plan-precision", graph, "--budget", budget, "--steps", "4", "-o", out}));
  };
  const std::string out = (folder / "plan.halfwire").string();
  for (const char* budget : {"cheap", "loss=-1%", "error=nan"}) {
    const auto o = run(kExample, budget, out);
    EXPECT_EQ(o.exit, 2);
    EXPECT_THAT(o.err, HasSubstr("HW-C001 at --budget " + std::string(budget)));
  }
  const std::string graph = (folder / "graph.halfwire").string();
  test::write_bytes(graph, test::read_bytes(kExample));
  const auto same = run(graph, "loss=1%", graph);
  EXPECT_EQ(same.exit, 2);
  EXPECT_THAT(same.err, HasSubstr("never overwritten"));
  const auto folderless = run(kExample, "loss=1%", (folder / "none" / "plan.halfwire").string());
  EXPECT_EQ(folderless.exit, 3);
  EXPECT_THAT(folderless.err, HasSubstr("HW-F002"));
  test::write_bytes(graph, test::example_with("[\"loss.loss\", \"train.loss\"],", ""));
  const auto open = run(graph, "loss=1%", out);
  EXPECT_EQ(open.exit, 1);
  EXPECT_THAT(open.err, HasSubstr("HW-G001"));
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(CliPlanPrecision, CtrlCEndsTheSearchAndWritesNothing) {
  const test::TempFolder folder;
  const std::string out = (folder / "plan.halfwire").string();
  test::Process process(small({"plan-precision", kExample, "--budget", "loss=1%", "--steps", "1000000", "-o", out}));
  ASSERT_TRUE(process.handles_interrupt());
  std::this_thread::sleep_for(std::chrono::seconds(1));
  ::kill(process.pid(), SIGINT);
  const auto o = process.wait();
  EXPECT_EQ(o.exit, 128 + SIGINT);
  EXPECT_THAT(o.err, HasSubstr("HW-R004"));
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace hw
