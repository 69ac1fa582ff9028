// BadValue: where a training first made an Inf or NaN, and what of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/dtype.h"
#include "engine/core/result.h"
#include "engine/core/shape.h"
#include "engine/program/pass.h"

namespace hw {

struct BadValue {
  std::optional<Pass> pass = Pass::forward;  // none: a state was bad before anything ran (weights from a file)
  std::string node;                          // that made it
  std::string value;                         // "log.y", "grad(log.x)", "mlp.layer_0.master"; "" inside the node
  std::string op;                            // "log", "matmul", "adam_update"; "" where it was read, not made
  DType dtype = DType::f32;
  Dims dims;
  int64_t index = 0;           // of the first bad element: flat, row major
  double element = 0;          // that element: ±Inf or NaN
  int64_t infs = 0, nans = 0;  // in the whole value

  /// What the op read for this element, as it was before the op ran.
  struct Input {
    std::string name;  // as `value`, or the op that made it
    DType dtype = DType::f32;
    Dims dims;
    bool whole = false;  // which elements the op reads here is not described: the range is that of the whole input
    int64_t count = 0;   // elements read
    std::vector<std::pair<int64_t, double>> elements;  // index, value: at most eight, the largest magnitudes
    double smallest = 0, largest = 0;                  // magnitudes of those read that are finite and not 0
  };
  std::vector<Input> inputs;

  /// Where the op is not at fault: ops and numbers before it whose results no longer hold what f64 makes of the same
  /// inputs, and that the bad element is made of. A difference of rounded numbers, a product that is 0, an epsilon.
  struct Cause {
    std::string node, text;  // "sub made 0 of 1.0001, 1.0001; f64 makes 1.2e-09", "1e-08 is 0 in f16"
    DType dtype = DType::f32;
  };
  std::vector<Cause> causes;  // in the order of the forward pass; empty: the op itself, or not known
  std::string untraced;   // a sentence: why causes were not looked for, for lack of memory; "": they were, or need not
  std::string read;       // sentences on samples and given values that hold Inf or NaN; "": none does
  std::string keep_wide;  // of a narrow dtype, where later nodes make finite numbers of it: keep_wide_text; else ""

  uint64_t step = 0;         // 0-based
  uint64_t micro_batch = 0;  // of the step, 0-based
  uint64_t seed = 0;
  /// Magnitudes of this value, finite and not 0, in the last steps up to this one, oldest first.
  struct Range {
    uint64_t step = 0;
    double smallest = 0, largest = 0;
  };
  std::vector<Range> history;
  /// The step was run again from the states before it and made the same element bad in the same way.
  bool replayed = false;
};

/// "Inf", "-Inf", "NaN", or the number.
std::string number_text(double value);
/// HW-R003 at the node.
Error to_error(const BadValue& bad);
/// Several lines for a terminal: place, inputs, ranges.
std::string to_string(const BadValue& bad);

}  // namespace hw
