// map-weights: a file of weights with other names against a graph's parameters.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands/commands.h"
#include "app/cli/options/graph_input.h"
#include "app/cli/options/weights_choice.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/printable_text.h"
#include "app/cli/print/report.h"
#include "app/workspace/input_files.h"
#include "app/workspace/json.h"
#include "app/workspace/set_aside.h"
#include "app/workspace/weights_beside.h"
#include "engine/core/magnitudes.h"
#include "engine/graph/weights/convert_weights.h"
#include "engine/graph/weights/foreign_names.h"
#include "engine/io/file/folder_entries.h"
#include "engine/io/graph/graph_file.h"
#include "engine/io/tensor/weights_file.h"

namespace hw::cli::map_weights_command {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct Options : GraphRequest {
  WeightsChoice weights;
  std::string out;
  bool json = false;
};

std::string text(DType dtype, const Dims& dims) {
  return std::string(name(dtype)) + " " + to_string(dims);
}

void print(const WeightMapping& mapping, const std::map<std::string, Tensor>& tensors) {
  size_t widest = 9, widest_type = 5, widest_tensor = 6;
  for (const MappedWeight& m : mapping.parameters) {
    widest = std::max(widest, m.parameter.size());
    widest_type = std::max(widest_type, text(m.dtype, m.dims).size());
    widest_tensor = std::max(widest_tensor, m.stored_name().size());
  }
  const auto line = [&](const std::string& parameter, const std::string& type, const std::string& tensor,
                        std::string_view by, const std::string& stored) {
    std::printf("%-*s  %-*s  %-*s  %-12s  %s\n", static_cast<int>(widest), parameter.c_str(),
                static_cast<int>(widest_type), type.c_str(), static_cast<int>(widest_tensor), tensor.c_str(),
                std::string(by).c_str(), stored.c_str());
  };
  line("parameter", "needs", "tensor", "found by", "has");
  for (const MappedWeight& m : mapping.parameters) {
    const auto tensor = tensors.find(m.tensor);
    line(m.parameter, text(m.dtype, m.dims), m.tensor.empty() ? "-" : m.stored_name(), name(m.by),
         tensor == tensors.end() ? "-" : text(tensor->second.dtype(), tensor->second.dims()));
  }
  for (const std::string& tensor : mapping.unused) {
    const Tensor& t = tensors.at(tensor);
    line("-", "-", tensor, name(MappedBy::nothing), text(t.dtype(), t.dims()));
  }
}

ordered_json to_json(const WeightMapping& mapping, const std::map<std::string, Tensor>& tensors) {
  ordered_json rows = ordered_json::array(), unused = ordered_json::array(), names = ordered_json::object();
  for (const MappedWeight& m : mapping.parameters) {
    ordered_json row{{"parameter", m.parameter}, {"dtype", name(m.dtype)}, {"shape", m.dims}, {"tensor", nullptr}};
    if (const auto tensor = tensors.find(m.tensor); tensor != tensors.end()) {
      row["tensor"] = m.tensor;
      row["found_by"] = name(m.by);
      row["tensor_dtype"] = name(tensor->second.dtype());
      row["tensor_shape"] = tensor->second.dims();
      names[m.parameter] = m.stored_name();
    }
    rows.push_back(std::move(row));
  }
  for (const std::string& tensor : mapping.unused)
    unused.push_back({{"tensor", tensor},
                      {"tensor_dtype", name(tensors.at(tensor).dtype())},
                      {"tensor_shape", tensors.at(tensor).dims()}});
  ordered_json network = nullptr;
  if (!mapping.network.empty()) network = mapping.network;
  return {
      {"network", network}, {"differs", mapping.differs}, {"parameters", rows}, {"unused", unused}, {"names", names}};
}

/// Tensors that have NaN or Inf, and how many of each. Reads all elements.
std::map<std::string, Magnitudes> not_finite(const std::map<std::string, Tensor>& tensors) {
  std::map<std::string, Magnitudes> found;
  for (const auto& [name, tensor] : tensors)
    if (const Magnitudes m = magnitudes_of(tensor); !m.finite()) found.emplace(name, m);
  return found;
}

/// The graph with the names of its weights, and the weights that it takes beside it.
Status save(const OpenGraph& loaded, FittedWeights fitted, std::map<std::string, std::string> metadata,
            const fs::path& out) {
  const fs::path beside = weights_file(out);
  metadata[kChecksum];
  WeightsFile weights{with_foreign_names(loaded.graph, converted(std::move(fitted))), std::move(metadata)};
  HW_CHECK(noted(set_weights_aside, beside));
  HW_CHECK(save_weights(weights, beside));
  return noted(save_document, loaded.document, loaded.file, out.string(), option_names());
}

int map_weights(const Options& o) {
  auto loaded = noted(open_graph, o);
  if (!loaded) return report(loaded.error());
  auto read = read_weights(o.weights.file);
  if (!read) return report(read.error());
  noted(note_unread, *read);
  if (!o.out.empty()) {
    auto inputs = input_files(*loaded, o.weights.file);
    std::error_code ignored;
    for (const fs::path& file : entries_of(fs::absolute(o.weights.file, ignored).parent_path(), ignored))
      if (o.weights.file.ends_with(".json") && file.extension() == ".safetensors")
        inputs.push_back(file);  // shards, maybe
    for (const fs::path& written : {fs::path(o.out), weights_file(o.out)})
      if (const Status free = refuse_overwrite(written, inputs); !free) return report(free.error());
    if (const Status named = check_graph_name(o.out); !named) return report(named.error());
  }
  Validator validator;
  validator.reset(loaded->graph);
  const auto mapping = mapping_of(o.weights, loaded->graph, validator, read->tensors);
  if (!mapping) return report(mapping.error());
  loaded->document.weight_names = loaded->graph.weight_names = mapping->names(loaded->graph);
  ordered_json json;
  if (o.json)
    json = to_json(*mapping, read->tensors);
  else
    print(*mapping, read->tensors);
  json["not_finite"] = ordered_json::array();
  for (const auto& [tensor, m] : not_finite(read->tensors)) {
    json["not_finite"].push_back({{"tensor", tensor}, {"nan", m.nans}, {"inf", m.infs}});
    std::fprintf(stderr, "warning: %s has %lld NaN and %lld Inf among its %lld elements\n",
                 printable_text(tensor).c_str(), static_cast<long long>(m.nans), static_cast<long long>(m.infs),
                 static_cast<long long>(read->tensors.at(tensor).size()));
  }
  FittedWeights fitted = hw::fit_weights(loaded->graph, validator, std::move(read->tensors),
                                         o.weights.partial ? WeightsTaken::what_fits : WeightsTaken::all_or_nothing,
                                         o.weights.convert ? OtherDtypes::converted : OtherDtypes::refused);
  if (o.json) {
    json["problems"] = ordered_json::array();
    for (const Diagnostic& d : fitted.problems) json["problems"].push_back(workspace::to_json(d));
    print_json(json);
  }
  if (const std::string note = network_note(*mapping); !note.empty()) fitted.notes.insert(fitted.notes.begin(), note);
  for (const std::string& note : fitted.notes)
    if (!o.json) std::fprintf(stderr, "note: %s\n", note.c_str());
  if (!fitted.problems.empty()) return report(as_error(fitted.problems));
  if (o.out.empty()) return kDone;
  if (const Status saved = save(*loaded, std::move(fitted), std::move(read->metadata), o.out); !saved)
    return report(saved.error());
  return kDone;
}

}  // namespace

void add(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("map-weights", "Which tensor of a weights file is which parameter, and whether it fits");
  auto o = std::make_shared<Options>();
  o->option_names = option_names();
  command->add_option("graph", o->graph, "A .halfwire file")->required();
  command->add_option("weights", o->weights.file, "A .safetensors file, or the .index.json of a sharded set")
      ->required();
  add_allowed(*command, o->allowed);
  add_mapping(*command, o->weights);
  command->add_flag("--partial-weights", o->weights.partial, "Take the weights that fit the graph, list the rest");
  command->add_option("-o,--output", o->out,
                      "Where the graph is written with the names of its weights, and the weights beside it");
  add_json(*command, o->json, "The table as JSON on stdout");
  command->callback([o, &chosen] { chosen = [o] { return map_weights(*o); }; });
}

}  // namespace hw::cli::map_weights_command
