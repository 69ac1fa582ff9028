// *.halfwire files: JSON, UTF-8, stable order, one node a line; made for diff and merge.
#pragma once

#include <filesystem>

#include "engine/graph/graph.h"

namespace hw {

inline constexpr int kGraphFormatVersion = 1;

/// plain: [a-z0-9_]+, as in files. paths: those of a flattened graph too, "stem/conv", as checkpoints keep it.
enum class NodeIds : uint8_t { plain, paths };

/// Reads any version up to kGraphFormatVersion. Unknown fields and node types survive. Errors HW-F001 (cannot read),
/// HW-F003 (with line and column, or the JSON path), HW-F004 (from the future: names both versions). Nothing is
/// half-loaded.
Result<Graph> read_graph(const std::filesystem::path& file);
Result<Graph> parse_graph(std::string_view text, const std::string& name, NodeIds ids = NodeIds::plain);
/// The same graph gives the same bytes.
std::string write_graph(const Graph& graph);
/// Error HW-F002: the name is one of weights, or its weights would have the name of another graph's optimiser state;
/// both lie beside a graph under its own name.
Status check_graph_name(const std::filesystem::path& file);
/// Atomic: temporary file beside it, fsync, rename. Error HW-F002, also of check_graph_name.
Status save_graph(const Graph& graph, const std::filesystem::path& file);

}  // namespace hw
