// bench: how fast a graph runs or trains, node by node, beside what the machine multiplies at best.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands/bench_run.h"
#include "app/cli/commands/commands.h"
#include "app/cli/options/device_choice.h"
#include "app/cli/options/given_inputs.h"
#include "app/cli/options/pass_options.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "app/workspace/json.h"
#include "engine/core/memory.h"

namespace hw::cli::bench_command {
namespace {

using nlohmann::ordered_json;

struct Options : BenchOptions {
  int nodes = 20;
  bool json = false;
};

std::string kernel_of(const BenchNode& node) {
  const KernelInfo* kernel = &node.kernels.forward;
  return node.kernels.backward && node.kernels.backward->compute != kernel->compute
             ? "mixed"
             : std::string(name(kernel->compute)) + ", " + kernel->implementation;
}

std::string share_text(double floor_ms, double ms) {
  if (floor_ms <= 0 || ms <= 0) return "";
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%.2f", floor_ms / ms);
  return text.data();
}

std::string counted(int64_t count, const std::string& one, const std::string& more) {
  return std::to_string(count) + " " + (count == 1 ? one : more);
}
std::string counted(int64_t count, const std::string& what) {
  return counted(count, what, what + "s");
}

void print_floor(const BenchReport& r) {
  constexpr double kMost = 1.1;  // of the time: with what two measurements differ by
  const std::string share = share_text(r.floor_ms(), r.median_ms());
  if (share.empty()) {
    std::printf("floor: none, no node multiplies matrices\n\n");
    return;
  }
  std::printf("floor: products at %.0f GFLOP/s, measured; %.2f ms, %s of the time\n", r.products_per_second * 1e-9,
              r.floor_ms(), share.c_str());
  if (r.floor_ms() > kMost * r.median_ms())
    std::printf(
        "The floor is above the time: the machine was busy while its rate was measured, or kernels skip products that "
        "are counted.\n");
  std::printf("\n");
}

/// What a GPU is asked for, and what it moves.
void print_work(const Options& o, const BenchReport& r) {
  if (!r.work) return;
  std::printf("a %s: %s, %s, %s; ops read and write %s, at least %s\n", o.train ? "step" : "run",
              counted(static_cast<int64_t>(r.work->dispatches), "dispatch", "dispatches").c_str(),
              counted(static_cast<int64_t>(r.work->copies), "copy or clear", "copies and clears").c_str(),
              counted(static_cast<int64_t>(r.work->barriers), "barrier", "barriers").c_str(),
              memory_text(static_cast<size_t>(r.traffic.moved)).c_str(),
              memory_text(static_cast<size_t>(r.traffic.least)).c_str());
}

void print(const Options& o, const BenchReport& r) {
  std::printf("%s %s, %s a %s, %s: %.2f ms (median of %zu, %.2f to %.2f), %.1f samples/s\n",
              o.train ? "training" : "inference", r.dtype.c_str(), counted(r.batch, "sample").c_str(),
              o.train ? "step" : "run", counted(r.threads, "thread").c_str(), r.median_ms(), r.ms.size(), r.ms.front(),
              r.ms.back(), r.samples_per_second());
  std::printf("memory of values between nodes %s; compiled in %.2f s\n", memory_text(r.temp_bytes).c_str(),
              r.compile_seconds);
  print_work(o, r);
  print_floor(r);
  const std::string outside = "outside nodes";
  size_t width = outside.size();
  const size_t shown = std::min(r.nodes.size(), static_cast<size_t>(o.nodes));
  for (size_t i = 0; i < shown; ++i) width = std::max(width, r.nodes[i].node.size());
  std::printf("%-*s  %9s  %6s  %8s  %s\n", static_cast<int>(width), "node", "ms", "time", "of floor", "kernel");
  const auto row = [&](const std::string& name, double ms, double floor_ms, const std::string& kernel) {
    std::printf("%-*s  %9.3f  %5.1f%%  %8s  %s\n", static_cast<int>(width), name.c_str(), ms, 100 * ms / r.mean_ms,
                share_text(floor_ms, ms).c_str(), kernel.c_str());
  };
  double rest = 0;
  for (size_t i = 0; i < r.nodes.size(); ++i) {
    const BenchNode& n = r.nodes[i];
    if (i < shown)
      row(n.node, n.ms, n.floor_ms, kernel_of(n));
    else
      rest += n.ms;
  }
  if (shown < r.nodes.size()) row(std::to_string(r.nodes.size() - shown) + " more nodes", rest, 0, "");
  row(outside, r.outside_ms(), 0, "");
}

ordered_json report_json(const Options& o, const BenchReport& r) {
  ordered_json nodes = ordered_json::array();
  for (const BenchNode& n : r.nodes) {
    nodes.push_back({{"node", n.node},
                     {"ms", n.ms},
                     {"floor_ms", n.floor_ms},
                     {"products", n.products},
                     {"kernels", workspace::to_json(n.kernels)}});
  }
  ordered_json work = nullptr;
  if (r.work) work = {{"dispatches", r.work->dispatches}, {"copies", r.work->copies}, {"barriers", r.work->barriers}};
  return {{"graph", o.graph},
          {"training", o.train},
          {"device", o.device},
          {"threads", r.threads},
          {"dtype", r.dtype},
          {"batch", r.batch},
          {"ms", r.ms},
          {"mean_ms", r.mean_ms},
          {"outside_nodes_ms", r.outside_ms()},
          {"median_ms", r.median_ms()},
          {"samples_per_second", r.samples_per_second()},
          {"floor_ms", r.floor_ms()},
          {"products_per_second", r.products_per_second},
          {"temp_bytes", r.temp_bytes},
          {"compile_seconds", r.compile_seconds},
          {"device_work", work},
          {"bytes_moved", r.traffic.moved},
          {"bytes_least", r.traffic.least},
          {"nodes", nodes}};
}

int run(const Options& o) {
  const auto report_made = run_bench(o);
  if (!report_made) return report(report_made.error());
  if (o.json)
    print_json(report_json(o, *report_made));
  else
    print(o, *report_made);
  return kDone;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("bench", "How fast a graph runs or trains, node by node");
  auto o = std::make_shared<Options>();
  add_graph_options(*command, *o);
  CLI::Option* train = command->add_flag(
      "--train", o->train, "Training steps; of a graph without Train, of the mean square of what it gives");
  add_inputs(*command, o->inputs);
  command->add_option("--batch", o->batch, "Size of the first axis of every Input")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 30));
  command->add_option("--dtype", o->dtype, "f16 or bf16: products in it, as autocast chooses; without it as drawn")
      ->check(CLI::IsMember({"f16", "bf16"}));
  command->add_option("--runs", o->runs, "Runs or steps that are measured; some more come before")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000));
  command->add_option("--threads", o->threads, "Of the cpu; 0: all")->check(CLI::Range(0, 1024))->capture_default_str();
  command->add_option("--nodes", o->nodes, "Nodes in the table, the slowest first")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  add_no_pass(*command, o->passes_off)->excludes(train);
  add_device(*command, o->device);
  add_json(*command, o->json);
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace hw::cli::bench_command
