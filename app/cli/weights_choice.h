// --weights, --partial-weights, --map and --convert-dtype: which file a command takes parameters from, which tensor is
// which parameter, and how strictly.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "app/cli/graph_input.h"
#include "engine/graph/weights/fit_weights.h"
#include "engine/graph/weights/map_weights.h"
#include "engine/io/weights_file.h"

namespace hw::cli {

struct WeightsChoice {
  std::string file;              // as given; may be ""
  bool partial = false;          // what fits is taken, and the rest is listed; else all or nothing
  bool convert = false;          // tensors of other float dtypes become the graph's
  std::vector<std::string> map;  // as given: see mapping_of
  std::string map_option = "--map";
};

/// `map`: of commands that have a --map of something else, "--map-weights".
void add_mapping(CLI::App& command, WeightsChoice& choice, const std::string& map = "--map");
/// All options; returns --weights.
CLI::Option* add_weights(CLI::App& command, WeightsChoice& choice, const std::string& help,
                         const std::string& map = "--map");
/// --weights: initial ones, whatever lies beside the graph. A file of this name is ./none.
inline constexpr char kNoWeights[] = "none";
/// The help of commands that look beside the graph, too.
inline constexpr char kWeightsBesideHelp[] =
    "Default: GRAPH.safetensors beside the graph, else initial weights; none: initial weights";

/// The tensors of a file against the parameters of a flattened graph, as --map says: "name", "shape" or "order" (how
/// far map_weights goes), "parameter=tensor", or a .json file, an object of these. What the graph's weight_names say
/// comes after what is given here. Errors HW-C001, HW-F001, HW-F003; HW-F005: there is no such parameter or tensor.
Result<WeightMapping> mapping_of(const WeightsChoice& choice, const Graph& flat, const Validator& validator,
                                 const std::map<std::string, Tensor>& tensors);
/// Whose names the file has, and what that network computes otherwise; "": those of no published network.
std::string network_note(const WeightMapping& mapping);
/// As choice says; with --map by mapping_of, whose names are in `graph` then.
Result<FittedWeights> fit_weights(const WeightsChoice& choice, Graph& graph, const Validator& validator,
                                  std::map<std::string, Tensor> tensors);
/// `file` when it is given, nothing for kNoWeights, else the graph's name with .safetensors when that exists, else
/// nothing. Error HW-A006: that is a link to where the graph may not read.
Result<std::string> weights_beside(const LoadedGraph& loaded, const std::string& file);
/// Notes on stderr: tensors of dtypes that Halfwire does not have.
void note_unread(const WeightsFile& weights);
/// The note "no weights are given; WHAT" on stderr, where the graph has parameters.
void note_without_weights(const Graph& graph, const std::string& what);
/// From the file of weights_beside, as choice says and the graph's parameters take them; null when there is none. What
/// is converted or not taken is noted on stderr. Errors: those of weights_beside, HW-F001, HW-F003; HW-F005, HW-D003:
/// what is missing, superfluous, of other sizes or dtypes.
Result<std::shared_ptr<const Weights>> load_weights_beside(const LoadedGraph& loaded, WeightsChoice choice);
/// The same for a training that begins with them, which is noted on stderr: the file, or what the seed draws although
/// it is not trained. `loaded`: what is trained.
Result<std::shared_ptr<const Weights>> load_weights_to_train(const LoadedGraph& loaded, const WeightsChoice& choice);

}  // namespace hw::cli
