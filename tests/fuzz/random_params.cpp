#include "tests/fuzz/random_params.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hw::fuzz {
namespace {

using Type = ParamDecl::Type;

constexpr int64_t kWhole[] = {1, 1, 2, 2, 3, 4, 4, 5, 6, 8, 12, 16};
constexpr double kWild[] = {0, -1, 1, 0x1p24, 0x1p31, 0x1p32, 0x1p53, -0x1p53, 1e300, -1e300, 1e-320, 0.5};
const std::string kTexts[] = {"",
                              "N C",
                              "N C H W",
                              "same",
                              "valid",
                              "1",
                              "1 2",
                              "1 1 2 0",
                              "xy",
                              "yxx",
                              "x y",
                              "x * x",
                              "sin(x)",
                              "a+b",
                              "999999",
                              "-1",
                              "x; y = x",
                              "[",
                              "rgb",
                              "wzyx",
                              "dot(x, x)",
                              "\xff\xfe\x00",
                              "N N N N N N N N N",
                              "let y = x; y * y"};

int64_t whole_within(const ParamDecl& p, Dice& dice) {
  const double lo = p.min.value_or(-8), hi = p.max.value_or(16);
  if (dice.chance(0.08))
    return static_cast<int64_t>(dice.chance(0.5) ? lo : dice.chance(0.2) ? hi : std::min(hi, 64.0));
  return std::clamp(dice.of(kWhole), static_cast<int64_t>(std::ceil(lo)), static_cast<int64_t>(std::floor(hi)));
}

double real_within(const ParamDecl& p, Dice& dice) {
  const double lo = p.min.value_or(-2), hi = p.max.value_or(std::max(2.0, lo + 2));
  double x = dice.chance(0.15) ? (dice.chance(0.5) ? lo : hi) : dice.between(lo, std::min(hi, lo + 4));
  if (p.min_exclusive && x <= lo) x = std::nextafter(lo, hi);
  if (p.max_exclusive && x >= hi) x = std::nextafter(hi, lo);
  return x;
}

/// Sizes, axes, factors: small whole numbers mostly.
std::vector<double> vector_within(const ParamDecl& p, Dice& dice) {
  const auto* standard = std::get_if<std::vector<double>>(&p.value);
  size_t count = p.vector_size > 0 ? static_cast<size_t>(p.vector_size) : standard->size();
  if (p.vector_size == 0 && dice.chance(0.5)) count = static_cast<size_t>(dice.below(5));
  std::vector<double> list;
  for (size_t i = 0; i < count; ++i) {
    double x = p.min || p.max ? static_cast<double>(whole_within(p, dice)) : static_cast<double>(dice.of(kWhole));
    if (p.vector_size > 0 && dice.chance(0.5)) x = real_within(p, dice);
    list.push_back(x);
  }
  return list;
}

}  // namespace

ParamValue fitting_value(const ParamDecl& p, Dice& dice) {
  switch (p.type) {
    case Type::integer:
      return whole_within(p, dice);
    case Type::real:
      return real_within(p, dice);
    case Type::boolean:
      return dice.chance(0.5);
    case Type::choice:
    case Type::dtype:
      return dice.of(p.choices);
    case Type::path:
      return std::string(dice.chance(0.95) ? "asset:example" : "");
    case Type::text:
      return dice.chance(0.5) ? p.value : ParamValue(dice.of(kTexts));
    case Type::vector:
      return vector_within(p, dice);
  }
  return p.value;
}

ParamValue wild_value(const ParamDecl& p, Dice& dice) {
  const double real = dice.of(kWild);
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  if (dice.chance(0.1))  // of another kind
    return dice.of(std::vector<ParamValue>{true, int64_t{3}, nan, std::string("x"), std::vector<double>{}, inf});
  switch (p.type) {
    case Type::integer: {
      const double at = dice.chance(0.5) ? p.min.value_or(0) - 1 : p.max.value_or(0x1p31);
      if (dice.chance(0.3)) return static_cast<int64_t>(std::clamp(at, -0x1p53, 0x1p53)) + (p.max ? dice.below(2) : 0);
      if (dice.chance(0.2)) return dice.chance(0.5) ? INT64_MAX : INT64_MIN;
      return static_cast<int64_t>(std::clamp(real, -0x1p53, 0x1p53));
    }
    case Type::real:
      return dice.chance(0.2) ? (dice.chance(0.5) ? nan : -inf) : real;
    case Type::boolean:
      return dice.chance(0.5);
    case Type::choice:
    case Type::dtype:
      return dice.chance(0.7) ? ParamValue(dice.of(p.choices)) : ParamValue(std::string("tf32"));
    case Type::path:
      return std::string(dice.chance(0.5) ? "" : "../../etc/passwd");
    case Type::text:
      return dice.chance(0.1) ? std::string(static_cast<size_t>(dice.below(5000)), '(') : dice.of(kTexts);
    case Type::vector: {
      std::vector<double> list(static_cast<size_t>(dice.below(dice.chance(0.05) ? 300 : 6)));
      for (double& x : list) x = dice.chance(0.5) ? dice.of(kWild) : static_cast<double>(dice.of(kWhole));
      if (!list.empty() && dice.chance(0.1)) list.front() = nan;
      return list;
    }
  }
  return p.value;
}

}  // namespace hw::fuzz
