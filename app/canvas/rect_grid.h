// RectGrid: rectangles by where they lie, so that what is in an area is found without looking at all of them.
#pragma once

#include <QRectF>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace hw::app {

/// Items are small whole numbers, best without gaps. The cost of in() is that of what lies in or near the area.
class RectGrid {
 public:
  void clear();
  /// A new item, or one that moved.
  void set(int item, const QRectF& rect);
  void remove(int item);
  /// Items whose rectangles meet the area, borders too; in order.
  std::vector<int> in(const QRectF& area) const;

 private:
  /// Cells that a rectangle lies in, both ends included.
  struct Cells {
    int64_t left = 0, top = 0, right = -1, bottom = -1;
    int64_t count() const { return (right - left + 1) * (bottom - top + 1); }
    bool operator==(const Cells&) const = default;
  };
  static Cells cells_of(const QRectF& rect);
  static uint64_t key(int64_t x, int64_t y);
  template <class F>
  void each_list(const Cells& cells, F&& look);

  struct Entry {
    QRectF rect;
    Cells cells;
    bool known = false;
  };
  std::vector<Entry> items_;
  std::unordered_map<uint64_t, std::vector<int>> cells_;
  std::vector<int> large_;  // in too many cells
};

}  // namespace hw::app
