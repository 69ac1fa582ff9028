// Weights for a graph: which file they are read from, which tensor is which parameter, and how strictly.
#pragma once

#include <memory>

#include "app/workspace/open_graph.h"
#include "engine/graph/weights/fit_weights.h"
#include "engine/graph/weights/map_weights.h"
#include "engine/io/tensor/weights_file.h"

namespace hw::workspace {

struct WeightsChoice {
  std::string file = {};              // as given; may be ""
  bool partial = false;               // what fits is taken, and the rest is listed; else all or nothing
  bool convert = false;               // tensors of other float dtypes become the graph's
  std::vector<std::string> map = {};  // as given: see mapping_of
  std::string map_option = {};        // by which `map` is given: see OptionNames
};

/// As a file: initial ones, whatever lies beside the graph. A file of this name is ./none.
inline constexpr char kNoWeights[] = "none";

/// Tensors against the parameters of a flattened graph, parameter by parameter: those of `given`, then those that the
/// graph's weight_names give to no other, then what map_weights finds as far as `last`.
WeightMapping mapping_of(const std::map<std::string, std::string>& given, MappedBy last, const Graph& flat,
                         const Validator& validator, const std::map<std::string, Tensor>& tensors);
/// The tensors of a file against the parameters of a flattened graph, as `map` says: "name", "shape" or "order" (how
/// far map_weights goes), "parameter=tensor", or a .json file, an object of these. What the graph's weight_names say
/// comes after what is given here. Errors HW-C001, HW-F001, HW-F003; HW-F005: there is no such parameter or tensor.
Result<WeightMapping> mapping_of(const WeightsChoice& choice, const Graph& flat, const Validator& validator,
                                 const std::map<std::string, Tensor>& tensors);
/// Whose names the file has, and what that network computes otherwise; "": those of no published network.
std::string network_note(const WeightMapping& mapping);
/// As choice says; where it has a map by mapping_of, whose names are in `graph` then.
Result<FittedWeights> fit_weights(const WeightsChoice& choice, Graph& graph, const Validator& validator,
                                  std::map<std::string, Tensor> tensors);
/// `file` when it is given, nothing for kNoWeights, else the graph's name with .safetensors when that exists, else
/// nothing. Error HW-A006: that is a link to where the graph may not read.
Result<std::string> weights_beside(const OpenGraph& loaded, const std::string& file);
/// Notes: tensors of dtypes that Halfwire does not have.
void note_unread(const WeightsFile& weights, Notes& notes);
/// The note "no weights are given; WHAT", where the graph has parameters.
void note_without_weights(const Graph& graph, const std::string& what, Notes& notes);
/// From the file of weights_beside, as choice says and the graph's parameters take them; null when there is none. What
/// is converted or not taken is noted. Errors: those of weights_beside, HW-F001, HW-F003; HW-F005, HW-D003:
/// what is missing, superfluous, of other sizes or dtypes.
Result<std::shared_ptr<const Weights>> load_weights_beside(const OpenGraph& loaded, WeightsChoice choice, Notes& notes);
/// The same; where it is null, the note of note_without_weights.
Result<std::shared_ptr<const Weights>> load_weights_or_initial(const OpenGraph& loaded, const WeightsChoice& choice,
                                                               const std::string& what, Notes& notes);
/// The same for what a viewer shows.
Result<std::shared_ptr<const Weights>> load_weights_to_show(const OpenGraph& loaded, const WeightsChoice& choice,
                                                            Notes& notes);
/// As load_weights_beside for a training that begins with them, with a note: the file, or what the seed draws although
/// it is not trained. `loaded`: what is trained.
Result<std::shared_ptr<const Weights>> load_weights_to_train(const OpenGraph& loaded, const WeightsChoice& choice,
                                                             Notes& notes);

}  // namespace hw::workspace
