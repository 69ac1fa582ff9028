// The rows of a PNG picture with a palette, to find pixels that name a colour which the palette lacks: stb shows memory
// there. Source: PNG (ISO/IEC 15948), 8 (interlacing) and 9 (filters).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hw {

class PngPaletteRows {
 public:
  PngPaletteRows(size_t width, size_t height, size_t depth, bool interlaced);
  /// What comes next of the inflated bytes; may end anywhere.
  void take(std::string_view bytes);
  /// The largest number of a colour that a pixel has so far.
  size_t largest() const { return largest_; }

 private:
  struct Pass {
    size_t width, height;
  };
  void finish_row();
  std::vector<Pass> passes_;
  size_t depth_, pass_ = 0, row_ = 0;
  std::string above_, current_;  // without filter; with its filter byte first
  size_t largest_ = 0;
};

}  // namespace hw
