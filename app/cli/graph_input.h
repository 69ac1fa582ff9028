// Graph, assets, --set, --pin, --allow-path: what most commands begin with.
#pragma once

#include <memory>

#include "engine/graph/check/validate.h"
#include "engine/graph/lower/lower.h"
#include "engine/io/assets.h"
#include "engine/train/session.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace hw::cli {

/// Options about the graph that a command works on.
struct GraphOptions {
  std::string graph;
  std::vector<std::string> sets;       // "node.param=value"
  std::vector<std::string> allowed;    // files and folders that the graph may read besides what every graph may
  std::vector<std::string> pins = {};  // "node=device"
};
/// GRAPH, --set and --allow-path. --pin is for commands that run nodes where they are pinned: add_pins.
void add_graph_options(CLI::App& command, GraphOptions& o);
CLI::Option* add_sets(CLI::App& command, std::vector<std::string>& sets);
CLI::Option* add_allowed(CLI::App& command, std::vector<std::string>& allowed);
CLI::Option* add_pins(CLI::App& command, std::vector<std::string>& pins);

struct LoadedGraph {
  std::string file;
  Graph graph;                         // flattened: nodes of groups by path
  std::shared_ptr<FileAssets> assets;  // searches beside the file
  Graph document;                      // as in the file, with its groups
};

/// A file as it is. Errors HW-F001, HW-F003 (also of a model of another tool), HW-F004.
Result<Graph> read_document(const std::string& file);

/// Writes a graph that was read from the file `from`: what its paths reach they reach from there, too. Notes say what
/// lies outside its new folder. Errors HW-F002.
Status save_document(Graph document, const std::string& from, const std::string& file);

/// The graph with every --set, then every --pin applied. On an instance of a group, --set changes a promoted parameter
/// and --pin all its nodes. Files that a --set names are the user's own choice and may be read.
/// Errors HW-F001, HW-F003, HW-F004; HW-C001 (an option of no such form), HW-G003, HW-P001, HW-P002, those of
/// choose_device for a --pin: `where` is the option.
Result<LoadedGraph> load_graph(const GraphOptions& o);
/// A graph that is to be trained, and how.
struct TrainableGraph : LoadedGraph {
  std::string trainer;     // the Train node's id
  bool stands_in = false;  // it and the loss were added for a check
};
struct TrainableOptions {
  std::string device = {};  // must be there; empty: none is asked for
  int64_t seed = -1;        // negative: the Train node's
  Pins pins = Pins::count;
  bool checks = false;  // a graph without a Train node is given a loss, with a note: see with_stand_in_loss
};
/// Sets the seed and checks what `trainer`, the Train node, runs. Errors: those of choose_device; diagnostics that
/// block the training are printed and give kPrintedAlready.
Status prepare_training(LoadedGraph& loaded, const std::string& trainer, const TrainableOptions& how);
/// A loaded graph with its Train node, after prepare_training: as load_trainable, where it is changed in between.
Result<TrainableGraph> as_trainable(LoadedGraph loaded, const TrainableOptions& how);
/// load_graph, its Train node and prepare_training, with their errors; HW-G006 no Train node, and none may stand in.
Result<TrainableGraph> load_trainable(const GraphOptions& o, const TrainableOptions& how);

/// Writes the graph with `edits`, made for the graph of `ran`, to `file`, without what concerns only what was added to
/// run it: a loss that stands in, casts before that. Instances of groups that change in different ways get groups of
/// their own. Errors: those of load_graph, apply_flat_edits_apart and save_document.
Status save_changed(const GraphOptions& o, const TrainableGraph& ran, const Edits& edits, const std::string& file);

/// "node.socket" of an output, or of an input: then the output that is wired to it. An Input or Output node goes by its
/// id alone. Errors HW-C001, HW-G003, HW-G004.
Result<SocketRef> find_output(const Graph& graph, const std::string& name, const std::string& option);
/// All errors in the cone of `node` of `graph` that block it, and those of the instances of groups in it, each printed
/// on stderr. `document`: what `graph` was flattened from. True: there were some.
bool report_blocking(const Graph& graph, const Graph& document, const std::string& node, Pins pins = Pins::count);
/// The same of a graph without a node that is wanted: settings of its instances of groups that have no effect.
bool report_blocking_instances(const LoadedGraph& loaded);

}  // namespace hw::cli
