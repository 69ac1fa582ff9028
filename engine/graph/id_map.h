// IdMap: values by id, in the order of their ids, found as fast in a graph of ten thousand nodes as in one of ten.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hw {

/// A value type: copies are independent. Values and ids stay where they are until they are erased.
template <class T>
class IdMap {
 public:
  using Map = std::map<std::string, T, std::less<>>;

  IdMap() = default;
  IdMap(const IdMap& other) : map_(other.map_) { rehash(map_.size()); }
  IdMap(IdMap&& other) noexcept = default;  // the entries of a map that is moved stay where they are
  IdMap& operator=(IdMap other) noexcept {
    std::swap(map_, other.map_);
    std::swap(slots_, other.slots_);
    return *this;
  }
  ~IdMap() = default;

  const Map& map() const { return map_; }
  /// Null when there is none.
  const T* find(std::string_view id) const {
    const size_t slot = slot_of(id, hash(id));
    return slot == kNone ? nullptr : &slots_[slot].entry->second;
  }
  T* find(std::string_view id) { return const_cast<T*>(std::as_const(*this).find(id)); }
  /// What is there, or a new one of `arguments`.
  template <class... Arguments>
  T& emplace(const std::string& id, Arguments&&... arguments) {
    if (T* known = find(id)) return *known;
    const auto entry = map_.try_emplace(id, std::forward<Arguments>(arguments)...).first;
    if (2 * map_.size() > slots_.size())
      rehash(map_.size());
    else
      insert(entry);
    return entry->second;
  }
  void erase(std::string_view id) {
    size_t hole = slot_of(id, hash(id));
    if (hole == kNone) return;
    map_.erase(slots_[hole].entry);
    // Those behind it that would not be found past an empty slot move up.
    const size_t mask = slots_.size() - 1;
    for (size_t next = (hole + 1) & mask; slots_[next].hash != 0; next = (next + 1) & mask) {
      const size_t home = slots_[next].hash & mask;
      if (((next - home) & mask) < ((next - hole) & mask)) continue;
      slots_[hole] = slots_[next];
      hole = next;
    }
    slots_[hole] = {};
  }
  bool operator==(const IdMap& other) const { return map_ == other.map_; }

 private:
  /// Open addressing, linear probing: an id is found with two misses of the cache where a chained table has four.
  struct Slot {
    size_t hash = 0;  // 0: empty
    typename Map::iterator entry = {};
  };
  static constexpr size_t kNone = ~size_t{0};
  static constexpr size_t kLeastSlots = 16;

  static size_t hash(std::string_view id) {
    const size_t found = std::hash<std::string_view>()(id);
    return found == 0 ? 1 : found;
  }
  size_t slot_of(std::string_view id, size_t hash) const {
    if (slots_.empty()) return kNone;
    const size_t mask = slots_.size() - 1;
    for (size_t slot = hash & mask; slots_[slot].hash != 0; slot = (slot + 1) & mask)
      if (slots_[slot].hash == hash && slots_[slot].entry->first == id) return slot;
    return kNone;
  }
  void insert(typename Map::iterator entry) {
    const size_t mask = slots_.size() - 1, of = hash(entry->first);
    size_t slot = of & mask;
    while (slots_[slot].hash != 0) slot = (slot + 1) & mask;
    slots_[slot] = {of, entry};
  }
  /// A table for `count` ids and as many more, with those that are there.
  void rehash(size_t count) {
    size_t size = kLeastSlots;
    while (size < 4 * count) size *= 2;
    slots_.assign(count == 0 ? 0 : size, {});
    for (auto entry = map_.begin(); entry != map_.end(); ++entry) insert(entry);
  }

  Map map_;
  std::vector<Slot> slots_;  // a power of two of them, at most half of them taken
};

}  // namespace hw
