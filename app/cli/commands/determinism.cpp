// determinism: one graph at several numbers of threads, bit for bit; names the ops whose bits depend on it.
#include "engine/compare/determinism.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/device_choice.h"
#include "app/cli/options/whole_training.h"
#include "app/cli/print/gradcheck_report.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/progress_line.h"
#include "app/cli/print/report.h"
#include "app/cli/print/stop_signal.h"
#include "engine/core/place_text.h"
#include "engine/train/bad_value.h"

namespace hw::cli::determinism_command {
namespace {

using nlohmann::ordered_json;

struct Options {
  WholeTrainingRequest training{2, 4096};
  std::string device = "cpu";
  std::vector<int> threads{1, 2, 3, 8};
  bool json = false, all = false;
};

/// All values that one kind of op made.
struct Kind {
  size_t values = 0, differ = 0, inherited = 0;
  std::vector<int> threads;  // at which values differ
};

std::map<std::string, Kind> by_op(const DeterminismReport& r) {
  std::map<std::string, Kind> kinds;
  for (const DeterminismItem& i : r.items) {
    Kind& kind = kinds[i.op];
    ++kind.values;
    kind.differ += i.verdict == DeterminismVerdict::differs;
    kind.inherited += i.verdict == DeterminismVerdict::inherited;
    for (const BitDifference& d : i.differences)
      if (i.verdict == DeterminismVerdict::differs && !std::count(kind.threads.begin(), kind.threads.end(), d.threads))
        kind.threads.push_back(d.threads);
  }
  return kinds;
}

std::string list(const std::vector<int>& threads) {
  std::string text;
  for (size_t i = 0; i < threads.size(); ++i)
    text += (i == 0 ? "" : i + 1 == threads.size() ? " and " : ", ") + std::to_string(threads[i]);
  return text;
}

std::string shown_name(const DeterminismItem& i) {
  return i.name.empty() ? "(" + i.op + ")" : i.name;
}

/// null where it is not finite: JSON has no such numbers.
ordered_json to_json(const DeterminismReport& r) {
  ordered_json j{{"deterministic", r.deterministic()},
                 {"device", r.device},
                 {"threads", r.threads},
                 {"seed", r.seed},
                 {"steps", r.steps},
                 {"first", r.first ? ordered_json(*r.first) : ordered_json()}};
  j["ops"] = j["values"] = ordered_json::array();
  for (const auto& [op, kind] : by_op(r))
    j["ops"].push_back({{"op", op},
                        {"values", kind.values},
                        {"differ", kind.differ},
                        {"inherited", kind.inherited},
                        {"at_threads", kind.threads}});
  for (const DeterminismItem& i : r.items) {
    ordered_json differences = ordered_json::array();
    for (const BitDifference& d : i.differences)
      differences.push_back({{"threads", d.threads},
                             {"step", d.step},
                             {"elements", d.elements},
                             {"index", d.index},
                             {"place", place_text(d.index, i.dims)},
                             {"a", d.a},
                             {"b", d.b}});
    j["values"].push_back({{"node", i.node},
                           {"name", i.name},
                           {"op", i.op},
                           {"pass", name(i.pass)},
                           {"dtype", name(i.dtype)},
                           {"dims", i.dims},
                           {"implementation", i.implementation},
                           {"verdict", name(i.verdict)},
                           {"differences", differences}});
  }
  return j;
}

void print_items(const DeterminismReport& r, bool all) {
  size_t wide_node = 4, wide_name = 5;
  const auto shown = [&](const DeterminismItem& i) { return all || i.verdict == DeterminismVerdict::differs; };
  for (const DeterminismItem& i : r.items) {
    if (!shown(i)) continue;
    wide_node = std::max(wide_node, i.node.size());
    wide_name = std::max(wide_name, shown_name(i).size());
  }
  std::printf("\n%-*s  %-*s  pass      bits\n", static_cast<int>(wide_node), "node", static_cast<int>(wide_name),
              "value");
  for (size_t k = 0; k < r.items.size(); ++k) {
    const DeterminismItem& i = r.items[k];
    if (!shown(i)) continue;
    std::string at;
    for (const BitDifference& d : i.differences) at += (at.empty() ? " at " : ", ") + std::to_string(d.threads);
    std::printf("%-*s  %-*s  %-8s  %s%s%s\n", static_cast<int>(wide_node), i.node.c_str(), static_cast<int>(wide_name),
                shown_name(i).c_str(), std::string(name(i.pass)).c_str(), std::string(name(i.verdict)).c_str(),
                at.empty() ? "" : (at + " threads").c_str(), r.first == k ? "  << first" : "");
  }
}

void print(const DeterminismReport& r, bool all) {
  std::printf("%s at %s threads, seed %llu, %llu step%s; each op also alone, on the inputs that it has at %d\n\n",
              r.device.c_str(), list(r.threads).c_str(), static_cast<unsigned long long>(r.seed),
              static_cast<unsigned long long>(r.steps), r.steps == 1 ? "" : "s", r.threads.front());
  std::printf("%-24s  values  bits\n", "op");
  for (const auto& [op, kind] : by_op(r)) {
    std::string bits = "same";
    if (kind.differ)
      bits = std::to_string(kind.differ) + " differ at " + list(kind.threads) + " threads";
    else if (kind.inherited)
      bits = "same on the same inputs";
    std::printf("%-24s  %6zu  %s\n", op.c_str(), kind.values, bits.c_str());
  }
  if (all || r.first) print_items(r, all);
  if (!r.first) {
    std::printf("\nDeterministic: all %zu values have the same bits at %s threads.\n", r.items.size(),
                list(r.threads).c_str());
    return;
  }
  const DeterminismItem& i = r.items[*r.first];
  const BitDifference& d = i.differences.front();
  std::printf(
      "\n%s is the first that differs: %s (%s, %s), step %llu, in %zu of %lld elements; at %s it is %.9g with %d and "
      "%.9g with %d threads.\n",
      i.node.c_str(), shown_name(i).c_str(), i.op.c_str(), i.implementation.c_str(),
      static_cast<unsigned long long>(d.step + 1), d.elements, static_cast<long long>(element_count(i.dims)),
      place_text(d.index, i.dims).c_str(), d.a, r.threads.front(), d.b, d.threads);
}

int determinism(const Options& o) {
  const auto training = noted(whole_training, o.training);
  if (!training) return report(training.error());
  const auto device = choose_device(o.device);
  if (!device) return report(device.error());
  DeterminismOptions options;
  options.threads = o.threads;
  options.steps = o.training.steps;
  options.weights = training->weights;
  options.partial_weights = o.training.weights.partial;
  Result<DeterminismReport> result = Error{};
  {
    const EndOnSignal stop;
    ProgressLine line;
    options.progress = [&](double share) { line.show(share, "comparing"); };
    result = check_determinism(training->reduced.graph, *training->assets, *device, options);
  }
  if (!result) return report(result.error());
  if (o.json) {
    ordered_json j = to_json(*result);
    j["reduced"] = cli::to_json(training->reduced.reductions);
    print_json(j);
  } else {
    if (!training->reduced.reductions.empty())
      std::printf("reduced: %s\n", text_of(training->reduced.reductions).c_str());
    print(*result, o.all);
  }
  return result->deterministic() ? kDone : kGraphErrors;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "determinism", "Train at several numbers of threads and compare every bit; exit 1 where they differ");
  command->footer(
      "Sums over the batch are always added up in fixed chunks and a fixed order, at any number of threads. Beside "
      "oneDNN's\nown threads that costs about 1 % of a training step (scripts/bench strict), so there is no other "
      "mode.");
  auto o = std::make_shared<Options>();
  add_options(*command, o->training, "At most so many samples a step; few may fit into one thread's share");
  add_device(*command, o->device);
  command
      ->add_option("--threads", o->threads,
                   "Numbers of threads; the first is what the others are held against; one may stand there twice")
      ->capture_default_str()
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_flag("--all", o->all, "List every value");
  add_json(*command, o->json, "All ops and values as JSON; null: not finite");
  command->callback([o, &chosen] { chosen = [o] { return determinism(*o); }; });
}

}  // namespace hw::cli::determinism_command
