// A program on the workspace alone, without Qt and without the command line. Two sessions at the same time, each on
// threads of its own: each opens an example, trains it until another thread stops it, reads a tensor, X-rays it.
// usage: two_sessions GRAPH
#include <cstdio>
#include <future>
#include <thread>

#include "app/workspace/evaluate.h"
#include "app/workspace/train.h"
#include "engine/core/parallel.h"
#include "engine/precision/xray.h"

namespace {

using namespace hw;

/// The losses of the first steps, and the largest relative error that one node adds.
using Seen = std::pair<std::vector<float>, double>;

Error failed(const std::string& reason) {
  return {"failed", "two_sessions", reason, ""};
}

Result<Seen> work(const std::string& file, int threads) {
  const OwnThreads own(threads);
  workspace::Notes notes;
  HW_TRY(const workspace::TrainableGraph opened, workspace::open_trainable({.graph = file}, {}, notes));
  std::atomic<uint64_t> step{0};
  std::atomic<bool> stop{false};
  std::jthread other([&](const std::stop_token& over) {
    while (step < 50 && !over.stop_requested()) std::this_thread::yield();
    stop = true;
  });
  const auto trained = workspace::train_to_end(
      {.graph = opened.graph, .assets = opened.assets, .threads = threads, .steps = 1'000'000},
      [&](const RunSnapshot& now) { step = now.step; }, &stop);
  const RunSnapshot& last = *trained.last;
  if (last.error) return *last.error;
  if (!trained.interrupted || last.step < 50 || last.weights_step != last.step) return failed("was not stopped");
  if (last.losses->at(49) > last.losses->front() / 2) return failed("the loss did not fall");
  const workspace::EvaluationRequest asked{
      .graph = opened.graph, .assets = opened.assets, .wires = {{"mlp", "y"}}, .weights = last.weights};
  HW_TRY(const std::vector<Tensor> values, workspace::evaluate(asked, notes));
  if (values.front().size() != 1024) return failed("mlp.y has other sizes");
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
  return *a == *b ? 0 : (std::fputs("one session computed otherwise than the other\n", stderr), 1);
}
