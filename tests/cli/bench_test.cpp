// bench from the terminal: what it counts, and what it refuses.
#include <gmock/gmock.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/core/codes.h"
#include "tests/cli/process.h"

namespace hw {
namespace {

using nlohmann::json;
using test::cli;
using test::Outcome;
using test::Process;
using ::testing::HasSubstr;

const std::string kSine = std::string(HALFWIRE_EXAMPLES) + "/sine.halfwire";
const std::string kNetwork = std::string(HALFWIRE_EXAMPLES) + "/networks/ResNet-20-CIFAR.halfwire";

json bench(std::vector<std::string> args) {
  args.insert(args.begin(), "bench");
  args.insert(args.end(), {"--runs", "3", "--json"});
  const Outcome o = cli(args);
  EXPECT_EQ(o.exit, 0) << o.err;
  return json::parse(o.out, nullptr, false);
}

TEST(CliBench, CountsTheSamplesThatSourcesMake) {
  const json run = bench({kSine}), step = bench({kSine, "--train"});
  EXPECT_EQ(run["batch"], 1024);  // the shape of its random numbers is [1024, 1]
  EXPECT_EQ(step["batch"], 1024);
}

TEST(CliBench, TimesOfNodesAndOutsideThemAddUp) {
  const auto begin = std::chrono::steady_clock::now();
  const json report = bench({kNetwork, "--batch", "2"});
  const double process = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_EQ(report["batch"], 2);
  const double outside = report["outside_nodes_ms"], mean = report["mean_ms"];
  double nodes = 0;
  for (const json& node : report["nodes"]) {
    EXPECT_GE(node["ms"], 0);
    nodes += node["ms"].get<double>();
  }
  EXPECT_GT(nodes, 0.2 * mean) << "a run is nearly all convolutions";
  EXPECT_LT(nodes, 1.05 * mean) << "nodes take longer than the run";
  EXPECT_GE(outside, 0);
  EXPECT_LE(outside, mean);
  const auto runs = report["ms"].get<std::vector<double>>();
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_GT(nodes + outside, 0.2 * runs.front()) << "the runs that nodes were looked at in are runs like the others";
  EXPECT_LT(std::accumulate(runs.begin(), runs.end(), 3 * (nodes + outside)), process)
      << "both kinds of runs are within the time of the process";
}

TEST(CliBench, LeavesPassesOut) {
  const json all = bench({kNetwork}), without = bench({kNetwork, "--no-pass", "fold_batch_norm"});
  EXPECT_GT(without["nodes"].size(), all["nodes"].size());
}

TEST(CliBench, Refuses) {
  const auto refused = [](std::vector<std::string> args, int exit, const char* code, const std::string& said) {
    args.insert(args.begin(), "bench");
    const Outcome o = cli(args);
    EXPECT_EQ(o.exit, exit) << o.err;
    EXPECT_THAT(o.err, HasSubstr(code));
    EXPECT_THAT(o.err, HasSubstr(said));
  };
  refused({kSine, "--batch", "8"}, 2, codes::bad_usage, "no Input");
  refused({kNetwork, "--batch", "1000000000"}, 1, codes::out_of_memory, "smaller --batch");
  refused({kNetwork, "--no-pass", "magic"}, 2, codes::bad_usage, "magic");
  for (const bool train : {false, true}) {
    std::vector<std::string> args{kNetwork, "--set", "picture.shape=[1,3,100000,100000]"};
    if (train) args.push_back("--train");
    refused(args, 1, codes::bad_parameter, "picture.shape");
  }
}

TEST(CliBench, StopsWhenAsked) {
  Process process({"bench", kNetwork, "--runs", "100000"});
  ASSERT_TRUE(process.handles_interrupt());
  ::kill(process.pid(), SIGINT);
  const Outcome o = process.wait();
  EXPECT_EQ(o.exit, 130) << o.err;
  EXPECT_THAT(o.err, HasSubstr(codes::cancelled));
}

}  // namespace
}  // namespace hw
