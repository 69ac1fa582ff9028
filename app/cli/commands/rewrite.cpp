// rewrite: another graph, with other weights, that computes the same; proven on the graph's own data, then written.
#include "app/workspace/rewrite.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/device_choice.h"
#include "app/cli/options/graph_input.h"
#include "app/cli/options/weights_choice.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/precision_report.h"
#include "app/cli/print/progress_line.h"
#include "app/cli/print/report.h"
#include "app/cli/print/stop_signal.h"
#include "app/workspace/input_files.h"
#include "app/workspace/weights_beside.h"
#include "engine/core/codes.h"

namespace hw::cli::rewrite_command {
namespace {

using nlohmann::ordered_json;

struct Options : GraphRequest {
  std::string rule, out, device = "cpu";
  WeightsChoice weights;
  int64_t seed = 0;
  int batches = 4;
  bool json = false;
};

int list(const std::vector<RulePlaces>& all, bool json) {
  if (json) {
    ordered_json rules = ordered_json::array();
    for (const auto& [rule, places] : all)
      rules.push_back({{"rule", rule->id}, {"places", places}, {"summary", rule->summary}, {"source", rule->source}});
    print_json({{"rules", rules}});
    return kDone;
  }
  std::printf("%-18s %6s  %s\n", "rewrite", "places", "");
  for (const auto& [rule, places] : all)
    std::printf("%-18s %6zu  %s\n%26s Source: %s\n", std::string(rule->id).c_str(), places,
                std::string(rule->summary).c_str(), "", std::string(rule->source).c_str());
  return kDone;
}

void print(const Equivalence& found, const std::string& device) {
  const OutputEquivalence& worst = found.worst();
  std::printf("%zu output%s over %d batch%s on %s, in evaluation mode; %s: %s.%s\n", found.outputs.size(),
              found.outputs.size() == 1 ? "" : "s", found.batches, found.batches == 1 ? "" : "es", device.c_str(),
              found.holds() ? "all hold, nearest to its limit" : "worst", worst.output.before.node.c_str(),
              worst.output.before.socket.c_str());
  std::printf("  largest value                 %.4g\n", worst.largest);
  std::printf("  before: off the f64 result by %.3g\n", worst.before);
  std::printf("  after: off the f64 result by  %.3g (allowed %.3g)\n", worst.after, worst.allowed());
  std::printf("  after: off before by          %.3g\n", worst.difference);
  for (const OutputEquivalence& e : found.outputs)
    if (e.nans > 0)
      std::printf("  %s.%s: %lld of %lld elements are NaN before and after, and not compared\n",
                  e.output.before.node.c_str(), e.output.before.socket.c_str(), static_cast<long long>(e.nans),
                  static_cast<long long>(e.elements));
}

ordered_json to_json(const Options& o, const ProvenRewrite& proven, const std::vector<std::string>& files) {
  ordered_json places = ordered_json::array(), outputs = ordered_json::array();
  for (const Rewrite& place : proven.places) places.push_back(place.what);
  for (const OutputEquivalence& e : proven.proof.outputs)
    outputs.push_back({{"node", e.output.before.node},
                       {"socket", e.output.before.socket},
                       {"dtype", name(e.dtype)},
                       {"largest", e.largest},
                       {"before", e.before},
                       {"after", e.after},
                       {"allowed", e.allowed()},
                       {"difference", e.difference},
                       {"elements", e.elements},
                       {"nans", e.nans},
                       {"holds", e.holds()},
                       {"proves", e.proves()}});
  return {{"graph", o.graph},
          {"rule", o.rule},
          {"places", places},
          {"device", o.device},
          {"seed", o.seed},
          {"batches", proven.proof.batches},
          {"holds", proven.proof.holds()},
          {"proves", proven.proof.proves()},
          {"outputs", outputs},
          {"files", files}};
}

/// Neither the graph nor its weights may take the place of what is read.
Status check_outputs(const Options& o) {
  if (o.out.empty()) return ok();
  if (std::filesystem::path(o.out).extension() == ".safetensors")
    return Error{codes::bad_usage, "-o " + o.out, "is where weights go.", "Name a .halfwire file."};
  if (std::filesystem::is_directory(o.out))
    return Error{codes::file_unwritable, "-o " + o.out, "is a folder.", "Name a .halfwire file."};
  HW_CHECK(check_output(o.out, o.graph));
  for (const std::string& read : {weights_file(o.graph).string(), o.weights.file}) {
    std::error_code absent;
    if (std::filesystem::equivalent(weights_file(o.out), read, absent))
      return Error{codes::bad_usage, "-o " + o.out, "its weights would replace " + read + ", which is read.",
                   "Name another file."};
  }
  return ok();
}

/// With progress on stderr, whose line has ended before notes are printed.
Result<ProvenRewrite> prove(const OpenGraph& loaded, RewriteRequest request, Notes& notes) {
  const EndOnSignal stop;
  ProgressLine line;
  request.proof.progress = [&](double share) { line.show(share, "proving"); };
  return workspace::prove_rewrite(loaded, request, notes);
}

int rewrite(const Options& o) {
  const auto loaded = noted(open_graph, o);
  if (!loaded) return report(loaded.error());
  if (const Status sound = noted(check_nodes, loaded->graph); !sound) return report(sound.error());
  if (o.rule.empty()) return list(places_of_rules(loaded->graph), o.json);
  const auto rule = find_rewrite_rule(o.rule);
  if (!rule) {
    Error error = rule.error();
    error.where = "<rule> " + error.where;
    return report(error);
  }
  if (const Status free = check_outputs(o); !free) return report(free.error());
  if (const Status free = refuse_overwrite(o.out, input_files(*loaded, "")); !free) return report(free.error());
  const auto device = choose_device(o.device);
  if (!device) return report(device.error());
  const auto weights = noted(load_weights_beside, *loaded, o.weights);
  if (!weights) return report(weights.error());
  const EquivalenceOptions proof{.seed = static_cast<uint64_t>(o.seed), .batches = o.batches};
  const auto proven = noted(prove, *loaded, RewriteRequest{*rule, *weights, *device, proof});
  if (!proven) return report(proven.error());
  if (proven->places.empty()) {
    std::fprintf(stderr, "%s: no place for it in this graph.\n", o.rule.c_str());
    return kGraphErrors;
  }
  if (!o.json) {
    for (const Rewrite& place : proven->places) std::printf("%s: %s\n", o.rule.c_str(), place.what.c_str());
    print(proven->proof, o.device);
  }
  const bool holds = proven->proof.holds() && proven->proof.proves();
  std::vector<std::string> files;
  if (holds && !o.out.empty()) {
    const auto written = noted(save_rewritten, *loaded, *proven, o.out, "-o");
    if (!written) return report(written.error());
    for (const std::filesystem::path& file : *written) files.push_back(file.string());
  }
  if (o.json) print_json(to_json(o, *proven, files));
  for (const std::string& file : files)
    if (!o.json) std::printf("%s: written\n", file.c_str());
  if (!proven->proof.holds() && proven->proof.worst().is_lost())
    std::fprintf(stderr, "this proves nothing: the graph's %s. Nothing is written.\n",
                 proven->proof.worst().lost > 0 ? "own result is not finite where its f64 result is"
                                                : "f64 result is not finite where its own result is another value");
  else if (!proven->proof.holds())
    std::fprintf(stderr, "the rewritten graph computes something else: nothing is written.\n");
  else if (!holds)
    std::fprintf(stderr,
                 "this proves nothing: of an output the limit is as large as its values, since the graph itself is so "
                 "far from its f64 result, or all of it is NaN. Nothing is written.\n");
  return holds ? kDone : kGraphErrors;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("rewrite", "Another graph that computes the same: fold Batch Norm, merge convolutions, …");
  auto o = std::make_shared<Options>();
  o->option_names = option_names();
  command->add_option("graph", o->graph, "The graph, .halfwire")->required();
  command->add_option("rule", o->rule, "Which rewrite, at every place; none: all are listed with their places");
  command->add_option(
      "-o,--output", o->out,
      "Where the rewritten graph is written, and beside it its weights (.safetensors); none: it is only "
      "tried");
  add_weights(*command, o->weights, kWeightsBesideHelp);
  add_allowed(*command, o->allowed);
  add_device(*command, o->device);
  command->add_option("--seed", o->seed, "Of initial weights and random sources")
      ->capture_default_str()
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 53));
  command->add_option("--batches", o->batches, "Of the graph's data that both graphs are run on")
      ->capture_default_str()
      ->check(CLI::Range(1, 100'000));
  add_json(*command, o->json, "The rules, or the places, the proof and the files, as JSON on stdout");
  command->callback([o, &chosen] { chosen = [o] { return rewrite(*o); }; });
}

}  // namespace hw::cli::rewrite_command
