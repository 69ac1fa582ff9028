#include "app/models/text/param_value.h"

#include <QVariantList>
#include <algorithm>
#include <cmath>

#include "app/document/text.h"

namespace hw::app {
namespace {

double clamped(const ParamDecl& param, double value) {
  // An open lower end has no smallest value: the checker refuses the end itself.
  if (param.min && !param.min_exclusive) value = std::max(value, *param.min);
  if (param.max) value = std::min(value, *param.max);
  return value;
}

/// The whole range in about 200 steps; without one, the value's own magnitude.
double drag_step(const ParamDecl& param, double value) {
  const double range = param.min && param.max ? *param.max - *param.min
                                              : std::pow(10, std::ceil(std::log10(std::max(std::abs(value), 0.01))));
  return std::pow(10, std::floor(std::log10(range / 200)));
}

/// The nearest of 1, 2, 5, 10, 20, .. to a positive value, by ratio.
double one_two_five(double value) {
  const double decade = std::pow(10, std::floor(std::log10(value)));
  const double digit = value / decade;
  return decade * (digit < std::sqrt(2.0) ? 1 : digit < std::sqrt(10.0) ? 2 : digit < std::sqrt(50.0) ? 5 : 10);
}

double snapped(const ParamDecl& param, double start, double moved) {
  const bool whole = param.type == ParamDecl::Type::integer;
  if (param.is_logarithmic && moved > 0) return whole ? std::exp2(std::round(std::log2(moved))) : one_two_five(moved);
  const double few = param.min && param.max && *param.max - *param.min < 40 ? 1 : 10;
  const double step = whole ? few : 10 * drag_step(param, start);
  return std::round(moved / step) * step;
}

}  // namespace

QVariant to_qml(const ParamValue& value) {
  struct Visit {
    QVariant operator()(bool v) const { return v; }
    QVariant operator()(int64_t v) const { return static_cast<qlonglong>(v); }
    QVariant operator()(double v) const { return v; }
    QVariant operator()(const std::string& v) const { return to_q(v); }
    QVariant operator()(const std::vector<double>& v) const { return QVariantList(v.begin(), v.end()); }
  };
  return std::visit(Visit{}, value);
}

std::optional<ParamValue> from_qml(const ParamDecl& param, const QVariant& value) {
  using Type = ParamDecl::Type;
  bool good = true;
  switch (param.type) {
    case Type::boolean:
      return value.toBool();
    case Type::integer: {
      const double number = clamped(param, std::round(value.toDouble(&good)));
      if (!good || !(std::abs(number) < 9e15)) return std::nullopt;
      return static_cast<int64_t>(number);
    }
    case Type::real: {
      const double number = value.toDouble(&good);
      if (!good) return std::nullopt;
      return clamped(param, number);
    }
    case Type::vector: {
      std::vector<double> numbers;
      for (const QVariant& v : value.toList()) numbers.push_back(clamped(param, v.toDouble(&good)));
      return numbers;
    }
    case Type::choice:
    case Type::dtype:
    case Type::path:
    case Type::text:
      return to_std(value.toString());
  }
  return std::nullopt;
}

double scrub(const ParamDecl& param, double value, double steps, bool snaps) {
  const bool whole = param.type == ParamDecl::Type::integer;
  double moved = value;
  if (param.is_logarithmic && value > 0) {
    moved = whole ? value + steps * std::max(0.125, value * 0.02) : value * std::pow(1.02, steps);
  } else if (whole) {
    moved = value + steps / 8;
  } else {
    const double step = drag_step(param, value);
    moved = std::round((value + steps * step) / step) * step;
  }
  if (snaps) moved = snapped(param, value, moved);
  if (param.min && param.min_exclusive && moved <= *param.min) return value;
  return clamped(param, whole ? std::round(moved) : moved);
}

double nudge(const ParamDecl& param, double value, int direction) {
  return param.type == ParamDecl::Type::integer ? clamped(param, value + direction) : scrub(param, value, direction);
}

}  // namespace hw::app
