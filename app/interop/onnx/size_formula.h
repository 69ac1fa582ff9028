// Whole numbers that are computed of symbolic sizes by operators of which two sizes do not show what they make of
// others, such as Mod: how they are computed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/core/tensor.h"

namespace hw::interop {

constexpr int64_t kMostFormulaSteps = int64_t{1} << 26;  // of arithmetic, for all formulas of a model

struct SizeFormula;
using SizeFormulaPtr = std::shared_ptr<const SizeFormula>;

/// Division truncates, as that of C++; `mod` has the sign of what it is divided by, `rest` that of what is divided.
struct SizeFormula {
  enum class Op : uint8_t { number, size, add, sub, mul, div, mod, rest };
  Op op;
  int64_t here, other;    // what it is in either graph
  SizeFormulaPtr a, b;    // none of a number or size
  bool is_linear = true;  // it grows evenly with sizes: known of all where it is in two graphs
  int depth = 0;          // of operators on each other
};

/// The elements of a tensor.
struct SizeFormulas {
  Dims dims;
  std::vector<SizeFormulaPtr> elements;
};

SizeFormulaPtr size_formula(int64_t here, int64_t other);
/// None: it divides by 0, leaves the range of i64, or is of too many operators on each other.
std::optional<SizeFormulaPtr> size_formula(SizeFormula::Op op, const SizeFormulaPtr& a, const SizeFormulaPtr& b);

/// What is put behind an axis: `width`, and more until its size is a multiple.
struct WidthBehind {
  int64_t width, multiple;
};

/// `formula` as such a width behind an axis with this size in either graph, and `before` in front of it. None: it is no
/// such width at every size, or that is not sure. `steps`: of arithmetic that may be taken, less what was.
std::optional<WidthBehind> width_behind(const SizeFormula& formula, int64_t here, int64_t other, int64_t before,
                                        int64_t& steps);

}  // namespace hw::interop
