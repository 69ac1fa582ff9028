// A program on the workspace alone, without Qt and without the command line: two sessions at the same time, each with
// threads of its own. Each trains an example, looks at a tensor, is stopped from another thread, and is X-rayed.
// usage: two_sessions GRAPH
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <future>
#include <thread>

#include "app/workspace/train.h"
#include "engine/core/parallel.h"
#include "engine/graph/groups/flatten.h"
#include "engine/io/assets.h"
#include "engine/io/graph_file.h"
#include "engine/precision/xray.h"

namespace {

using namespace hw;

struct Seen {
  std::vector<float> losses;
  std::vector<double> predicted;  // mlp.y, as the last step computed it
  double introduced = 0;          // the largest error that X-ray found, relative
};

Status check(bool holds, const std::string& what) {
  return holds ? ok() : Status(Error{"failed", "two_sessions", what, ""});
}

Result<Seen> work(const std::string& file, int threads) {
  HW_TRY(const Graph document, read_graph(file));
  workspace::TrainingRequest request;
  request.graph = flatten(document);
  request.assets = std::make_shared<FileAssets>(std::filesystem::path(file).parent_path());
  request.threads = threads;
  request.steps = 60;
  request.inspect = "mlp";

  // To its end.
  uint64_t shown = 0;  // steps that progress saw
  const auto trained = workspace::train_to_end(
      request, [&](const RunSnapshot& s) { shown = s.step; }, nullptr);
  const RunSnapshot& last = *trained.last;
  if (last.error) return *last.error;
  HW_CHECK(check(last.state == RunState::finished && !trained.interrupted, "the run did not reach its end"));
  HW_CHECK(check(last.step == 60 && shown == 60, "progress ended at step " + std::to_string(shown)));
  HW_CHECK(check(last.losses->back() < last.losses->front() / 2, "the loss did not fall"));
  Seen seen{*last.losses, {}};
  for (const auto& item : last.inspection ? last.inspection->items : std::vector<NodeInspection::Item>())
    if (item.name == "y") seen.predicted = item.value.to_f64();
  HW_CHECK(check(seen.predicted.size() == 1024, "mlp.y has " + std::to_string(seen.predicted.size()) + " numbers"));

  // Far longer, until another thread stops it.
  request.steps = 1'000'000;
  std::atomic<uint64_t> step{0};
  std::atomic<bool> stop{false};
  std::jthread other([&](const std::stop_token& over) {
    while (step < 20 && !over.stop_requested()) std::this_thread::yield();
    stop = true;
  });
  const auto stopped = workspace::train_to_end(
      request, [&](const RunSnapshot& s) { step = s.step; }, &stop);
  const RunSnapshot& kept = *stopped.last;
  if (kept.error) return *kept.error;
  HW_CHECK(check(stopped.interrupted && kept.state == RunState::idle, "the run was not stopped"));
  HW_CHECK(check(kept.step >= 20 && kept.weights && kept.weights_step == kept.step, "what was learnt is not kept"));

  const OwnThreads own(threads);
  XrayOptions options;
  options.weights = last.weights;
  HW_TRY(const XrayReport report, xray(request.graph, *request.assets, options));
  HW_CHECK(check(report.worst.has_value(), "X-ray found no rounding"));
  seen.introduced = report.items[*report.worst].introduced.relative;
  return seen;
}

Status run(const std::string& file) {
  HW_TRY(const Seen alone, work(file, 1));
  const auto at_once = [&](int threads) { return std::async(std::launch::async, work, file, threads); };
  std::future<Result<Seen>> sessions[] = {at_once(1), at_once(3)};
  for (auto& session : sessions) {
    HW_TRY(const Seen seen, session.get());
    HW_CHECK(check(seen.losses == alone.losses, "losses are not those of a session alone"));
    HW_CHECK(check(seen.predicted == alone.predicted, "mlp.y is not that of a session alone"));
    HW_CHECK(check(seen.introduced == alone.introduced, "X-ray does not find what it found of a session alone"));
  }
  return ok();
}

}  // namespace

int main(int argc, char** argv) {
  const Status done = argc == 2 ? run(argv[1]) : check(false, "usage: two_sessions GRAPH");
  if (!done) std::fprintf(stderr, "%s\n", done.error().text().c_str());
  return done ? 0 : 1;
}
