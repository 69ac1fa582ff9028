#include "engine/core/fit_dtype.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "engine/core/codes.h"
#include "engine/core/convert.h"
#include "engine/core/place_text.h"

namespace hw {
namespace {

constexpr int64_t kPiece = int64_t{1} << 16;  // elements that are compared at a time

/// Looks at what became of values. i64 is compared as such where the other side is whole, too: f64 holds it to 2^53.
struct Changes {
  int64_t rounded = 0, infinite = 0, first = -1, first_infinite = -1;
  double most = 0;  // the largest relative change of a rounded one

  void look(const Tensor& from, const Tensor& to) {
    const size_t from_size = size_of(from.dtype()), to_size = size_of(to.dtype());
    const bool whole = from.dtype() == DType::i64;
    std::vector<double> before(static_cast<size_t>(kPiece)), after(before.size());
    std::vector<int64_t> back(whole ? before.size() : 0);
    for (int64_t at = 0; at < from.size(); at += kPiece) {
      const auto count = static_cast<size_t>(std::min(kPiece, from.size() - at));
      const std::byte* raw = from.as<std::byte>() + static_cast<size_t>(at) * from_size;
      const std::byte* made = to.as<std::byte>() + static_cast<size_t>(at) * to_size;
      convert(DType::f64, before.data(), from.dtype(), raw, count);
      convert(DType::f64, after.data(), to.dtype(), made, count);
      if (whole) convert(DType::i64, back.data(), to.dtype(), made, count);
      for (size_t i = 0; i < count; ++i) {
        const bool same = before[i] == after[i] || (std::isnan(before[i]) && std::isnan(after[i]));
        if (same && (!whole || back[i] == reinterpret_cast<const int64_t*>(raw)[i])) continue;
        const int64_t element = at + static_cast<int64_t>(i);
        if (first < 0) first = element;
        if (!std::isfinite(after[i])) {
          if (infinite++ == 0) first_infinite = element;
          continue;
        }
        ++rounded;
        const double changed =
            same ? static_cast<double>(back[i] - reinterpret_cast<const int64_t*>(raw)[i]) : after[i] - before[i];
        if (before[i] != 0) most = std::max(most, std::abs(changed / before[i]));
      }
    }
  }
};

std::string number_text(const Tensor& tensor, int64_t element) {
  const std::byte* raw = tensor.as<std::byte>() + static_cast<size_t>(element) * size_of(tensor.dtype());
  if (tensor.dtype() == DType::i64) return std::to_string(*reinterpret_cast<const int64_t*>(raw));
  double value = 0;
  convert(DType::f64, &value, tensor.dtype(), raw, 1);
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string counted(int64_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

Result<FittedTensor> fit_dtype(const Tensor& tensor, DType dtype, const std::string& where) {
  if (tensor.dtype() == dtype) return FittedTensor{tensor};
  FittedTensor fitted{tensor.to(dtype)};
  Changes changes;
  changes.look(tensor, fitted.tensor);
  const std::string from(name(tensor.dtype())), to(name(dtype));
  if (!info(dtype).is_float && changes.first >= 0) {
    return Error{
        codes::dtype_mismatch, where,
        "the wire carries " + to + ", and the array, " + from + ", has a value that this does not hold: " +
            number_text(tensor, changes.first) + " at " + place_text(changes.first, tensor.dims()) + ".",
        "Save the array as " + to + " with the values that are meant, or wire it where " + from + " is taken."};
  }
  if (changes.first < 0) return fitted;
  fitted.note = from + " converted to " + to + ":";
  if (changes.rounded > 0) {
    char text[48];
    std::snprintf(text, sizeof text, ", by %.1e of the value at most", changes.most);
    fitted.note += " " + counted(changes.rounded, "value is", "values are") + " rounded" + text;
  }
  if (changes.infinite > 0) {
    fitted.note += (changes.rounded > 0 ? "; " : " ") + counted(changes.infinite, "value is", "values are") +
                   " beyond what " + to + " holds, the first of them " + number_text(tensor, changes.first_infinite) +
                   " at " + place_text(changes.first_infinite, tensor.dims());
  }
  fitted.note += ".";
  return fitted;
}

}  // namespace hw
