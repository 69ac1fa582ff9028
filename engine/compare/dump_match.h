// Which wire of a graph a tensor of another program belongs to.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/compare/dump.h"
#include "engine/graph/check/validate.h"
#include "engine/graph/lower/lower.h"

namespace hw {

/// How a tensor found its wire.
enum class DumpMatch : uint8_t { map, name, shape };
std::string_view name(DumpMatch match);

struct DumpWire {
  SocketRef socket;
  WireType type;
};
/// All tensors of a flattened graph that can be computed, in order.
std::vector<DumpWire> dump_wires(const Graph& flat, const Validator& validator);

struct DumpMatches {
  /// By wire: its tensor; several where modules hand on what the last one in them makes.
  std::multimap<size_t, std::pair<std::string, DumpMatch>> found;
  std::map<std::string, std::string> unmatched;  // tensors without a wire: why, where that is known
};

/// Why a tensor is not compared with what a node makes: "it is [2, 3], what relu makes [3, 2]".
std::string other_sizes(const Dims& tensor, const std::string& node, const Dims& made);

/// A tensor belongs to the wire that `names` says; that of the module that all others are in, to the graph's only
/// output of its sizes; else to the first output of the node whose name in its tool of origin, or whose id, is the same
/// but for case, separators and a leading "module."; of several nodes of one name, to what leaves them, the last of
/// these; of a group likewise, by the path of the instance; else to the output that is named so after the node; else,
/// where nodes are named as parts of it ("layer.0.fc" of "layer.0"), to the only output of its sizes that leaves them;
/// else to the only wire of its sizes, where it is the only tensor of them; else, where all that leaves the nodes of
/// its name has another number of elements, to the last of that: the sizes differ. Errors: HW-G004, `names` has a wire
/// that is not there; HW-C001, it has one for two tensors.
Result<DumpMatches> match_dump(const Graph& flat, const std::vector<DumpWire>& wires, const Dump& dump,
                               const std::map<std::string, std::string>& names);

}  // namespace hw
