// Reach: which files a graph from anywhere may name. One function decides for assets, weights, data sets, and what
// models refer to.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "engine/core/result.h"

namespace hw {

/// Folders with all that lies below them, and single files. All links are followed before anything is compared. A
/// value: copies are independent.
class Reach {
 public:
  /// Reaches nothing.
  Reach() = default;
  /// Below `graph_folder` (empty: the working directory) and the folders where assets are looked for.
  explicit Reach(const std::filesystem::path& graph_folder);
  /// A file, or a folder with all below it. What does not exist yet is allowed by its name.
  void allow(const std::filesystem::path& file_or_folder);
  /// Whether `file` may be read. Error HW-A006: `where` is the file that is meant; `named` is how the graph or the
  /// model calls it. Nothing is opened.
  Status check(const std::filesystem::path& file, std::string_view named) const;
  /// What was allowed, links followed.
  std::span<const std::filesystem::path> roots() const { return roots_; }

 private:
  std::vector<std::filesystem::path> roots_;
};

/// Where "asset:NAME" is looked up beside the graph: the folders of $HALFWIRE_ASSETS (colon separated), then
/// /usr/share/assimp/models.
std::vector<std::filesystem::path> asset_folders();

}  // namespace hw
