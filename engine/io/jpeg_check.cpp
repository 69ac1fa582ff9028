#include <algorithm>
#include <array>
#include <optional>

#include "engine/io/image_bytes.h"
#include "engine/io/jpeg_huffman.h"
#include "engine/io/numbers.h"
#include "engine/io/picture_check.h"

namespace hw {
namespace {

constexpr uint32_t kStart = 0xD8, kEnd = 0xD9, kScan = 0xDA, kTables = 0xC4, kInterval = 0xDD;
constexpr uint32_t kBaseline = 0xC0, kExtended = 0xC1, kProgressive = 0xC2, kRestart = 0xD0;
constexpr size_t kCoefficients = 64;

bool is_restart(uint32_t marker) {
  return marker >= kRestart && marker < kRestart + 8;
}

struct Component {
  uint32_t id = 0, h = 1, v = 1;                // how many blocks it has in a unit of all
  size_t columns = 0, rows = 0;                 // its own blocks
  std::vector<uint64_t> nonzero = {};           // of a progressive JPEG: which coefficients of each block are not 0
  std::array<int8_t, kCoefficients> sent = {};  // the lowest bit of each that was sent; −1: none
};

/// Reads the scans of one file.
class Scans {
 public:
  explicit Scans(std::string_view bytes) : bytes_(bytes), numbers_{bytes} {}
  PictureCheck check();

 private:
  struct Scan {
    std::vector<Component*> of;
    std::array<const JpegCodes*, 4> dc = {}, ac = {};
    uint32_t from = 0, to = 63, high = 0, low = 0;  // coefficients; the bits sent before, and now
  };
  bool take_frame(std::string_view data);
  bool take_tables(std::string_view data);
  bool take_scan(std::string_view data, size_t at);
  bool decode(const Scan& scan, size_t at);
  void block(const Scan& scan, size_t which, Component& c, size_t index);
  void sequential(const Scan& scan, size_t which);
  void first_of(const Scan& scan, size_t which, uint64_t& nonzero);
  void more_of(const Scan& scan, size_t which, uint64_t& nonzero);
  bool damaged(const std::string& why) { return fault("is damaged: " + why); }
  bool fault(std::string why) { return check_.fault = std::move(why), false; }
  void end();

