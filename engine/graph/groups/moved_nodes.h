// MovedNodes: where nodes went when they were grouped or ungrouped, so that what is kept under their names goes along.
#pragma once

#include <optional>
#include <ranges>
#include <string_view>

#include "engine/core/rename_keys.h"

namespace hw {

/// From path to path of the flattened graph: of a node, or of an instance with all nodes in it.
using MovedNodes = Renamed;

/// What a name that begins with a node's path is now: "mlp.layer_0.weight", "train#loss_scale", or the path alone.
/// Nothing: that node stayed.
std::optional<std::string> moved_name(const MovedNodes& moved, std::string_view name);

/// The way back.
MovedNodes moved_back(const MovedNodes& moved);

/// Those of `names` that begin with the path of a node that moved, and what they are now.
template <class Names>
Renamed moved_names(const MovedNodes& moved, const Names& names) {
  Renamed renamed;
  for (const std::string& name : names)
    if (auto now = moved_name(moved, name)) renamed.emplace(name, *std::move(now));
  return renamed;
}

/// What is kept by such names, by what they are now.
template <class T>
void move_keys(std::map<std::string, T>& named, const MovedNodes& moved) {
  rename_keys(named, moved_names(moved, std::views::keys(named)));
}

}  // namespace hw
