// Graph, assets, --set, --weights: what most commands begin with.
#pragma once

#include <memory>

#include "engine/graph/lower.h"
#include "engine/graph/validate.h"
#include "engine/io/assets.h"
#include "engine/run/session.h"

namespace hw::cli {

struct LoadedGraph {
  Graph graph;
  std::shared_ptr<FileAssets> assets;  // searches beside the file
};

/// Errors HW-F001, HW-F003, HW-F004.
Result<LoadedGraph> load_graph(const std::string& file);
/// Each "node.param=value". Errors HW-C001 (no such form), HW-G003, HW-P001, HW-P002: `where` is the node and
/// parameter.
Status apply_sets(Graph& graph, const std::vector<std::string>& sets);
/// Each "node=device". Errors HW-C001 (no such form, no such device), HW-G003.
Status apply_pins(Graph& graph, const std::vector<std::string>& pins);
/// "node.socket" of an output, or of an input: then the output that is wired to it. Errors HW-C001, HW-G003, HW-G004.
Result<SocketRef> find_output(const Graph& graph, const std::string& name, const std::string& option);
/// All errors in the cone of `node` that block it, each printed on stderr. True: there were some.
bool report_blocking(const Graph& graph, const std::string& node, Pins pins = Pins::count);
/// From a .safetensors file, as the graph's parameters take them; what is converted is noted on stderr. Errors HW-F001,
/// HW-F003; HW-F005, HW-D003: sizes, a dtype of one of the graph's parameters.
Result<std::shared_ptr<const Weights>> load_weights(const std::string& file, const Graph& graph);
/// `file` when it is given, else GRAPH's name with .safetensors when that exists, else nothing.
std::string weights_beside(const std::string& graph_file, const std::string& file);
/// From the file of weights_beside; null when there is none.
Result<std::shared_ptr<const Weights>> load_weights_beside(const std::string& graph_file, const std::string& file,
                                                           const Graph& graph);

}  // namespace hw::cli