  std::string_view bytes_;
  Numbers numbers_;
  PictureCheck check_;
  std::array<JpegCodes, 4> dc_, ac_;
  std::vector<Component> components_;
  size_t width_ = 0, height_ = 0, columns_ = 0, rows_ = 0;  // pixels; units of all components
  bool progressive_ = false;
  size_t interval_ = 0, next_ = 0, left_over_ = 0;
  uint32_t run_ = 0;  // blocks that are not coded, as their coefficients of this scan are 0
  JpegBits in_{"", 0};
};

bool Scans::take_frame(std::string_view data) {
  const Numbers n{data};
  const size_t count = n.at(5, 1).value_or(0);
  if (!components_.empty() || count == 0 || count > 4 || data.size() < 6 + 3 * count)
    return damaged("its frame header");
  height_ = *n.at(1, 2);
  width_ = *n.at(3, 2);
  uint32_t h = 1, v = 1;
  for (size_t i = 0; i < count; ++i) {
    Component c{.id = *n.at(6 + 3 * i, 1), .h = *n.at(7 + 3 * i, 1) >> 4, .v = *n.at(7 + 3 * i, 1) & 15};
    if (c.h < 1 || c.h > 4 || c.v < 1 || c.v > 4) return damaged("its frame header");
    c.sent.fill(-1);
    h = std::max(h, c.h);
    v = std::max(v, c.v);
    components_.push_back(std::move(c));
  }
  columns_ = (width_ + 8 * h - 1) / (8 * h);
  rows_ = (height_ + 8 * v - 1) / (8 * v);
  for (Component& c : components_) {
    c.columns = ((width_ * c.h + h - 1) / h + 7) / 8;
    c.rows = ((height_ * c.v + v - 1) / v + 7) / 8;
    if (progressive_) c.nonzero.resize(columns_ * c.h * rows_ * c.v);
  }
  return true;
}

bool Scans::take_tables(std::string_view data) {
  while (data.size() >= 17) {
    const auto which = static_cast<unsigned char>(data[0]);
    const std::string_view counts = data.substr(1, 16);
    size_t codes = 0;
    for (const char count : counts) codes += static_cast<unsigned char>(count);
    if ((which & 15) > 3 || which >> 4 > 1 || codes > 256 || data.size() < 17 + codes) break;
    if (!(which >> 4 ? ac_ : dc_)[which & 15].make(counts, data.substr(17, codes))) break;
    data.remove_prefix(17 + codes);
  }
  return data.empty() || damaged("a Huffman table");
}

bool Scans::take_scan(std::string_view data, size_t at) {
  const Numbers n{data};
  const size_t count = n.at(0, 1).value_or(0);
  if (count == 0 || count > 4 || data.size() < 4 + 2 * count) return damaged("the header of a scan");
  Scan scan;
  const Numbers behind{data.substr(1 + 2 * count)};
  scan.from = *behind.at(0, 1);
  scan.to = progressive_ ? *behind.at(1, 1) : 63;
  scan.high = progressive_ ? *behind.at(2, 1) >> 4 : 0;
  scan.low = progressive_ ? *behind.at(2, 1) & 15 : 0;
  const bool needs_dc = scan.from == 0 && scan.high == 0, needs_ac = scan.to > 0;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t id = *n.at(1 + 2 * i, 1), tables = *n.at(2 + 2 * i, 1);
    const auto c = std::find_if(components_.begin(), components_.end(), [&](const Component& x) { return x.id == id; });
    if (c == components_.end() || tables >> 4 > 3 || (tables & 15) > 3) return damaged("the header of a scan");
    scan.of.push_back(&*c);
    scan.dc[i] = &dc_[tables >> 4];
    scan.ac[i] = &ac_[tables & 15];
    if ((needs_dc && scan.dc[i]->empty()) || (needs_ac && scan.ac[i]->empty()))
      return damaged("a scan names a Huffman table that is not there");
    for (uint32_t k = scan.from; k <= scan.to && k < kCoefficients; ++k) c->sent[k] = static_cast<int8_t>(scan.low);
  }
  if (scan.to >= kCoefficients || scan.from > scan.to || (progressive_ && scan.from == 0 && scan.to != 0) ||
      (progressive_ && scan.from > 0 && count > 1))
    return damaged("the header of a scan");
  return decode(scan, at);
}

void Scans::sequential(const Scan& scan, size_t which) {
  in_.bits(in_.symbol(*scan.dc[which]) & 15);
  for (size_t k = 1; k < kCoefficients && !in_.has_failed(); ++k) {
    const uint8_t code = in_.symbol(*scan.ac[which]);
    if ((code & 15) == 0 && code >> 4 < 15) return;
    k += code >> 4;
    in_.bits(code & 15);
  }
}

/// Coefficients that are sent for the first time.
void Scans::first_of(const Scan& scan, size_t which, uint64_t& nonzero) {
  if (run_ > 0) return static_cast<void>(--run_);
  for (uint32_t k = scan.from; k <= scan.to && !in_.has_failed(); ++k) {
    const uint8_t code = in_.symbol(*scan.ac[which]);
    const int zeros = code >> 4, size = code & 15;
    if (size == 0 && zeros < 15) {
      run_ = (1u << zeros) - 1 + in_.bits(zeros);
      return;
    }
    k += static_cast<uint32_t>(zeros);
    in_.bits(size);
    if (size > 0 && k < kCoefficients) nonzero |= uint64_t{1} << k;
  }
}

/// One more bit of those that were sent, and new ones.
void Scans::more_of(const Scan& scan, size_t which, uint64_t& nonzero) {
  uint32_t k = scan.from;
  const auto is_known = [&] { return (nonzero >> k & 1) != 0; };
  for (; run_ == 0 && k <= scan.to && !in_.has_failed(); ++k) {
    const uint8_t code = in_.symbol(*scan.ac[which]);
    int zeros = code >> 4;
    const bool is_new = (code & 15) != 0;
    if (!is_new && zeros < 15) {
      run_ = (1u << zeros) + in_.bits(zeros);
      break;
    }
    if (is_new) in_.bits(1);
    for (; k <= scan.to; ++k) {
      if (is_known()) {
        in_.bits(1);
      } else if (--zeros < 0) {
        break;
      }
    }
    if (is_new && k < kCoefficients) nonzero |= uint64_t{1} << k;
  }
  if (run_ == 0) return;
  for (; k <= scan.to; ++k)
    if (is_known()) in_.bits(1);
  --run_;
}

void Scans::block(const Scan& scan, size_t which, Component& c, size_t index) {
  if (!progressive_) return sequential(scan, which);
  if (scan.from == 0) {
    in_.bits(scan.high > 0 ? 1 : in_.symbol(*scan.dc[which]) & 15);
  } else if (scan.high == 0) {
    first_of(scan, which, c.nonzero[index]);
  } else {
    more_of(scan, which, c.nonzero[index]);
  }
}

bool Scans::decode(const Scan& scan, size_t at) {
  const bool is_alone = scan.of.size() == 1;
  const size_t columns = is_alone ? scan.of[0]->columns : columns_, rows = is_alone ? scan.of[0]->rows : rows_;
  const size_t count = columns * rows;
  in_ = JpegBits(bytes_, at);
  run_ = 0;
  for (size_t unit = 0; unit < count; ++unit) {
    if (interval_ > 0 && unit > 0 && unit % interval_ == 0) {
      size_t place = in_.at();
      while (numbers_.at(place, 2) == 0xFFFFu) ++place;
      const uint32_t restart = kRestart + static_cast<uint32_t>((unit / interval_ - 1) % 8);
      if (place + 2 > bytes_.size()) return fault("is cut short: it ends at a restart marker");
      if (numbers_.at(place, 2) != (0xFF00u | restart))
        return damaged("a restart marker is not where it must be, at byte " + std::to_string(place));
      in_.go_on_at(place + 2);
      run_ = 0;
    }
    for (size_t i = 0; i < scan.of.size(); ++i) {
      Component& c = *scan.of[i];
      const uint32_t blocks = is_alone ? 1 : c.h * c.v;
      for (uint32_t b = 0; b < blocks; ++b) block(scan, i, c, unit);
    }
    if (!in_.has_failed()) continue;
    const std::string place = " after " + std::to_string(unit) + " of " + std::to_string(count) +
                              " units of a scan, at byte " + std::to_string(in_.at());
    if (in_.is_dry() && in_.at() + 2 > bytes_.size()) return fault("is cut short: it ends" + place);
    return damaged((in_.is_dry() ? "data is missing" : "its data is no code") + place);
  }
  // To the next marker.
  left_over_ += in_.held();
  for (next_ = in_.at(); next_ + 1 < bytes_.size(); ++next_) {
    const uint32_t marker = *numbers_.at(next_ + 1, 1);
    const bool is_marker = *numbers_.at(next_, 1) == 0xFF && marker != 0 && marker != 0xFF && !is_restart(marker);
    if (is_marker) return true;
    ++left_over_;
  }
  return true;
}

void Scans::end() {
  for (const Component& c : components_) {
    if (c.sent[0] < 0) return static_cast<void>(damaged("one of its components has no data"));
  }
  if (components_.empty()) return static_cast<void>(damaged("it has no frame"));
  const bool is_all_sent = std::all_of(components_.begin(), components_.end(), [](const Component& c) {
    return std::all_of(c.sent.begin(), c.sent.end(), [](int8_t bit) { return bit == 0; });
  });
  if (!is_all_sent)
    check_.warnings.emplace_back("its last scans are not there: it is coarser than it was meant to be.");
  if (left_over_ > 0)
    check_.warnings.push_back(std::to_string(left_over_) +
                              " bytes of its data are left over behind the last block: it may be damaged.");
}

PictureCheck Scans::check() {
  for (size_t at = 2;;) {
    const auto sign = numbers_.at(at, 1), marker = numbers_.at(at + 1, 1);
    if (!sign || !marker) return {"is cut short: it has no end (EOI)", {}};
    if (*sign != 0xFF || *marker == 0xFF || *marker == 0) {  // fill, or what stb passes over
      ++at;
      continue;
    }
    if (*marker == kEnd) break;
    if (is_restart(*marker) || *marker == kStart) {
      at += 2;
      continue;
    }
    const auto length = numbers_.at(at + 2, 2);
    if (!length || *length < 2 || at + 2 + *length > bytes_.size()) return {"is cut short: it has no end (EOI)", {}};
    const std::string_view data = bytes_.substr(at + 4, *length - 2);
    at += 2 + *length;
    const bool is_frame =
        *marker >= kBaseline && *marker <= 0xCF && *marker != kTables && *marker != 0xC8 && *marker != 0xCC;
    progressive_ = progressive_ || *marker == kProgressive;
    if (is_frame && *marker > kProgressive) return {};  // not read, and stb says so
    if (is_frame && !take_frame(data)) return check_;
    if (width_ > kMaxPictureSide || height_ > kMaxPictureSide) return {};  // refused for that
    if (*marker == kTables && !take_tables(data)) return check_;
    if (*marker == kInterval) interval_ = Numbers{data}.at(0, 2).value_or(0);
    if (*marker != kScan) continue;
    if (!take_scan(data, at)) return check_;
    at = next_;
  }
  end();
  return check_;
}

}  // namespace

PictureCheck check_jpeg(std::string_view bytes) {
  return Scans(bytes).check();
}

}  // namespace hw
