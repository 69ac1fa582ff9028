#include "engine/io/media/png_rows.h"

#include <algorithm>
#include <cstdlib>

namespace hw {
namespace {

/// The one of the three neighbours that is nearest to left + up − corner.
int paeth(int left, int up, int corner) {
  const int guess = left + up - corner;
  const int from_left = std::abs(guess - left), from_up = std::abs(guess - up), from_corner = std::abs(guess - corner);
  if (from_left <= from_up && from_left <= from_corner) return left;
  return from_up <= from_corner ? up : corner;
}

}  // namespace

PngPaletteRows::PngPaletteRows(size_t width, size_t height, size_t depth, bool interlaced) : depth_(depth) {
  constexpr size_t kFirstX[] = {0, 4, 0, 2, 0, 1, 0}, kFirstY[] = {0, 0, 4, 0, 2, 0, 1};
  constexpr size_t kStepX[] = {8, 8, 4, 4, 2, 2, 1}, kStepY[] = {8, 8, 8, 4, 4, 2, 2};
  if (!interlaced) passes_.push_back({width, height});
  for (size_t i = 0; interlaced && i < 7; ++i) {
    if (width > kFirstX[i] && height > kFirstY[i])
      passes_.push_back({(width - kFirstX[i] - 1) / kStepX[i] + 1, (height - kFirstY[i] - 1) / kStepY[i] + 1});
  }
}

void PngPaletteRows::take(std::string_view bytes) {
  while (!bytes.empty() && pass_ < passes_.size()) {
    const size_t size = 1 + (passes_[pass_].width * depth_ + 7) / 8;
    const size_t count = std::min(bytes.size(), size - current_.size());
    current_.append(bytes.substr(0, count));
    bytes.remove_prefix(count);
    if (current_.size() == size) finish_row();
  }
}

void PngPaletteRows::finish_row() {
  const Pass& pass = passes_[pass_];
  const int filter = current_[0];
  std::string row = current_.substr(1);
  above_.resize(row.size());
  for (size_t i = 0; i < row.size(); ++i) {
    const auto byte = [i](const std::string& of, size_t back) {
      return i < back ? 0 : static_cast<int>(static_cast<unsigned char>(of[i - back]));
    };
    const int left = byte(row, 1), up = byte(above_, 0);
    const int guess[] = {0, left, up, (left + up) / 2, paeth(left, up, byte(above_, 1))};
    if (filter >= 0 && filter < 5) row[i] = static_cast<char>(byte(row, 0) + guess[filter]);
  }
  for (size_t x = 0; x < pass.width; ++x) {
    const size_t bit = x * depth_;
    const auto byte = static_cast<unsigned char>(row[bit / 8]);
    largest_ = std::max<size_t>(largest_, byte >> (8 - depth_ - bit % 8) & ((1u << depth_) - 1));
  }
  above_ = std::move(row);
  current_.clear();
  if (++row_ < pass.height) return;
  row_ = 0;
  ++pass_;
  above_.clear();
}

}  // namespace hw
