#include "engine/core/held_number.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/core/convert.h"

namespace hw {
namespace {

double stored(double value, DType dtype) {
  uint64_t bits = 0;
  double back = 0;
  convert(dtype, &bits, DType::f64, &value, 1);
  convert(DType::f64, &back, dtype, &bits, 1);
  return back;
}

std::string text(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, std::abs(value) < 1e15 && value == std::trunc(value) ? "%.0f" : "%.6g", value);
  return buffer;
}

}  // namespace

std::optional<Unheld> unheld(double value, DType dtype) {
  using Loss = Unheld::Loss;
  const DTypeInfo& to = info(dtype);
  if (dtype == DType::f64 || dtype == DType::boolean || !to.storable || (to.is_float && std::isnan(value))) return {};
  const double there = stored(value, dtype), bound = std::copysign(to.max, value);
  if (!to.is_float) {
    const double whole = std::isnan(value) ? value : std::trunc(value);
    if (there == whole) return {};
    return Unheld{Loss::beyond, value, there, there};
  }
  if (there == value) return {};
  if (!std::isfinite(there)) return Unheld{Loss::beyond, value, there, bound};
  if (there == 0) return Unheld{Loss::vanishes, value, there, std::copysign(to.min_subnormal, value)};
  if (value == std::trunc(value) && std::abs(value) < 0x1p53) return Unheld{Loss::not_whole, value, there, there};
  return {};
}

std::string to_string(const Unheld& unheld, DType dtype) {
  const std::string name(hw::name(dtype));
  std::string said = text(unheld.value) + " is " + text(unheld.there) + " in " + name;
  if (unheld.nearest != unheld.there) said += "; the nearest that " + name + " holds is " + text(unheld.nearest);
  return said;
}

}  // namespace hw
