#include "engine/graph/weights/fit_weights.h"

#include <algorithm>
#include <cassert>
#include <set>

#include "engine/core/same_bits.h"
#include "engine/graph/check/check_weights.h"
#include "engine/graph/weights/foreign_names.h"
#include "engine/graph/weights/published_names.h"
#include "engine/graph/weights/weight_scale.h"
#include "engine/node/dtype_join.h"

namespace hw {
namespace {

std::string text(DType dtype) {
  return std::string(name(dtype));
}

constexpr size_t kMostRemedyEdits = 50'000;
constexpr char kNothing[] = "nothing";  // got: the weights lack it; expected: the graph does

/// Nodes that the Train node depends on, itself too; without one, that any node depends on that has no outputs; without
/// such a node, all.
std::set<std::string> nodes_that_run(const Graph& graph) {
  std::vector<std::string> open, takers;
  for (const auto& [id, node] : graph.nodes()) {
    const NodeType* type = Registry::instance().find(node.type);
    if (!type || node.bypassed) continue;
    if (type->decl.role() == Role::train) open.push_back(id);
    const Declaration declared = type->declared(node.params);
    if (declared->outputs().empty()) takers.push_back(id);
  }
  if (open.empty()) open = std::move(takers);
  std::set<std::string> run(open.begin(), open.end());
  while (!open.empty()) {
    const std::string id = std::move(open.back());
    open.pop_back();
    for (const Link& link : graph.links_into(id))
      if (run.insert(link.from).second) open.push_back(link.from);
  }
  if (run.empty())
    for (const auto& [id, node] : graph.nodes()) run.insert(id);
  return run;
}

Diagnostic misfit(const std::string& node, const std::string& weight, std::string reason, std::string expected,
                  std::string got) {
  Diagnostic d;
  d.code = codes::weights_mismatch;
  d.node = node;
  d.socket = weight;
  d.reason = std::move(reason);
  d.expected = std::move(expected);
  d.got = std::move(got);
  return d;
}

/// The module of a tensor that is an auxiliary head: "aux1" of "aux1.fc1.weight", "AuxLogits"; "": it is in none.
std::string auxiliary_head(const std::string& tensor) {
  for (size_t begin = 0, end; (end = tensor.find('.', begin)) != tensor.npos; begin = end + 1) {
    const std::string_view module = std::string_view(tensor).substr(begin, end - begin);
    const size_t digits = module.find_last_not_of("0123456789");
    const std::string_view word = module.substr(0, digits == module.npos ? 0 : digits + 1);
    if (word == "aux" || word == "AuxLogits" || word == "aux_classifier" || word == "aux_head")
      return tensor.substr(0, end);
  }
  return {};
}

std::string name_of(const Diagnostic& d) {
  return d.socket.empty() ? d.node : d.node + "." + d.socket;
}

/// Compares one graph with one file's tensors.
class Fitting {
 public:
  Fitting(const Graph& graph, const Validator& validator, std::map<std::string, Tensor> weights, WeightsTaken taken,
          OtherDtypes others)
      : graph_(graph),
        validator_(validator),
        scales_(with_node_ids(graph, scales_in(weights, twice_), Turning::nothing)),
        weights_(with_node_ids(graph, std::move(weights), Turning::matrices, &shared_)),
        partial_(taken == WeightsTaken::what_fits),
        converts_(others == OtherDtypes::converted) {
    std::erase_if(weights_, [](const auto& entry) {
      return entry.first.find('#') != std::string::npos || counts_batches(entry.first);
    });
  }

