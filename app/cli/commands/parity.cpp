// parity: one graph on two devices, op by op and step by step; names the node that diverges first.
#include "engine/compare/parity.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/checks.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/parity_against.h"
#include "app/cli/options/device_choice.h"
#include "app/cli/options/whole_training.h"
#include "app/cli/print/draws.h"
#include "app/cli/print/gradcheck_report.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/progress_line.h"
#include "app/cli/print/report.h"
#include "app/cli/print/stop_signal.h"
#include "engine/core/place_text.h"
#include "engine/io/tensor/npy.h"
#include "engine/train/bad_value.h"

namespace hw::cli::parity_command {
namespace {

using nlohmann::ordered_json;

struct Options {
  WholeTrainingRequest training{3, 1024};
  std::string a = "ref", b = "cpu", npy;
  size_t worst = 3;
  bool json = false, all = false;
  AgainstChoice against;
};

std::string shown_name(const ParityItem& i) {
  return i.name.empty() ? "(" + i.op + ")" : i.name;
}

std::string verdict_text(const ParityItem& i) {
  return i.is_compared() ? std::string(name(i.verdict)) : "no number";
}

/// null where it is not finite: JSON has no such numbers.
ordered_json to_json(const ParityReport& r, const Graph& graph) {
  ordered_json j{{"agrees", r.agrees() && r.not_compared() == 0},
                 {"not_compared", r.not_compared()},
                 {"stopped", r.stopped},
                 {"a", r.a},
                 {"b", r.b},
                 {"seed", r.seed},
                 {"step", r.step},
                 {"pass", r.pass},
                 {"steps", r.steps},
                 {"first", r.first ? ordered_json(*r.first) : ordered_json()}};
  j["losses"] = ordered_json::array();
  for (const auto& [a, b] : r.losses) j["losses"].push_back({{"a", a}, {"b", b}});
  j["values"] = ordered_json::array();
  for (const ParityItem& i : r.items) {
    ordered_json worst = ordered_json::array();
    for (const ParityElement& e : i.worst)
      worst.push_back(
          {{"index", e.index}, {"place", place_text(e.index, i.dims)}, {"a", e.a}, {"b", e.b}, {"allowed", e.allowed}});
    j["values"].push_back(
        {{"node", i.node},
         {"name", i.name},
         {"op", i.op},
         {"pass", name(i.pass)},
         {"random", i.random},
         {"draws", cli::to_json(i.random ? draw_of_node(graph, i.node, r.seed, r.pass) : std::nullopt)},
         {"dtype", name(i.dtype)},
         {"dims", i.dims},
         {"verdict", name(i.verdict)},
         {"error", i.error},
         {"total", i.total},
         {"not_finite", i.not_finite},
         {"worst", worst}});
  }
  return j;
}

void print_first(const ParityReport& r, const Graph& graph) {
  const ParityItem& i = r.items[*r.first];
  std::printf("\n%s diverges first: %s (%s, %s pass) in step %llu.\n", i.node.c_str(), shown_name(i).c_str(),
              i.op.c_str(), std::string(name(i.pass)).c_str(), static_cast<unsigned long long>(r.step + 1));
  char times[32] = "far beyond";
  if (std::isfinite(i.error)) std::snprintf(times, sizeof times, "%.3g times", i.error);
  std::printf("All that went into it is the same on both; what %s makes of it is off by %s the tolerance:\n",
              r.b.c_str(), times);
  for (const ParityElement& e : i.worst)
    std::printf("    %s: %s %.9g, %s %.9g, allowed ± %.3g\n", place_text(e.index, i.dims).c_str(), r.a.c_str(), e.a,
                r.b.c_str(), e.b, e.allowed);
  if (i.random)
    std::printf("It draws from %s, which the same numbers should come of on both.\n",
                draw_text_of_node(graph, i.node, r.seed, r.pass).c_str());
  size_t inherited = 0;
  for (const ParityItem& other : r.items) inherited += other.verdict == ParityVerdict::inherited;
  if (inherited) std::printf("%zu values after it are off because of it: inherited.\n", inherited);
}

/// Rows of the table: what is off, and of what is within the tolerance all, or the nearest to it.
std::vector<size_t> rows_of(const ParityReport& r, bool all) {
  constexpr size_t kNearest = 8;
  std::vector<size_t> rows, within;
  for (size_t k = 0; k < r.items.size(); ++k) {
    const ParityVerdict v = r.items[k].verdict;
    if (all || !r.items[k].is_compared() || v == ParityVerdict::diverges || v == ParityVerdict::inherited)
      rows.push_back(k);
    else if (v == ParityVerdict::within)
      within.push_back(k);
  }
  std::stable_sort(within.begin(), within.end(),
                   [&](size_t a, size_t b) { return r.items[a].error > r.items[b].error; });
  if (r.agrees())
    rows.insert(rows.end(), within.begin(), within.begin() + static_cast<ptrdiff_t>(std::min(within.size(), kNearest)));
  std::sort(rows.begin(), rows.end());
  return rows;
}

void print(const ParityReport& r, const Graph& graph, bool all) {
  std::printf("%s beside %s, seed %llu, %llu step%s; each op on the inputs that %s had\n\n", r.a.c_str(), r.b.c_str(),
              static_cast<unsigned long long>(r.seed), static_cast<unsigned long long>(r.steps),
              r.steps == 1 ? "" : "s", r.b.c_str());
  const std::vector<size_t> rows = rows_of(r, all);
  size_t wide_node = 4, wide_name = 5;
  for (const size_t k : rows) {
    wide_node = std::max(wide_node, r.items[k].node.size());
    wide_name = std::max(wide_name, shown_name(r.items[k]).size());
  }
  if (!rows.empty())
    std::printf("%-*s  %-*s  pass      dtype   verdict    error ÷ allowed\n", static_cast<int>(wide_node), "node",
                static_cast<int>(wide_name), "value");
  for (const size_t k : rows) {
    const ParityItem& i = r.items[k];
    std::printf("%-*s  %-*s  %-8s  %-6s  %-9s  %.3g%s\n", static_cast<int>(wide_node), i.node.c_str(),
                static_cast<int>(wide_name), shown_name(i).c_str(), std::string(name(i.pass)).c_str(),
                std::string(name(i.dtype)).c_str(), verdict_text(i).c_str(), i.error, r.first == k ? "  << first" : "");
  }
  if (!std::isfinite(r.losses.back().second)) std::printf("The loss is not finite: little is compared.\n");
  if (r.stopped)
    std::printf("Stopped: this is after %llu step%s.\n", static_cast<unsigned long long>(r.steps),
                r.steps == 1 ? "" : "s");
  if (!r.agrees()) return print_first(r, graph);
  const auto count = [&](ParityVerdict v) {
    return std::count_if(r.items.begin(), r.items.end(), [&](const ParityItem& i) { return i.verdict == v; });
  };
  const auto within = static_cast<size_t>(count(ParityVerdict::within));
  std::printf(
      "%sNo divergence%s: of %zu values of the last step %zu have the same bits, %zu are within the tolerance%s.\n",
      rows.empty() ? "" : "\n", r.not_compared() ? " where there is something finite" : "", r.items.size(),
      static_cast<size_t>(count(ParityVerdict::same_bits)), within,
      within > rows.size() ? "; above are the nearest to it, --all lists the others" : "");
  if (const size_t none = r.not_compared())
    std::printf("Of %zu values nothing finite was compared: they are Inf or NaN throughout (no number, above).\n",
                none);
}

Status write_both(const ParityReport& r, const std::string& folder) {
  if (!r.first) return ok();
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return Error{codes::file_unwritable, folder, failed.message() + ".", "Name another folder."};
  const std::filesystem::path in(folder);
  HW_CHECK(save_npy(r.first_a, in / "a.npy"));
  return save_npy(r.first_b, in / "b.npy");
}

int parity(const Options& o) {
  if (const Status fits = check_against(o.against); !fits) return report(fits.error());
  if (!o.against.folder.empty()) return parity_against(o.training, o.training.weights, o.b, o.against, o.json);
  const auto training = noted(whole_training, o.training);
  if (!training) return report(training.error());
  const Graph& graph = training->reduced.graph;
  const auto a = parity_device(o.a), b = parity_device(o.b);
  if (!a || !b) return report(!a ? a.error() : b.error());
  ParityOptions options;
  options.steps = o.training.steps;
  options.worst = o.worst;
  options.weights = training->weights;
  options.partial_weights = o.training.weights.partial;
  const StopOnSignal stop;
  options.cancel = &StopOnSignal::asked();
  Result<ParityReport> result = Error{};
  {
    ProgressLine line;
    options.progress = [&](double share) { line.show(share, "comparing"); };
    result = hw::parity(graph, *training->assets, *a, *b, options);
  }
  if (!result) return report(result.error());
  if (o.json) {
    ordered_json j = to_json(*result, graph);
    j["reduced"] = cli::to_json(training->reduced.reductions);
    print_json(j);
  } else {
    if (!training->reduced.reductions.empty())
      std::printf("reduced: %s\n", text_of(training->reduced.reductions).c_str());
    print(*result, graph, o.all);
  }
  if (!o.npy.empty()) {
    if (const Status written = write_both(*result, o.npy); !written) return report(written.error());
  }
  if (result->stopped) return exit_of_signal(StopOnSignal::signal());
  return result->agrees() && result->not_compared() == 0 ? kDone : kGraphErrors;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(kParityCheck.command, kParityCheck.summary);
  auto o = std::make_shared<Options>();
  add_options(*command, o->training, "At most so many samples a step");
  add_device(*command, o->a, "The device that is trusted: ref, cpu, cpu@THREADS", "--a");
  add_device(*command, o->b, "The device that is held against it", "--b");
  command->add_option("--worst", o->worst, "Elements listed a value")
      ->capture_default_str()
      ->check(CLI::Range(size_t{0}, size_t{1000}));
  command->add_option("--npy", o->npy, "A folder for a.npy and b.npy: the first value that diverges, of both");
  add_against(*command, o->against);
  command->add_flag("--all", o->all, "List every value");
  add_json(*command, o->json, "All values and worst elements as JSON; null: not finite");
  command->callback([o, &chosen] { chosen = [o] { return parity(*o); }; });
}

}  // namespace hw::cli::parity_command
