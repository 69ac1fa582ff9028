// A graph of a file with what it is run with: parameters, devices of nodes, files that it may read.
#pragma once

#include <memory>

#include "app/workspace/notes.h"
#include "app/workspace/option_names.h"
#include "engine/graph/check/validate.h"
#include "engine/graph/groups/scope.h"
#include "engine/graph/lower/lower.h"
#include "engine/io/asset/assets.h"
#include "engine/train/session.h"

namespace hw::workspace {

/// Which graph, and what is other than in its file.
struct GraphRequest {
  std::string graph;                      // the file
  std::vector<std::string> sets = {};     // "node.param=value"
  std::vector<std::string> allowed = {};  // files and folders that the graph may read besides what every graph may
  std::vector<std::string> pins = {};     // "node=device"
  OptionNames option_names = {};          // by which these are given
};
struct OpenGraph {
  std::string file;
  Graph graph;                         // flattened: nodes of groups by path
  std::shared_ptr<FileAssets> assets;  // searches beside the file
  Graph document;                      // as in the file, with its groups
  OptionNames option_names = {};       // of the request
};

/// A file as it is. Errors HW-F001, HW-F003 (also of a model of another tool), HW-F004.
Result<Graph> read_document(const std::string& file);

/// Writes a graph that was read from the file `from`: what its paths reach they reach from there, too. Notes say what
/// lies outside its new folder. Errors HW-F002.
Status save_document(Graph document, const std::string& from, const std::string& file, const OptionNames& names,
                     Notes& notes);

/// The graph with all parameters set, then all devices. On an instance of a group, a promoted parameter is set, and the
/// device of all its nodes. Files that a parameter is set to are the user's own choice and may be read.
/// Errors HW-F001, HW-F003, HW-F004; HW-C001 (no such form), HW-G003, HW-P001, HW-P002, those of choose_device: `where`
/// is what was given, after the option's name.
Result<OpenGraph> open_graph(const GraphRequest& request, Notes& notes);

/// A graph that is to be trained, and how.
struct TrainableGraph : OpenGraph {
  std::string trainer;     // the Train node's id
  bool stands_in = false;  // it and the loss were added for a check
};
struct TrainableOptions {
  std::string device = {};  // must be there; empty: none is asked for
  int64_t seed = -1;        // negative: the Train node's
  Pins pins = Pins::count;
  bool checks = false;  // a graph without a Train node is given a loss, with a note: see with_stand_in_loss
};
/// Sets the seed and checks what `trainer`, the Train node, runs. Errors: those of check_blocking and choose_device.
Status prepare_training(OpenGraph& loaded, const std::string& trainer, const TrainableOptions& how, Notes& notes);
/// An open graph with its Train node, after prepare_training: as open_trainable, where it is changed in between.
Result<TrainableGraph> as_trainable(OpenGraph loaded, const TrainableOptions& how, Notes& notes);
/// open_graph, its Train node and prepare_training, with their errors; HW-G006 no Train node, and none may stand in.
Result<TrainableGraph> open_trainable(const GraphRequest& request, const TrainableOptions& how, Notes& notes);

/// Writes the graph with `edits`, made for the graph of `ran`, to `file`, without what concerns only what was added to
/// run it: a loss that stands in, casts before that. Instances of groups that change in different ways get groups of
/// their own. Errors: those of open_graph, document_edits_apart and save_document.
Status save_changed(const GraphRequest& request, const TrainableGraph& ran, const Edits& edits, const std::string& file,
                    Notes& notes);

/// "node.socket" of an output, or of an input: then the output that is wired to it. An Input or Output node goes by its
/// id alone; of those, `listed` are named where there is no such node. Errors HW-C001, HW-G003, HW-G004, at `name`
/// after the option's.
Result<SocketRef> find_output(const Graph& graph, const std::string& name, const std::string& option,
                              const std::string& listed = kOutputType);
/// Errors in the cone of `node` of `graph`, and those of the instances of groups in it, that block it: all of them are
/// added to `notes`, and the first is the error. `document`: what `graph` was flattened from.
Status check_blocking(const Graph& graph, const Graph& document, const std::string& node, Pins pins, Notes& notes);
/// The same of all nodes of a flattened graph.
Status check_nodes(const Graph& graph, Notes& notes);
/// The same of a graph without a node that is wanted: settings of its instances of groups that have no effect.
Status check_group_instances(const OpenGraph& loaded, Notes& notes);

}  // namespace hw::workspace
