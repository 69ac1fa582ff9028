// validate: every diagnostic of a graph, and whether its assets can be read.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/device_choice.h"
#include "app/cli/options/graph_input.h"
#include "app/cli/options/weights_choice.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "app/workspace/assets.h"
#include "app/workspace/input_files.h"
#include "app/workspace/json.h"
#include "app/workspace/set_aside.h"
#include "app/workspace/weights_beside.h"
#include "engine/devices/devices.h"
#include "engine/graph/check/check_instances.h"
#include "engine/graph/check/missing_operators.h"
#include "engine/graph/groups/edits_apart.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/lower/parameter_count.h"
#include "engine/graph/precision/fix.h"
#include "engine/graph/weights/convert_weights.h"
#include "engine/io/tensor/weights_file.h"
#include "engine/plan/graph_hints.h"
#include "engine/plan/memory_estimate.h"

namespace hw::cli::validate_command {
namespace {

using nlohmann::ordered_json;

/// An error at "node" or "node.socket".
Diagnostic to_diagnostic(const Error& error) {
  Diagnostic d;
  d.code = error.code;
  d.node = error.where.substr(0, error.where.find('.'));
  if (d.node.size() < error.where.size()) d.socket = error.where.substr(d.node.size() + 1);
  d.reason = error.remedy.empty() ? error.reason : error.reason + " " + error.remedy;
  return d;
}

/// All that is there at a time is more than the machine has, although each value could lie in it.
Diagnostic too_large(size_t total) {
  Diagnostic d;
  d.code = codes::out_of_memory;
  d.severity = Severity::warning;
  d.reason = "Training takes about " + memory_text(total) + " of memory; this machine has " +
             memory_text(machine_memory()) + ". Make batches, layers or tables smaller, or use a narrower dtype.";
  return d;
}

struct Options : GraphRequest {
  std::string fix, out;
  WeightsChoice weights;
  bool json = false;
};

ordered_json to_json(const ParameterCount& count) {
  return {{"count", count.parameters}, {"frozen", count.frozen}, {"bytes", count.bytes}, {"complete", count.complete}};
}

/// Does what --fix asks for and writes the graph; what was changed is printed.
Status apply_fix(const Options& o, OpenGraph& loaded, const std::map<std::string, Tensor>& weights) {
  if (o.out.empty())
    return Error{codes::bad_usage, "--fix " + o.fix, "it needs -o FILE for the mended graph.", "See validate --help."};
  const bool has_groups = !loaded.document.groups().empty();
  Graph document = has_groups ? loaded.document : loaded.graph;
  std::vector<std::string> notes;
  if (o.fix == "policy") {
    const PrecisionPlan plan = policy_plan(loaded.graph);
    HW_TRY(const Edits edits, document_edits_apart(document, plan.edits));
    HW_CHECK(apply_edits(document, edits));
    notes = plan.notes;
  } else {
    HW_TRY(const Fix fix, parse_fix(o.fix));
    HW_TRY(notes, fix_clashes(document, fix, weights));
  }
  for (const std::string& note : notes) std::fprintf(stderr, "note: %s\n", note.c_str());
  loaded.graph = flatten(document);
  loaded.document = std::move(document);
  HW_CHECK(noted(set_weights_aside, weights_file(o.out)));
  HW_CHECK(noted(save_document, loaded.document, o.graph, o.out, option_names()));
  noted(note_weights_stay, o.graph, o.out);
  return ok();
}

int validate(const Options& o) {
  const size_t program = resident_memory();                   // beside what training takes
  const std::string& file = o.fix.empty() ? o.graph : o.out;  // what the report is about
  const bool json = o.json;
  auto loaded = noted(open_graph, o);
  if (!loaded) {
    if (json) print_json({{"file", file}, {"error", workspace::to_json(loaded.error())}});
    return report(loaded.error());
  }
  std::map<std::string, Tensor> weights;
  if (!o.weights.file.empty()) {
    auto read = read_weights(o.weights.file);
    if (!read) return report(read.error());
    noted(note_unread, *read);
    weights = std::move(read->tensors);
  }
  if (!o.fix.empty()) {
    if (const Status free = refuse_overwrite(o.out, input_files(*loaded, o.weights.file)); !free)
      return report(free.error());
    if (const Status fixed = apply_fix(o, *loaded, weights); !fixed) return report(fixed.error());
  }
  Validator validator;
  validator.set_devices(has_device, device_ids);
  validator.reset(loaded->graph);
  std::vector<Diagnostic> all = validator.all();
  std::ranges::move(check_instances(loaded->document), std::back_inserter(all));
  FittedWeights fitted;
  if (!o.weights.file.empty()) {
    auto fit = fit_weights(o.weights, loaded->graph, validator, std::move(weights));
    if (!fit) return report(fit.error());
    fitted = std::move(*fit);
  }
  all.insert(all.end(), fitted.problems.begin(), fitted.problems.end());
  if (!json) {
    for (const std::string& line : conversion_losses(fitted)) std::fprintf(stderr, "warning: %s\n", line.c_str());
    for (const std::string& note : fitted.notes) std::fprintf(stderr, "note: %s\n", note.c_str());
  }
  check_assets(*loaded, all);
  std::ranges::move(graph_hints(loaded->graph, *loaded->assets), std::back_inserter(all));

  std::optional<MemoryEstimate> memory;
  if (std::none_of(all.begin(), all.end(), [](const Diagnostic& d) { return d.severity == Severity::error; })) {
    const auto found = estimate_memory(loaded->graph, *loaded->assets, default_device_id());
    if (found) {
      memory = *found;
      if (const size_t total = memory->total() + program; total > machine_memory()) all.push_back(too_large(total));
    } else if (found.error().code != codes::no_trainer && !found.error().code.starts_with("HW-A")) {  // reported above
      all.push_back(to_diagnostic(found.error()));
    }
  }
  const auto parameters = count_parameters(loaded->graph, validator);
  const auto errors = std::ranges::count(all, Severity::error, &Diagnostic::severity);
  if (json) {
    ordered_json list = ordered_json::array();
    for (const Diagnostic& d : all) list.push_back(workspace::to_json(explained(d)));
    ordered_json out{
        {"file", file}, {"errors", errors}, {"diagnostics", list}, {"parameters", to_json(parameters.at(""))}};
    for (const auto& [path, count] : parameters)
      if (!path.empty()) out["groups"][path] = to_json(count);
    out["memory_bytes"] = nullptr;
    if (memory) {
      out["memory_bytes"] = {{"parameters", memory->parameters},   {"optimiser", memory->optimiser},
                             {"activations", memory->activations}, {"data", memory->data},
                             {"copies", memory->copies},           {"program", program},
                             {"total", memory->total() + program}};
    }
    print_json(out);
  } else {
    for (const Diagnostic& d : merge_missing_operators(loaded->graph, std::move(all))) report(d);
    std::printf("%s: %zu nodes, %zu links, %td error%s\n", file.c_str(), loaded->graph.nodes().size(),
                loaded->graph.link_count(), errors, errors == 1 ? "" : "s");
    for (const auto& [path, count] : parameters) {
      if (path.find('/') == path.npos && count.parameters > 0)
        std::printf("%s%s\n", path.empty() ? "" : ("group " + path + ": ").c_str(), parameters_text(count).c_str());
    }
    if (memory) {
      const size_t total = memory->total() + program;
      std::printf(
          "training takes about %s of memory: parameters %s, optimiser %s, activations %s, data %s, copies of "
          "weights %s, the program %s\n",
          memory_text(total).c_str(), memory_text(memory->parameters).c_str(), memory_text(memory->optimiser).c_str(),
          memory_text(memory->activations).c_str(), memory_text(memory->data).c_str(),
          memory_text(memory->copies).c_str(), memory_text(program).c_str());
    }
  }
  return errors ? kGraphErrors : kDone;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand("validate", "Check a graph: wires, parameters, assets");
  auto o = std::make_shared<Options>();
  add_graph_options(*command, *o);
  add_json(*command, o->json, "Diagnostics as JSON on stdout");
  add_weights(*command, o->weights, "Check that this .safetensors file fits, too");
  CLI::Option* fix = command->add_option(
      "--fix", o->fix, "Mend dtype clashes: insert-cast, unify=DTYPE, negotiate, or policy (the graph's own)");
  fix->excludes(command->get_option("--set"));  // the file is mended, not what it would be
  command->add_option("-o,--output", o->out, "Where the mended graph is written")->needs(fix);
  command->callback([o, &chosen] { chosen = [o] { return validate(*o); }; });
}

}  // namespace hw::cli::validate_command
