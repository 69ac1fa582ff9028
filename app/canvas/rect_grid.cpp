#include "app/canvas/rect_grid.h"

#include <algorithm>
#include <cmath>

namespace hw::app {
namespace {

constexpr double kCell = 512;       // canvas units
constexpr double kFar = 1e9;        // cells; what is further out lies in the last of them
constexpr int64_t kMostCells = 64;  // of one item

bool meet(const QRectF& a, const QRectF& b) {  // QRectF::intersects finds nothing in a line or a point
  return a.left() <= b.right() && b.left() <= a.right() && a.top() <= b.bottom() && b.top() <= a.bottom();
}

}  // namespace

RectGrid::Cells RectGrid::cells_of(const QRectF& rect) {
  const auto cell = [](double v) { return static_cast<int64_t>(std::clamp(std::floor(v / kCell), -kFar, kFar)); };
  return {cell(rect.left()), cell(rect.top()), cell(rect.right()), cell(rect.bottom())};
}

uint64_t RectGrid::key(int64_t x, int64_t y) {
  return static_cast<uint64_t>(x) << 32 ^ (static_cast<uint64_t>(y) & 0xffffffffu);
}

template <class F>
void RectGrid::each_list(const Cells& cells, F&& look) {
  if (cells.count() > kMostCells) return look(large_);
  for (int64_t y = cells.top; y <= cells.bottom; ++y)
    for (int64_t x = cells.left; x <= cells.right; ++x) look(cells_[key(x, y)]);
}

void RectGrid::clear() {
  items_.clear();
  cells_.clear();
  large_.clear();
}

void RectGrid::set(int item, const QRectF& rect) {
  const auto at = static_cast<size_t>(item);
  if (at >= items_.size()) items_.resize(at + 1);
  const QRectF placed = rect.normalized();
  const Cells cells = cells_of(placed);
  if (items_[at].known && items_[at].cells == cells) {
    items_[at].rect = placed;
    return;
  }
  remove(item);
  items_[at] = {placed, cells, true};
  each_list(cells, [item](std::vector<int>& list) { list.push_back(item); });
}

void RectGrid::remove(int item) {
  const auto at = static_cast<size_t>(item);
  if (at >= items_.size() || !items_[at].known) return;
  each_list(items_[at].cells, [item](std::vector<int>& list) { std::erase(list, item); });
  items_[at] = {};
}

std::vector<int> RectGrid::in(const QRectF& area) const {
  std::vector<int> found;
  const QRectF wanted = area.normalized();
  const Cells cells = cells_of(wanted);
  const auto take = [&](int item) {
    if (meet(items_[static_cast<size_t>(item)].rect, wanted)) found.push_back(item);
  };
  if (cells.count() > static_cast<int64_t>(cells_.size())) {
    for (size_t i = 0; i < items_.size(); ++i)
      if (items_[i].known) take(static_cast<int>(i));
    return found;
  }
  for (const int item : large_) take(item);
  for (int64_t y = cells.top; y <= cells.bottom; ++y) {
    for (int64_t x = cells.left; x <= cells.right; ++x) {
      const auto list = cells_.find(key(x, y));
      if (list == cells_.end()) continue;
      for (const int item : list->second) take(item);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace hw::app
