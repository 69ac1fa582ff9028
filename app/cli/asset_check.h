// Whether the files that a graph names can be read, and what they lack.
#pragma once

#include "app/cli/graph_input.h"

namespace hw::cli {

/// Appends to `out` files that nodes name and that cannot be read (HW-A00x), and what a readable one lacks (HW-A003, a
/// warning). An empty path is the validator's to report.
void check_assets(const LoadedGraph& loaded, std::vector<Diagnostic>& out);
/// Prints on stderr what does not stop a run: the validator's warnings, those of check_parts, and what readable files
/// lack, such as a mesh's missing texture.
void report_warnings(const LoadedGraph& loaded);
/// The same of readable files alone: those that `wanted`, nodes, are made of. Empty: of all nodes.
void report_file_warnings(const LoadedGraph& loaded, const std::vector<std::string>& wanted = {});

}  // namespace hw::cli
