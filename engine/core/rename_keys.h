// Renaming keys of a map all at once, so that two may change places.
#pragma once

#include <map>
#include <string>
#include <utility>

namespace hw {

/// From old to new.
using Renamed = std::map<std::string, std::string, std::less<>>;

/// Values stay where they are in memory. What has a new name already, and keeps it, goes.
template <class T>
void rename_keys(std::map<std::string, T>& values, const Renamed& names) {
  std::map<std::string, T> renamed;
  for (const auto& [from, to] : names) {
    auto entry = values.extract(from);
    if (entry.empty()) continue;
    entry.key() = to;
    renamed.insert(std::move(entry));
  }
  values.swap(renamed);
  values.merge(renamed);
}

}  // namespace hw
