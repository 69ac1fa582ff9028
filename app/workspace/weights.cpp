#include "app/workspace/weights.h"

#include <algorithm>
#include <filesystem>

#include "app/workspace/name_map.h"
#include "app/workspace/weights_beside.h"
#include "engine/core/codes.h"
#include "engine/core/nearest_names.h"
#include "engine/graph/lower/parameter_count.h"
#include "engine/graph/weights/convert_weights.h"
#include "engine/graph/weights/foreign_names.h"
#include "engine/io/tensor/weights_file.h"

namespace hw::workspace {
namespace {

constexpr size_t kMostListed = 4;

struct Asked {
  std::map<std::string, std::string> given;  // parameter to tensor
  MappedBy last = MappedBy::name;
};

Result<Asked> asked_in(const WeightsChoice& choice) {
  Asked asked;
  for (const std::string& word : choice.map) {
    if (word.ends_with(".json") || word.find('=') != word.npos) {
      HW_CHECK(add_names(asked.given, choice.map_option, word));
    } else if (word == "name") {
      asked.last = std::max(asked.last, MappedBy::similar_name);
    } else if (word == "shape") {
      asked.last = std::max(asked.last, MappedBy::shape);
    } else if (word == "order") {
      asked.last = MappedBy::order;
    } else {
      return Error{codes::bad_usage, choice.map_option, "\"" + word + "\" is no way to map weights.",
                   "Give name, shape, order, PARAMETER=TENSOR or a .json file."};
    }
  }
  return asked;
}

/// What was given must be there.
Status check_given(const Asked& asked, const WeightMapping& mapping, const std::map<std::string, Tensor>& tensors) {
  std::map<std::string, std::string> tensor_of;
  for (const MappedWeight& m : mapping.parameters) tensor_of[m.parameter] = m.tensor;
  for (const auto& [parameter, tensor] : asked.given) {
    const auto row = tensor_of.find(parameter);
    if (row == tensor_of.end())
      return Error{codes::weights_mismatch, parameter, "the graph has no such parameter.",
                   "halfwire-cli map-weights GRAPH WEIGHTS lists them."};
    if (!tensors.contains(tensor))
      return Error{codes::weights_mismatch, tensor, "the weights have no such tensor.",
                   "halfwire-cli map-weights GRAPH WEIGHTS lists them."};
    if (row->second != tensor)
      return Error{codes::weights_mismatch, tensor, "this tensor cannot be given to " + parameter + ".",
                   "halfwire-cli map-weights GRAPH WEIGHTS lists what it can be given to."};
  }
  return ok();
}

}  // namespace

WeightMapping mapping_of(const std::map<std::string, std::string>& given, MappedBy last, const Graph& flat,
                         const Validator& validator, const std::map<std::string, Tensor>& tensors) {
  std::map<std::string, std::string> names = flat.weight_names;
  std::set<std::string> taken;
  for (const auto& [parameter, tensor] : given) taken.insert(tensor);
  std::erase_if(names, [&](const auto& kept) { return taken.contains(kept.second); });
  for (const auto& [parameter, tensor] : given) names[parameter] = tensor;
  return map_weights(flat, validator, tensors, names, last);
}

Result<WeightMapping> mapping_of(const WeightsChoice& choice, const Graph& flat, const Validator& validator,
                                 const std::map<std::string, Tensor>& tensors) {
  HW_TRY(const Asked asked, asked_in(choice));
  WeightMapping mapping = mapping_of(asked.given, asked.last, flat, validator, tensors);
  HW_CHECK(check_given(asked, mapping, tensors));
  return mapping;
}

std::string network_note(const WeightMapping& mapping) {
  if (mapping.network.empty()) return {};
  return "the names are those of " + mapping.network + (mapping.differs.empty() ? "" : "; " + mapping.differs);
}

Result<FittedWeights> fit_weights(const WeightsChoice& choice, Graph& graph, const Validator& validator,
                                  std::map<std::string, Tensor> tensors) {
  std::string note;
  if (!choice.map.empty()) {
    HW_TRY(const WeightMapping mapping, mapping_of(choice, graph, validator, tensors));
    graph.weight_names = mapping.names(graph);
    note = network_note(mapping);
  }
  FittedWeights fitted = hw::fit_weights(graph, validator, std::move(tensors),
                                         choice.partial ? WeightsTaken::what_fits : WeightsTaken::all_or_nothing,
                                         choice.convert ? OtherDtypes::converted : OtherDtypes::refused);
  if (!note.empty()) fitted.notes.insert(fitted.notes.begin(), note);
  return fitted;
}

Result<std::string> weights_beside(const OpenGraph& loaded, const std::string& file) {
  if (file == kNoWeights) return std::string();
  if (!file.empty()) return file;
  const std::filesystem::path beside = weights_file(loaded.file);
  std::error_code ec;
  if (!std::filesystem::is_regular_file(beside, ec)) return std::string();
  HW_CHECK(loaded.assets->reach().check(beside, beside.string()));
  return beside.string();
}

void note_unread(const WeightsFile& weights, Notes& notes) {
  for (const std::string& line : unread_lines(weights)) add_note(notes, line);
}

void note_without_weights(const Graph& graph, const std::string& what, Notes& notes) {
  if (has_parameters(graph)) add_note(notes, "no weights are given; " + what);
}

namespace {

/// Adds parameters that are not trained, such as masks that an import computed, from the weights beside the graph:
/// other files do not have them.
void add_frozen_beside(const OpenGraph& loaded, std::map<std::string, Tensor>& tensors) {
  const auto beside = weights_beside(loaded, "");
  if (!beside || beside->empty()) return;
  auto read = read_weights(*beside);
  if (!read) return;
  const std::map<std::string, std::string>& exact = loaded.graph.weight_names;
  const NodeNames names(loaded.graph);
  for (auto& [name, tensor] : read->tensors) {
    const auto known = std::ranges::find(exact, name, [](const auto& entry) { return entry.second; });
    const std::string parameter = known == exact.end() ? names.parameter_of(name) : known->first;
    const Node* node = loaded.graph.find(parameter.substr(0, parameter.rfind('.')));
    if (node && !is_trained(*node)) tensors.emplace(name, std::move(tensor));
  }
}

/// How none are asked for, between `before` and `after`; "" where no option does.
std::string without_weights(const OpenGraph& loaded, const std::string& before, const std::string& after) {
  const std::string& option = loaded.option_names.weights;
  return option.empty() ? "" : before + by_option(option, kNoWeights) + after;
}

/// From choice.file.
Result<std::shared_ptr<const Weights>> load_weights(const WeightsChoice& choice, const OpenGraph& loaded,
                                                    Notes& notes) {
  const Graph& graph = loaded.graph;
  HW_TRY(WeightsFile read, read_weights(choice.file));
  note_unread(read, notes);
  add_frozen_beside(loaded, read.tensors);
  Validator validator;
  validator.reset(graph);
  Graph mapped = graph;
  HW_TRY(FittedWeights fitted, fit_weights(choice, mapped, validator, std::move(read.tensors)));
  if (!fitted.problems.empty()) {
    Error error = as_error(fitted.problems);
    const OptionNames& names = loaded.option_names;
    if (!choice.convert && error.code == codes::weight_dtype)
      error.remedy += " Or convert them" + (names.convert.empty() ? "." : ": " + names.convert + ".");
    return error;
  }
  for (const std::string& note : fitted.notes) add_note(notes, note);
  for (const std::string& line : conversion_losses(fitted)) add_warning(notes, line);
  return std::shared_ptr<const Weights>(std::make_shared<Weights>(converted(std::move(fitted))));
}

/// What the file lacks, from the weights beside the graph: without these it would be drawn.
Result<std::shared_ptr<const Weights>> with_those_beside(const OpenGraph& loaded, const Weights& weights,
                                                         const WeightsChoice& choice, Notes& notes) {
  const auto beside = weights_beside(loaded, "");
  std::error_code ec;
  Weights whole = weights;
  if (beside && !beside->empty() && choice.file != kNoWeights &&
      !std::filesystem::equivalent(*beside, choice.file, ec)) {
    HW_TRY(WeightsFile read, read_weights(*beside));
    Validator validator;
    validator.reset(loaded.graph);
    const size_t taken = whole.size();
    whole.merge(converted(hw::fit_weights(loaded.graph, validator, std::move(read.tensors), WeightsTaken::what_fits)));
    if (whole.size() > taken)
      add_note(notes, std::to_string(whole.size() - taken) + " parameters that " + choice.file +
                          " lacks are those beside the graph");
  }
  return std::shared_ptr<const Weights>(std::make_shared<Weights>(std::move(whole)));
}

}  // namespace

Result<std::shared_ptr<const Weights>> load_weights_beside(const OpenGraph& loaded, WeightsChoice choice,
                                                           Notes& notes) {
  const bool asked = !choice.file.empty();
  HW_TRY(choice.file, weights_beside(loaded, choice.file));
  if (choice.file.empty()) return std::shared_ptr<const Weights>();
  auto weights = load_weights(choice, loaded, notes);
  if (weights && asked) return with_those_beside(loaded, **weights, choice, notes);
  if (weights || asked) return weights;
  Error error = weights.error();
  error.remedy += " Or begin with initial weights" + without_weights(loaded, ": ", "") + ".";
  return error;
}

Result<std::shared_ptr<const Weights>> load_weights_or_initial(const OpenGraph& loaded, const WeightsChoice& choice,
                                                               const std::string& what, Notes& notes) {
  HW_TRY(std::shared_ptr<const Weights> weights, load_weights_beside(loaded, choice, notes));
  if (!weights) note_without_weights(loaded.graph, what, notes);
  return weights;
}

Result<std::shared_ptr<const Weights>> load_weights_to_show(const OpenGraph& loaded, const WeightsChoice& choice,
                                                            Notes& notes) {
  return load_weights_or_initial(loaded, choice, "the picture shows the untrained network", notes);
}

Result<std::shared_ptr<const Weights>> load_weights_to_train(const OpenGraph& loaded, const WeightsChoice& choice,
                                                             Notes& notes) {
  HW_TRY(std::shared_ptr<const Weights> weights, load_weights_beside(loaded, choice, notes));
  if (weights && choice.file.empty()) {
    HW_TRY(const std::string file, weights_beside(loaded, ""));
    add_note(notes, "begins with the weights beside the graph, " + file +
                        without_weights(loaded, "; ", ": with initial ones"));
  }
  std::vector<std::string> drawn;
  for (const auto& [id, node] : loaded.graph.nodes())
    if (!weights && !is_trained(node)) drawn.push_back(id);
  if (!drawn.empty())
    add_note(notes, "no weights are given; " + listed(drawn, kMostListed) +
                        (drawn.size() == 1 ? " begins with initial ones and is not trained"
                                           : " begin with initial ones and are not trained"));
  return weights;
}

}  // namespace hw::workspace
