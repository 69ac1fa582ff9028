// A program on the workspace alone, without Qt and without the command line. Two sessions at the same time, each on
// threads of its own: each opens an example, trains it until another thread stops it, reads a tensor, X-rays it.
// usage: two_sessions GRAPH
#include <algorithm>
#include <cstdio>
#include <future>
#include <thread>

#include "app/workspace/open_graph.h"
#include "app/workspace/train.h"
#include "engine/core/parallel.h"
#include "engine/precision/xray.h"

using namespace hw;

namespace {

struct Seen {
  std::vector<float> losses;  // of the first steps
  double rounding = 0;        // the largest relative error that one node adds
};

Error failed(const std::string& reason) {
  return {"failed", "two_sessions", reason, ""};
}

Result<Seen> work(const std::string& file, int threads) {
  workspace::Notes notes;
  HW_TRY(const workspace::TrainableGraph opened, workspace::open_trainable({.graph = file}, {}, notes));
  workspace::TrainingRequest request;
  request.graph = opened.graph;
  request.assets = opened.assets;
  request.threads = threads;
  request.steps = 1'000'000;
  request.inspect = "mlp";
  std::atomic<uint64_t> step{0};
  std::atomic<bool> stop{false};
  std::jthread other([&](const std::stop_token& over) {
    while (step < 50 && !over.stop_requested()) std::this_thread::yield();
    stop = true;
  });
  const auto trained = workspace::train_to_end(
      std::move(request), [&](const RunSnapshot& s) { step = s.step; }, &stop);
  const RunSnapshot& last = *trained.last;
  if (last.error) return *last.error;
  if (!trained.interrupted || last.step < 50 || last.weights_step != last.step) return failed("was not stopped");
  if (last.losses->at(49) > last.losses->front() / 2) return failed("the loss did not fall");
  const auto is_output = [](const NodeInspection::Item& item) { return item.name == "y"; };
  const auto output = std::ranges::find_if(last.inspection->items, is_output);
  if (output == last.inspection->items.end() || output->value.size() != 1024) return failed("mlp.y is not there");

  const OwnThreads own(threads);
  HW_TRY(const XrayReport report, xray(opened.graph, *opened.assets, XrayOptions()));
  if (!report.worst) return failed("X-ray found no rounding");
  return Seen{{last.losses->begin(), last.losses->begin() + 50}, report.items[*report.worst].introduced.relative};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: two_sessions GRAPH\n", stderr), 2;
  auto second = std::async(std::launch::async, work, argv[1], 3);
  const Result<Seen> a = work(argv[1], 1), b = second.get();
  for (const Result<Seen>* seen : {&a, &b})
    if (!*seen) return std::fprintf(stderr, "%s\n", seen->error().text().c_str()), 1;
  if (a->losses == b->losses && a->rounding == b->rounding) return 0;
  return std::fputs("one session computed otherwise than the other\n", stderr), 1;
}
