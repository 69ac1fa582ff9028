// Whole numbers that are computed of symbolic sizes by operators of which two sizes do not tell what they make of
// others, such as Mod: how they are computed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/core/tensor.h"

namespace hw::interop {

struct SizeFormula;
using SizeFormulaPtr = std::shared_ptr<const SizeFormula>;

/// Division truncates, as that of C++; `mod` has the sign of what it is divided by, `rest` that of what is divided.
struct SizeFormula {
  enum class Op : uint8_t { number, size, add, sub, mul, div, mod, rest };
  Op op;
  int64_t here, other;  // what it is in either graph
  SizeFormulaPtr a, b;  // none of a number or size
};

/// The elements of a tensor.
struct SizeFormulas {
  Dims dims;
  std::vector<SizeFormulaPtr> elements;
};

SizeFormulaPtr size_formula(int64_t here, int64_t other);
/// None: it divides by 0, or leaves the range of i64.
std::optional<SizeFormulaPtr> size_formula(SizeFormula::Op op, const SizeFormulaPtr& a, const SizeFormulaPtr& b);

/// What is put behind an axis: `width`, and more until its size is a multiple.
struct WidthBehind {
  int64_t width, multiple;
};

/// `formula` as such a width behind an axis with this size in either graph, and `before` in front of it. None: it is no
/// such width at every size, or that is not sure.
std::optional<WidthBehind> width_behind(const SizeFormula& formula, int64_t here, int64_t other, int64_t before);

}  // namespace hw::interop