  FittedWeights run() {
    note_shared();
    for (const std::string& tensor : twice_)
      fitted_.problems.push_back(misfit(tensor.substr(0, tensor.rfind('.')), tensor.substr(tensor.rfind('.') + 1),
                                        "the weights have several scales beside it.", "one", "several"));
    const std::set<std::string> run = nodes_that_run(graph_);
    for (const auto& [id, node] : graph_.nodes()) {
      const NodeType* type = Registry::instance().find(node.type);
      if (!type) unknown_.insert(id);
      if (!type || type->decl.weights().empty() || !node.tie.empty()) continue;
      const auto parameters = parameters_of(node, validator_.input_types(graph_, node));
      if (!parameters) {
        unknown_.insert(id);
        continue;
      }
      for (const auto& [weight, value] : *parameters) compare(node, weight, value, run.contains(id) && !node.bypassed);
    }
    std::erase_if(weights_, [this](const auto& entry) { return is_master(entry.first); });
    find_superfluous();
    find_clashes();
    for (const std::string& name : superfluous_) weights_.erase(name);
    if (partial_) {
      for (const Diagnostic& d : fitted_.problems) {
        weights_.erase(name_of(d));
        fitted_.notes.push_back(name_of(d) + " is not taken: " + d.reason);
      }
      fitted_.problems.clear();
    }
    if (fitted_.problems.empty()) {
      fitted_.tensors = std::move(weights_);
    } else {
      fitted_.conversions.clear();
    }
    return std::move(fitted_);
  }

 private:
  /// Takes the scales of f8 tensors out: by the name of the tensor that each scales. Those of what layers are given go.
  /// `twice`: tensors that have several scales.
  static std::map<std::string, Tensor> scales_in(std::map<std::string, Tensor>& weights, std::set<std::string>& twice) {
    std::map<std::string, Tensor> scales;
    std::vector<std::string> taken;
    for (const auto& [name, tensor] : weights) {
      const std::string weight = tensor_scaled_by(name, weights);
      if (!weight.empty() && !scales.emplace(weight, tensor).second) twice.insert(weight);
      if (!weight.empty() || is_scale_of_values(name, weights)) taken.push_back(name);
    }
    for (const std::string& name : taken) weights.erase(name);
    return scales;
  }

  Dims dims_in_file(const std::string& parameter, const Dims& dims) const {
    return is_turned(parameter) ? Dims(dims.rbegin(), dims.rend()) : dims;
  }
  bool is_turned(const std::string& parameter) const {
    const auto found = graph_.weight_names.find(parameter);
    return found != graph_.weight_names.end() && found->second.ends_with(kTransposed);
  }

  void note_shared() {
    std::map<std::string, std::vector<std::string>> of;  // parameters, by tensor
    for (const auto& [tensor, owner] : tensor_owners(graph_)) of[tensor].push_back(owner);
    for (const std::string& parameter : shared_)
      of.at(std::string(name_in_file(graph_.weight_names.at(parameter)))).push_back(parameter);
    for (const auto& [tensor, parameters] : of) {
      if (parameters.size() < 2) continue;
      std::string list;
      for (const std::string& parameter : parameters) list += (list.empty() ? "" : ", ") + parameter;
      fitted_.notes.push_back(tensor + " is loaded to each of " + list +
                              ": as parameters of their own, which training may make different.");
    }
  }

  struct Found {
    std::string node, weight;
    DType computed;
  };

