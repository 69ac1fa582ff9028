#include "engine/io/dataset/dataset_scales.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/core/codes.h"
#include "engine/io/tensor/npy.h"

namespace hw {
namespace {

constexpr double kApart = 8;
constexpr uint64_t kSlices = 16;  // of a file that is not looked at wholly
constexpr uint64_t kSliceElements = uint64_t{1} << 16;

struct Samples {
  std::filesystem::path file;
  NpyHeader header;
  double low = 0, high = 0, sum = 0, count = 0;  // of finite numbers: as they are stored; of |x|

  bool bytes() const { return header.dtype == DType::u8; }
  double scale() const { return bytes() ? 1.0 / 255 : 1; }
  double largest() const { return std::max(-low, high) * scale(); }
  double mean() const { return count > 0 ? sum / count * scale() : 0; }
  std::string dtype() const { return std::string(name(header.dtype)); }

  Status look() { return look_at(header); }

  /// At slices that lie evenly in the file, or at all of a file that has no more.
  Status look_at_slices() {
    const int64_t elements = element_count(header.dims);
    if (elements == 0) return ok();
    const uint64_t size = header.bytes / static_cast<uint64_t>(elements), all = static_cast<uint64_t>(elements);
    if (all <= kSlices * kSliceElements) return look();
    for (uint64_t k = 0; k < kSlices; ++k) {
      NpyHeader slice = header;
      slice.data_at += k * (all / kSlices) * size;
      slice.bytes = kSliceElements * size;
      HW_CHECK(look_at(slice));
    }
    return ok();
  }

 private:
  Status look_at(const NpyHeader& part) {
    const Status seen = each_npy_piece(file, part, [&](const Tensor& piece, int64_t) {
      for (const double value : piece.to_f64()) {
        if (!std::isfinite(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
        sum += std::abs(value);
        ++count;
      }
    });
    if (seen) return ok();
    return Error{codes::asset_unreadable, seen.error().where, seen.error().reason, seen.error().remedy};
  }
};

Result<Samples> open_samples(const std::filesystem::path& file) {
  auto header = read_npy_header(file);
  if (!header)
    return Error{codes::asset_unreadable, header.error().where, header.error().reason, header.error().remedy};
  return Samples{file, std::move(*header)};
}

Status check_bytes(const Samples& bytes, Samples& numbers) {
  HW_CHECK(numbers.look());
  if (numbers.low >= 0 && numbers.high <= 1) return ok();
  char range[64];
  std::snprintf(range, sizeof range, "%.6g to %.6g", numbers.low, numbers.high);
  return Error{
      codes::asset_lacks, numbers.file.string(),
      "it holds " + numbers.dtype() + ", taken as they are, from " + range + "; " + bytes.file.filename().string() +
          " holds u8, which stand for value / 255, 0 to 1. The network would be measured on another scale than "
          "it is trained on.",
      "Save both with one dtype and on one scale: both as uint8, or both as float32 divided by 255."};
}

std::string text(const Samples& s) {
  char numbers[96];
  std::snprintf(numbers, sizeof numbers, "%.3g at most and %.3g in the mean", s.largest(), s.mean());
  return s.file.filename().string() + " (" + s.dtype() + (s.bytes() ? ", value / 255" : "") + ") is " + numbers;
}

}  // namespace

Result<std::string> scale_mismatch(const std::filesystem::path& train, const std::filesystem::path& test) {
  HW_TRY(Samples a, open_samples(train));
  HW_TRY(Samples b, open_samples(test));
  if (a.bytes() != b.bytes()) HW_CHECK(check_bytes(a.bytes() ? a : b, a.bytes() ? b : a));
  for (Samples* s : {&a, &b})
    if (s->count == 0) HW_CHECK(s->look_at_slices());
  const auto apart = [](double x, double y) { return std::max(x, y) >= kApart * std::min(x, y); };
  if (a.mean() == 0 || b.mean() == 0 || !apart(a.mean(), b.mean()) || !apart(a.largest(), b.largest()))
    return std::string();
  return "The splits are on different scales: the magnitude of " + text(a) + "; that of " + text(b) +
         ". What is measured on one says nothing of the other. Save both with one dtype and on one scale.";
}

}  // namespace hw
