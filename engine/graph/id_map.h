// IdMap: values by id, in the order of their ids, found as fast in a graph of ten thousand nodes as in one of ten.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace hw {

/// A value type: copies are independent. Values and ids stay where they are until they are erased.
template <class T>
class IdMap {
 public:
  using Map = std::map<std::string, T, std::less<>>;

  IdMap() = default;
  IdMap(const IdMap& other) : map_(other.map_) {
    index_.reserve(map_.size());
    for (auto entry = map_.begin(); entry != map_.end(); ++entry) index_.emplace(entry->first, entry);
  }
  IdMap(IdMap&& other) noexcept = default;  // the entries of a map that is moved stay where they are
  IdMap& operator=(IdMap other) noexcept {
    std::swap(map_, other.map_);
    std::swap(index_, other.index_);
    return *this;
  }
  ~IdMap() = default;

  const Map& map() const { return map_; }
  /// Null when there is none.
  const T* find(std::string_view id) const {
    const auto found = index_.find(id);
    return found == index_.end() ? nullptr : &found->second->second;
  }
  T* find(std::string_view id) { return const_cast<T*>(std::as_const(*this).find(id)); }
  /// What is there, or a new one of `arguments`.
  template <class... Arguments>
  T& emplace(const std::string& id, Arguments&&... arguments) {
    if (T* known = find(id)) return *known;
    const auto entry = map_.try_emplace(id, std::forward<Arguments>(arguments)...).first;
    index_.emplace(entry->first, entry);
    return entry->second;
  }
  void erase(std::string_view id) {
    const auto found = index_.find(id);
    if (found == index_.end()) return;
    const auto entry = found->second;
    index_.erase(found);
    map_.erase(entry);
  }
  bool operator==(const IdMap& other) const { return map_ == other.map_; }

 private:
  Map map_;
  std::unordered_map<std::string_view, typename Map::iterator> index_;  // by the ids in map_
};

}  // namespace hw
