#include "engine/compare/dump_hints.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "engine/core/dtype_tolerance.h"

namespace hw {
namespace {

bool agrees_with_channels_last(const Tensor& made, const Tensor& wanted, double relative) {
  if (!has_channels_last(wanted.dims(), made.dims())) return false;
  const std::vector<double> a = made.to_f64(), b = wanted.to_f64();
  const auto channels = static_cast<size_t>(made.dims()[1]);
  const size_t places = std::accumulate(made.dims().begin() + 2, made.dims().end(), size_t{1},
                                        [](size_t n, int64_t size) { return n * static_cast<size_t>(size); });
  double largest = 0;
  for (const double value : b)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  const double allowed = relative * largest + kAlike;
  for (size_t i = 0; i < a.size(); ++i) {
    const size_t place = i % places, channel = i / places % channels, sample = i / places / channels;
    const double other = b[(sample * places + place) * channels + channel];
    if (a[i] != other && !(std::abs(a[i] - other) <= allowed) && !(std::isnan(a[i]) && std::isnan(other))) return false;
  }
  return true;
}

}  // namespace

bool has_channels_last(const Dims& tensor, const Dims& wire) {
  if (wire.size() < 3 || tensor.size() != wire.size()) return false;
  Dims turned = wire;
  std::rotate(turned.begin() + 1, turned.begin() + 2, turned.end());
  return tensor == turned;
}

std::string hint_of(const Tensor& made, const Tensor& wanted, double error, double relative) {
  if (agrees_with_channels_last(made, wanted, relative))
    return "with its channels read as the last axis it agrees: save it with the axes of the wire";
  const DType narrow = info(made.dtype()).bits <= info(wanted.dtype()).bits ? made.dtype() : wanted.dtype();
  const double rounds = tolerance(narrow).relative;
  if (made.dims() != wanted.dims() || info(narrow).bits > 16 || !(relative > 0) || !(error * relative <= rounds))
    return {};
  char allowed[32];
  std::snprintf(allowed, sizeof allowed, "%.3g", rounds);
  return "within what " + std::string(name(narrow)) + " rounds (on the command line: --relative " + allowed +
         " allows it)";
}

}  // namespace hw
