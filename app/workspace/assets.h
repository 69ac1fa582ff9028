// Whether the files that a graph names can be read, and what they lack.
#pragma once

#include <functional>

#include "app/workspace/open_graph.h"
#include "engine/io/asset/asset_refs.h"

namespace hw::workspace {

/// The files that a mesh's model refers to and that may not be read: FileAssets::refused.
using RefusedFiles = std::function<std::vector<std::string>(const std::string& path)>;

/// Reads what a node of `graph` names. What the file lacks (mesh_problems, image_problems, dataset_problems) and what
/// is too fine in it (texture_detail_hints). The error is that of reading: asset_problem makes a diagnostic of it. On
/// any thread where `assets` may be used.
Result<std::vector<Diagnostic>> file_problems(const Graph& graph, const AssetRef& ref, Assets& assets,
                                              const RefusedFiles& refused);
/// Appends to `out` files that nodes name and that cannot be read (HW-A00x), and what a readable one lacks (HW-A003, a
/// warning). An empty path is the validator's to report.
void check_assets(const OpenGraph& loaded, std::vector<Diagnostic>& out);
/// Notes of what does not stop a run: the validator's warnings, those of check_parts, and what readable files
/// lack, such as a mesh's missing texture.
void note_warnings(const OpenGraph& loaded, Notes& notes);
/// The same of readable files alone: those that `wanted`, nodes, are made of. Empty: of all nodes.
void note_file_warnings(const OpenGraph& loaded, const std::vector<std::string>& wanted, Notes& notes);

}  // namespace hw::workspace
