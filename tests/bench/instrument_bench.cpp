#include "tests/bench/instrument_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "engine/backend/backend.h"
#include "engine/core/thread_clock.h"
#include "engine/devices/devices.h"
#include "engine/instrument/instruments.h"
#include "engine/io/asset/assets.h"
#include "engine/io/graph/graph_file.h"
#include "engine/train/session.h"
#include "tests/bench/neural_texture.h"
#include "tests/bench/quantile.h"

namespace hw::bench {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The processor time of all threads: what others do on the machine does not count.
double cpu_now() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

/// One training, which steps in turns with others.
struct Trained {
  std::unique_ptr<Executable> executable;
  std::shared_ptr<States> states;
  std::optional<Instruments> instruments;
  StepInputs inputs;
  double shown = 0;                                  // when the readings were last taken
  std::vector<double> rounds = {}, cpu_rounds = {};  // seconds a step

  void run(int steps) {
    const double begin = now(), cpu_begin = cpu_now();
    for (int i = 0; i < steps; ++i) {
      ++inputs.step;
      const double at = thread_seconds();
      ValueProbe* probe = instruments ? instruments->begin_step(inputs.step, *states) : nullptr;
      if (!executable->run(inputs, probe)) return;
      if (!instruments) continue;
      instruments->end_step(thread_seconds() - at, 1, *states);
      if (now() - shown < 0.2) continue;  // as often as a session publishes them
      instruments->readings();
      shown = now();
    }
    rounds.push_back((now() - begin) / steps);
    cpu_rounds.push_back((cpu_now() - cpu_begin) / steps);
  }
};

}  // namespace

Status print_instrumented_runs(int rounds, int steps) {
  constexpr double kLeastSeconds = 30;  // short runs scatter: so many rounds of them
  std::printf("instruments at the default rate, runs of %d steps, ratio of CPU time (median and quartiles):\n", steps);
  for (const char* example : {"sine", "photograph"}) {
    const std::filesystem::path file = std::filesystem::path(HALFWIRE_EXAMPLES) / (std::string(example) + ".halfwire");
    HW_TRY(const Graph graph, read_graph(file));
    const auto assets = std::make_shared<FileAssets>(file.parent_path());
    std::vector<double> ratios, without, with;
    uint64_t looks = 0;
    std::vector<double> accounts;
    const auto run = [&](bool instrumented) -> Result<double> {
      Session session(assets, nullptr);
      session.publish_weights_while_running(false);
      if (instrumented) session.instruments(InstrumentSettings{});
      session.start(graph, "cpu", static_cast<uint64_t>(steps), true);
      session.wait();
      const double begin = cpu_now();
      session.resume();
      session.wait();
      const double seconds = cpu_now() - begin;
      const auto last = session.snapshot();
      if (last->error) return *last->error;
      if (instrumented) looks = last->instruments->looks, accounts.push_back(last->instruments->cost);
      return seconds;
    };
    const double begin = now();
    for (int round = 0; round < rounds || now() - begin < kLeastSeconds; ++round) {
      const bool instrumented_first = round % 2 == 1;
      HW_TRY(const double first, run(instrumented_first));
      HW_TRY(const double second, run(!instrumented_first));
      const auto [plain, looked] = instrumented_first ? std::pair(second, first) : std::pair(first, second);
      without.push_back(plain);
      with.push_back(looked);
      ratios.push_back(looked / plain);
    }
    std::printf(
        "  %-12s without %8.1f ms, with %8.1f ms, ratio %.3f (%.3f, %.3f; %zu rounds, %llu looks in the last), by "
        "their own account %.1f %%\n",
        example, median(without) * 1e3, median(with) * 1e3, median(ratios), quantile(ratios, 0.25),
        quantile(ratios, 0.75), ratios.size(), static_cast<unsigned long long>(looks), 100 * median(accounts));
    std::fflush(stdout);
  }
  return ok();
}

void print_instruments(int rounds, int steps) {
  const auto mesh = textured_sphere(64, 128, 1024);
  std::printf(
      "\ninstruments on every wire and parameter, forward and gradient, ms a step; ratios of CPU"
      " time (medians of %d rounds of %d):\n",
      rounds, steps);
  for (const DType mlp : {DType::f32, DType::f16}) {
    NeuralTextureOptions options;
    options.mlp = mlp;
    const NeuralTexture t = neural_texture(options, mesh);
    TrainingPlan plan;
    plan.program = t.program;
    plan.loss = t.loss.id;
    plan.gradients = t.gradients;
    plan.unscale = t.unscale;
    const std::pair<const char*, Val> wires[] = {{"encoder", t.encoded}, {"mlp", t.colour}, {"loss", t.loss}};
    for (const auto& [node, value] : wires) plan.sockets[{node, "y"}] = value;
    std::optional<InstrumentSettings> settings[3];
    settings[1].emplace();
    settings[2].emplace().every = 1;
    std::vector<Trained> all;
    auto device = make_device("cpu");
    if (!device) return;
    for (const auto& s : settings) {
      auto states = (*device)->prepare_states(*t.program, nullptr, 1, nullptr);
      if (!states) return;
      auto executable = (*device)->compile(t.program, *states);
      if (!executable) return;
      Trained trained{std::move(*executable), *states, {}, {}};
      trained.inputs.seed = 1;
      trained.inputs.learning_rate = 1e-2;
      if (s) trained.instruments.emplace(plan, *s);
      all.push_back(std::move(trained));
    }
    for (Trained& trained : all) trained.run(2);
    for (Trained& trained : all) trained.rounds.clear(), trained.cpu_rounds.clear();
    for (int round = 0; round < rounds; ++round)
      for (Trained& trained : all) trained.run(steps);
    std::vector<double> ratios, every;
    for (size_t r = 0; r < all[0].rounds.size(); ++r) {
      ratios.push_back(all[1].cpu_rounds[r] / all[0].cpu_rounds[r]);
      every.push_back(all[2].cpu_rounds[r] / all[0].cpu_rounds[r]);
    }
    const auto readings = all[1].instruments->readings();
    std::printf(
        "  MLP %-4s without %8.2f   default rate %8.2f, ratio %.3f (%llu of %llu steps, %zu values, by its own "
        "account %.1f %%)   every step %8.2f, ratio %.3f\n",
        std::string(name(mlp)).c_str(), median(all[0].rounds) * 1e3, median(all[1].rounds) * 1e3, median(ratios),
        static_cast<unsigned long long>(readings->looks), static_cast<unsigned long long>(readings->steps),
        readings->readings.size(), readings->cost * 100, median(all[2].rounds) * 1e3, median(every));
  }
}

}  // namespace hw::bench
