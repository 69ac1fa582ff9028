// What the path parameters of a graph name, seen from another folder than the one that the graph's file lies in.
#pragma once

#include <filesystem>

#include "engine/graph/edit.h"
#include "engine/io/asset/asset_refs.h"

namespace hw {

/// How a graph in `folder` names a file or folder: relative where it lies below, else by its absolute path.
std::string path_named_in(const std::filesystem::path& folder, const std::filesystem::path& file);

/// The edits of a document whose file moves from one folder to another, after which every path parameter, in groups and
/// of instances too, reaches the file or folder that it reached: relative paths lead there from the new folder, and
/// absolute ones are relative where that lies below it. What reaches nothing stays as it is, and so does an
/// "asset:NAME" that was found among the assets. Empty `from`: the working directory.
Edits paths_seen_from(const Graph& document, const std::filesystem::path& from, const std::filesystem::path& to);

/// Assets of a flattened graph in `folder` that lie outside of it, but for data sets, which do not travel with graphs.
std::vector<AssetRef> assets_outside(const Graph& flat, const std::filesystem::path& folder);

}  // namespace hw