  void compare(const Node& node, const std::string& weight, const Value& value, bool wanted) {
    const std::string name = node.id + "." + weight;
    known_.insert(name);
    const WeightFormat* format = weight_format(node, weight);
    const DType stored = format ? format->dtype : value.dtype;
    const auto given = weights_.find(name);
    if (given == weights_.end()) {
      if (!wanted) return;
      fitted_.problems.push_back(misfit(
          node.id, weight,
          "the weights have no such parameter, the graph needs " + text(stored) + " " + to_string(value.dims) + ".",
          text(stored) + " " + to_string(value.dims), kNothing));
      return;
    }
    Tensor& tensor = given->second;
    if (tensor.dims() != value.dims && !scales_.contains(name) && same_layout(tensor.dims(), value.dims)) {
      fitted_.notes.push_back(name + " is loaded as " + to_string(value.dims) + "; the weights have " +
                              to_string(tensor.dims()) + ", the same elements in the same order.");
      tensor = tensor.reshaped(value.dims);
    }
    if (tensor.dims() != value.dims) {
      const bool is_turned = tensor.dims().size() == 2 && Dims{tensor.dims()[1], tensor.dims()[0]} == value.dims;
      fitted_.problems.push_back(misfit(
          node.id, weight,
          "the weights have " + text(tensor.dtype()) + " " + to_string(tensor.dims()) + ", the graph needs " +
              text(stored) + " " + to_string(value.dims) + "." +
              (is_turned ? " Its transpose would fit: --map " + name + "=TENSOR" + std::string(kTransposed) + "." : ""),
          to_string(value.dims), to_string(tensor.dims())));
    } else if (const auto scale = scales_.find(name);
               scale != scales_.end() &&
               (tensor.dtype() == stored || !fits_scale(dims_in_file(name, value.dims), scale->second.dims()))) {
      fitted_.problems.push_back(misfit(
          node.id, weight,
          tensor.dtype() == stored
              ? "the weights have a scale beside it, and the graph stores it in " + text(stored) + " without one."
              : "its scale of sizes " + to_string(scale->second.dims()) +
                    " is neither one number, nor one for each row, nor one for each block of 128 x 128.",
          text(stored), text(tensor.dtype())));
    } else if (tensor.dtype() == stored) {
      return;
    } else if (!info(tensor.dtype()).is_float) {
      Diagnostic d = misfit(node.id, weight, "the weights have " + text(tensor.dtype()) + ", which is no float.",
                            text(stored), text(tensor.dtype()));
      d.code = codes::weight_dtype;
      fitted_.problems.push_back(std::move(d));
    } else if (converts_ || (format && format->convert)) {
      fitted_.notes.push_back(name + " converted on loading, " + text(tensor.dtype()) + " → " + text(stored) + ": " +
                              cast_effect(tensor.dtype(), stored) +
                              (scale == scales_.end() ? "." : "; times the scale that is beside it."));
      fitted_.conversions[name] = stored;
      if (scale != scales_.end()) fitted_.scales[name] = scale->second;
      if (scale != scales_.end() && is_turned(name)) fitted_.turned.insert(name);
      if (scale == scales_.end() && !scales_.empty() && info(tensor.dtype()).bits == 8)
        fitted_.notes.push_back(name + " has no scale beside it, as others of this file do: is one missing?");
    } else {
      clashes_.push_back({{node.id, weight, value.dtype}, tensor.dtype()});
      adopt_.push_back(SetWeight{node.id, weight, WeightFormat{tensor.dtype(), false, false}});
    }
  }

  /// A checkpoint has the masters of parameters beside them.
  bool is_master(const std::string& name) const {
    constexpr std::string_view kMaster = ".master";
    return name.ends_with(kMaster) && !known_.contains(name) &&
           known_.contains(name.substr(0, name.size() - kMaster.size()));
  }

  /// The parameter that has this very matrix, as of an embedding and the layer that shares it; "": none.
  std::string stored_twice(const Tensor& tensor) const {
    if (tensor.dims().size() != 2 || same_bits(tensor, Tensor::zeros(tensor.dtype(), tensor.dims()))) return {};
    for (const std::string& name : known_)
      if (const auto found = weights_.find(name);
          found != weights_.end() && found->second.dims() == tensor.dims() && same_bits(found->second, tensor))
        return name;
    return {};
  }

  void find_superfluous() {
    std::set<std::string> heads;
    for (const auto& [name, tensor] : weights_) {
      const size_t dot = name.find('.');
      if (known_.contains(name) || unknown_.contains(name.substr(0, dot))) continue;
      superfluous_.push_back(name);
      const std::string of_file = with_foreign_names(graph_, {{name, tensor}}).begin()->first;
      if (const std::string same = stored_twice(tensor); !same.empty()) {
        fitted_.notes.push_back(of_file + " is left out: it is what " + same + " has, stored twice.");
        continue;
      }
      if (const std::string head = auxiliary_head(of_file); !head.empty()) {
        if (heads.insert(head).second)
          fitted_.notes.push_back(head + " is left out: an auxiliary head, which only training uses.");
        continue;
      }
      const size_t end = of_file.find('.');
      fitted_.problems.push_back(misfit(of_file.substr(0, end), end == std::string::npos ? "" : of_file.substr(end + 1),
                                        "the weights have " + text(tensor.dtype()) + " " + to_string(tensor.dims()) +
                                            ", the graph has no such parameter.",
                                        kNothing, text(tensor.dtype()) + " " + to_string(tensor.dims())));
    }
  }

