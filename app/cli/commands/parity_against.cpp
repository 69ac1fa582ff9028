#include "app/cli/commands/parity_against.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/options/device_choice.h"
#include "app/cli/print/json_output.h"
#include "app/cli/print/report.h"
#include "app/cli/print/stop_signal.h"
#include "app/workspace/name_map.h"
#include "engine/compare/dump_comparison.h"

namespace hw::cli {
namespace {

using nlohmann::ordered_json;

const char* verdict(const DumpItem& i) {
  if (!i.is_compared()) return "not finite";
  return i.diverges ? "diverges" : i.inherited ? "inherited" : "within";
}

ordered_json to_json(const DumpReport& r, const NotRead& not_read) {
  ordered_json j{{"agrees", !r.first && r.not_compared == 0},
                 {"first", r.first ? ordered_json(*r.first) : ordered_json()}};
  j["wires"] = ordered_json::array();
  for (const DumpItem& i : r.items)
    j["wires"].push_back({{"node", i.socket.node},
                          {"socket", i.socket.socket},
                          {"tensor", i.tensor},
                          {"matched_by", name(i.match)},
                          {"error", i.error},
                          {"verdict", verdict(i)},
                          {"not_finite", i.not_finite},
                          {"note", i.note}});
  j["unmatched"] = ordered_json::array();
  j["unmatched_because"] = ordered_json::object();
  for (const auto& [tensor, why] : r.unmatched) {
    j["unmatched"].push_back(tensor);
    if (!why.empty()) j["unmatched_because"][tensor] = why;
  }
  j["not_read"] = not_read;
  j["example_inputs"] = r.examples;
  return j;
}

void print(const DumpReport& r, const NotRead& not_read) {
  size_t inherited = 0;
  for (const DumpItem& i : r.items) {
    inherited += i.inherited;
    std::printf("%-10s %-28s %-28s by %-5s  error ÷ allowed %.3g%s%s\n", verdict(i),
                (i.socket.node + "." + i.socket.socket).c_str(), i.tensor.c_str(), std::string(name(i.match)).c_str(),
                i.error, i.note.empty() ? "" : "  ", i.note.c_str());
  }
  if (r.first) {
    const DumpItem& i = r.items[*r.first];
    std::printf("\n%s diverges first: %s beside \"%s\".", i.socket.node.c_str(), i.socket.socket.c_str(),
                i.tensor.c_str());
    if (inherited) std::printf(" %zu wires after it are off because of it.", inherited);
    std::printf("\n");
  } else if (r.not_compared == 0) {
    std::printf("\nNo divergence: %zu wires agree.\n", r.items.size());
  }
  if (r.not_compared > 0)
    std::printf("\nOf %zu of %zu wires nothing finite was compared: NaN or Inf throughout on both sides.%s\n",
                r.not_compared, r.items.size(), r.first ? "" : " Where there is something finite, they agree.");
  for (const std::string& input : r.examples)
    std::printf("note: the dump %s the Input %s: it had the graph's own example values\n",
                not_read.contains(input) ? "has a tensor that is not read for" : "has no tensor for", input.c_str());
  for (const auto& [tensor, why] : not_read) std::printf("not read: \"%s\": %s\n", tensor.c_str(), why.c_str());
  for (const auto& [tensor, why] : r.unmatched)
    std::printf("no wire for \"%s\"%s%s; --map names one\n", tensor.c_str(), why.empty() ? "" : ": ", why.c_str());
}

}  // namespace

void add_against(CLI::App& command, AgainstChoice& choice) {
  command.add_option(
      "--against", choice.folder,
      "A folder of .npy files, or a .npz file, that another program wrote: each wire is held against the tensor of its "
      "name, in evaluation mode; no Train node is needed");
  command
      .add_option("--map", choice.map,
                  "With --against: which tensor of the dump is which wire, or a .json file of these, {\"TENSOR\": "
                  "\"NODE.SOCKET\"}; may be repeated")
      ->type_name("TENSOR=NODE.SOCKET|FILE")
      ->allow_extra_args(false);
  command.add_option("--relative", choice.relative, "With --against: allowed, of the largest magnitude of a tensor")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 1.0));
}

Status check_against(const AgainstChoice& choice) {
  if (choice.map.empty() || !choice.folder.empty()) return ok();
  return Error{codes::bad_usage, "--map " + choice.map.front(),
               "it says which tensor of a dump is which wire, and no dump is given.",
               "Name the dump with --against; names of weights are given with --map-weights."};
}

int parity_against(const GraphRequest& graph, const WeightsChoice& weights, const std::string& device,
                   const AgainstChoice& choice, bool json) {
  const auto loaded = noted(open_graph, graph);
  if (!loaded) return report(loaded.error());
  const auto dump = read_dump(choice.folder);
  if (!dump) return report(dump.error());
  DumpOptions options;
  options.relative = choice.relative;
  options.where = choice.folder;
  for (const std::string& word : choice.map)
    if (const Status added = add_names(options.names, "--map", word); !added) return report(added.error());
  for (const auto& [tensor, wire] : options.names)
    if (!dump->tensors.contains(tensor) && !dump->not_read.contains(tensor))
      return report(Error{codes::bad_usage, "--map " + tensor, "the dump has no tensor of this name.",
                          "Without --map, those that find no wire are listed."});
  for (const auto& [tensor, why] : dump->not_read) options.names.erase(tensor);
  auto learnt = noted(load_weights_beside, *loaded, weights);
  if (!learnt) return report(learnt.error());
  options.weights = std::move(*learnt);
  const auto on = choose_device(device);
  if (!on) return report(on.error());
  const StopOnSignal stop;
  options.cancel = &StopOnSignal::asked();
  const auto compared = compare_with_dump(loaded->graph, *loaded->assets, *on, dump->tensors, options);
  if (!compared) return report(with_not_read(compared.error(), dump->not_read));
  if (json)
    print_json(to_json(*compared, dump->not_read));
  else
    print(*compared, dump->not_read);
  return compared->first || compared->not_compared > 0 ? kGraphErrors : kDone;
}

}  // namespace hw::cli
