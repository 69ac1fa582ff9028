#include "tests/bench/compile_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include "engine/devices/devices.h"
#include "engine/evaluate/evaluation.h"
#include "engine/graph/edit.h"
#include "engine/io/asset/assets.h"
#include "engine/train/training_run.h"
#include "tests/bench/quantile.h"

namespace hw::bench {
namespace {

constexpr double kWantedSeconds = 0.6;

struct Layer {
  const char* type;
  std::function<ParamMap(int)> params;  // of the layer at a position of the chain
};

/// Random numbers → the layers, again and again → mean → Train.
Result<Graph> chain(const std::vector<double>& shape, const std::string& axes, const std::vector<Layer>& layers,
                    int nodes) {
  Edits edits;
  const auto add = [&](const std::string& id, const std::string& type, ParamMap params) {
    Node node;
    node.id = id;
    node.type = type;
    node.params = std::move(params);
    edits.push_back(AddNode{std::move(node)});
  };
  add("n0", "random", {{"shape", shape}, {"axes", axes}});
  const int most = std::max(nodes - 3, 1);
  int made = 0;
  while (made < most) {
    const Layer& layer = layers[static_cast<size_t>(made) % layers.size()];
    const std::string from = "n" + std::to_string(made++), to = "n" + std::to_string(made);
    add(to, layer.type, layer.params(made));
    edits.push_back(AddLink{{from, "y", to, "x"}});
  }
  add("mean", "mean", {});
  add("train", "train", {});
  edits.push_back(AddLink{{"n" + std::to_string(made), "y", "mean", "x"}});
  edits.push_back(AddLink{{"mean", "y", "train", "loss"}});
  Graph graph;
  const auto applied = apply_edits(graph, edits);
  if (!applied) return applied.error();
  return graph;
}

Result<double> seconds_of(const std::function<Status()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  HW_CHECK(work());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Status print_times(const char* what, const std::function<Status()>& work, int rounds) {
  std::vector<double> seconds;
  for (int round = 0; round < rounds; ++round) {
    HW_TRY(const double one, seconds_of(work));
    seconds.push_back(one);
  }
  const double best = *std::ranges::min_element(seconds);
  std::printf("  %-46s best %6.3f s, median %6.3f s   wanted %4.1f s   %s\n", what, best, median(seconds),
              kWantedSeconds, best <= kWantedSeconds ? "ok" : "falls short");
  std::fflush(stdout);
  return ok();
}

Status print_graph(const char* name, const Graph& graph, int rounds) {
  FileAssets assets(".");
  HW_TRY(const std::shared_ptr<Device> device, make_device("cpu"));
  const SocketRef wire{"mean", "y"};
  const auto evaluation = [&]() -> Status {
    HW_TRY(Evaluation forward, Evaluation::make(graph, std::span(&wire, 1), assets, device));
    return forward.set_weights(nullptr, 0);
  };
  const auto training = [&]() -> Status {
    TrainingProgress progress;
    std::vector<std::string> notes;
    HW_TRY(const auto run, TrainingRun::make(graph, device, assets, progress, nullptr, "", true, notes));
    return ok();
  };
  HW_CHECK(print_times((std::string(name) + ", evaluation").c_str(), evaluation, rounds));
  return print_times((std::string(name) + ", training").c_str(), training, rounds);
}

}  // namespace

Status print_compilation(int nodes, int rounds) {
  const auto none = [](int) { return ParamMap{}; };
  const auto linear = [](int) { return ParamMap{{"out_features", int64_t{32}}}; };
  const auto other = [](int at) { return ParamMap{{"out_features", int64_t{8 + at * 7 % 57}}}; };
  const auto conv = [](int) { return ParamMap{{"out_channels", int64_t{16}}}; };
  std::printf("from a graph of %d nodes to what is ready to run (%d rounds):\n", nodes, rounds);
  HW_TRY(const Graph alike, chain({64, 32}, "batch features", {{"linear", linear}, {"relu", none}}, nodes));
  HW_CHECK(print_graph("linear + ReLU", alike, rounds));
  HW_TRY(const Graph widths, chain({64, 32}, "batch features", {{"linear", other}, {"gelu", none}}, nodes));
  HW_CHECK(print_graph("linear of many widths + GELU", widths, rounds));
  HW_TRY(const Graph pictures,
         chain({4, 16, 8, 8}, "N C H W", {{"conv2d", conv}, {"batch_norm", none}, {"relu", none}}, nodes));
  return print_graph("conv 3×3 + batch norm + ReLU", pictures, rounds);
}

}  // namespace hw::bench