  void find_clashes() {
    if (clashes_.empty()) return;
    Graph adopted = graph_;  // the graph as the file would have it
    [[maybe_unused]] const auto applied = apply_edits(adopted, adopt_);
    assert(applied && "only known weights in storable dtypes");
    // Each remedy has the edits of all clashes: further ones are reported without, and the first mend all.
    const size_t with_remedies = std::max<size_t>(1, kMostRemedyEdits / adopt_.size());
    for (size_t i = 0; const auto& [found, loaded] : clashes_) {
      if (i++ >= with_remedies) {
        Diagnostic d =
            misfit(found.node, found.weight,
                   "the weights have " + text(loaded) + ", the graph computes in " + text(found.computed) + ".",
                   text(found.computed), text(loaded));
        d.code = codes::weight_dtype;
        fitted_.problems.push_back(std::move(d));
        continue;
      }
      const Node& node = *adopted.find(found.node);
      const WeightDecl& decl = *Registry::instance().find(node.type)->decl.find_weight(found.weight);
      fitted_.problems.push_back(
          weight_clash(adopted, {node, decl, found.weight, loaded, found.computed}, adopt_, " is loaded as "));
    }
  }

  const Graph& graph_;
  const Validator& validator_;
  std::set<std::string> twice_;           // tensors of the file with several scales
  std::map<std::string, Tensor> scales_;  // by the parameter that they scale
  std::set<std::string> shared_;          // parameters that have the tensor of another
  std::map<std::string, Tensor> weights_;
  const bool partial_, converts_;
  FittedWeights fitted_;
  std::vector<std::string> superfluous_;          // of no parameter
  std::set<std::string> known_, unknown_;         // parameters; nodes whose parameters are not known
  std::vector<std::pair<Found, DType>> clashes_;  // the dtype that was loaded
  Edits adopt_;
};

/// "; missing: a, b and 3 more" or "".
std::string listed(const char* what, const std::vector<std::string>& names) {
  constexpr size_t kShown = 8;
  if (names.empty()) return {};
  std::string list = std::string("; ") + what + ": ";
  for (size_t i = 0; i < std::min(kShown, names.size()); ++i) list += (i ? ", " : "") + names[i];
  if (names.size() > kShown) list += " and " + std::to_string(names.size() - kShown) + " more";
  return list;
}

}  // namespace

FittedWeights fit_weights(const Graph& graph, const Validator& validator, std::map<std::string, Tensor> weights,
                          WeightsTaken taken, OtherDtypes others) {
  return Fitting(graph, validator, std::move(weights), taken, others).run();
}

Error as_error(const std::vector<Diagnostic>& problems) {
  assert(!problems.empty());
  // What is there and does not fit says more than what is not there.
  const auto clash = std::find_if(problems.begin(), problems.end(),
                                  [](const Diagnostic& d) { return d.got != kNothing && d.expected != kNothing; });
  const Diagnostic& first = clash == problems.end() ? problems.front() : *clash;
  Error error{first.code, name_of(first), first.reason, ""};
  std::vector<std::string> missing, superfluous, sizes, dtypes;
  for (const Diagnostic& d : problems) {
    auto& of = d.code != codes::weights_mismatch ? dtypes
               : d.got == kNothing               ? missing
               : d.expected == kNothing          ? superfluous
                                                 : sizes;
    of.push_back(name_of(d));
  }
  if (problems.size() > 1) {
    const std::string all = listed("missing", missing) + listed("superfluous", superfluous) +
                            listed("of other sizes", sizes) + listed("of other dtypes", dtypes);
    error.reason += " All that does not fit: " + all.substr(2) + ".";
  }
  for (const Remedy& remedy : first.remedies) error.remedy += (error.remedy.empty() ? "" : "; ") + remedy.label;
  error.remedy = error.remedy.empty() ? "Load weights of this graph, undo the change of sizes, find other names "
                                        "(--map name; map-weights shows them), take what fits (--partial-weights), or "
                                        "train anew."
                                      : "Remedies: " + error.remedy + ".";
  return error;
}

}  // namespace hw
