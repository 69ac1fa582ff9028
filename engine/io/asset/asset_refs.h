// What the nodes of a graph name on disk, and how it is said when that is missing.
#pragma once

#include "engine/graph/check/diagnostic.h"
#include "engine/io/file/reach.h"

namespace hw {

/// A path parameter that is not empty: the validator reports those that are.
struct AssetRef {
  std::string node, param, path;
  Kind kind;  // of what the node makes of it
};
/// All of them, by node.
std::vector<AssetRef> asset_refs(const Graph& graph);

/// `error` (HW-A00x) as a diagnostic at the parameter. A data set that is missing is a warning: data sets do not travel
/// with graphs.
/// HW-A006: `got` is the file that would have to be allowed.
Diagnostic asset_problem(const AssetRef& ref, const Error& error);
/// The same where a graph's weights, beside its file, are a link to where it may not read.
Diagnostic weights_problem(const Error& error);
/// What of a picture's file was not read as it is, HW-A003: warnings.
std::vector<Diagnostic> image_problems(const AssetRef& ref, const Image& image);
/// What is wrong with the files of a data set for the node that reads them: an error that opening them met, HW-A00x or
/// HW-R001, and what is probably not meant, HW-A003, warnings. Opens the data set.
std::vector<Diagnostic> dataset_problems(const AssetRef& ref, const Node& node, Assets& assets);
/// What a mesh lacks, HW-A003, and what its model refers to outside of what may be read, HW-A006: warnings.
/// What was done with it that is no fault: notes, HW-A003.
std::vector<Diagnostic> mesh_problems(const AssetRef& ref, const Mesh& mesh, const std::vector<std::string>& refused);

}  // namespace hw
