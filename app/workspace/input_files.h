// The files that a command reads, and others that it does not write over.
#pragma once

#include <filesystem>

#include "app/workspace/open_graph.h"

namespace hw::workspace {

/// The graph, the weights given or beside it, and the files of every asset that its nodes name. Reads meshes to know
/// their textures; what cannot be found is left out.
std::vector<std::filesystem::path> input_files(const OpenGraph& loaded, const std::string& weights);
/// HW-C001 when `output` is one of `inputs`, also by another name or link; an empty name is none.
Status refuse_overwrite(const std::filesystem::path& output, const std::vector<std::filesystem::path>& inputs);

/// For a command whose output never replaces a file: HW-F002 where there is one. `option`: which names it.
Status check_free(const std::filesystem::path& output, const std::string& option = "");

}  // namespace hw::workspace
