#include "engine/train/bad_value.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/core/codes.h"
#include "engine/core/place_text.h"

namespace hw {
namespace {

std::string value_text(const BadValue& b) {
  return b.value.empty() ? "a value inside it" : b.value;
}

std::string pass_text(const BadValue& b) {
  if (!b.pass) return "before step " + std::to_string(b.step + 1);
  return "in the " + std::string(name(*b.pass)) + " pass of step " + std::to_string(b.step + 1);
}

/// A sample or a given value is bad itself.
bool is_read(const BadValue& b) {
  return b.op.empty() && b.pass;
}

/// A mean over nothing: all rows are ignored, or a mask is 0.
bool is_zero_by_zero(const BadValue& b) {
  const auto is_zero = [](const BadValue::Input& in) { return in.elements.size() == 1 && in.elements[0].second == 0; };
  return b.op == "div" && b.inputs.size() == 2 && std::ranges::all_of(b.inputs, is_zero);
}

std::string remedy(const BadValue& b) {
  if (!b.read.empty()) return "Mend these numbers where they come from, or leave them out.";
  if (b.op.starts_with("gather"))
    return "An index lies outside the axis that it picks from: give labels and indices from 0 to one less than its "
           "size. Rows without a class are left out by a loss that ignores their label.";
  if (!b.causes.empty())
    return "Compute " + b.causes.front().node + " in a wider dtype than " + std::string(name(b.causes.front().dtype)) +
           ", or so that it does not lose what is needed here.";
  if (is_zero_by_zero(b))
    return "Where all rows of a batch may be ignored or masked, nothing is left to average: draw larger batches, leave "
           "out such rows, or add a small number to the divisor.";
  if (!b.pass) return "Load other weights, or reset.";
  if (!b.keep_wide.empty()) return b.keep_wide;
  const bool narrow = info(b.dtype).max < info(DType::f32).max / 2;
  if (narrow && b.pass == Pass::backward)
    return "Scale the loss less, or widen the dtype of this node and those after it.";
  if (narrow) return "Widen the dtype of this node, or keep its inputs smaller.";
  return "Keep the inputs of this node in range, clip gradients, or lower the learning rate.";
}

}  // namespace

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Inf" : "-Inf";
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

Error to_error(const BadValue& b) {
  std::string from;
  for (const BadValue::Input& input : b.inputs) {
    if (input.elements.size() != 1) continue;
    from += (from.empty() ? ", from " : ", ") + input.name + " = " + number_text(input.elements[0].second);
  }
  const std::string what = number_text(b.element) + " at " + place_text(b.index, b.dims) + " of " + value_text(b) +
                           " " + std::string(name(b.dtype)) + to_string(b.dims);
  std::string reason = is_read(b)     ? what + " was read, not computed, " + pass_text(b)
                       : b.op.empty() ? what + " " + pass_text(b)
                                      : b.op + " made " + what + " " + pass_text(b) + from;
  if (!b.causes.empty())
    reason += "; the cause lies before it, in " + b.causes.front().node + ": " + b.causes.front().text;
  reason += ".";
  for (const std::string& sentence : {b.untraced, b.read})
    if (!sentence.empty()) reason += " " + sentence;
  return {codes::not_finite, b.node, reason, remedy(b)};
}

std::string to_string(const BadValue& b) {
  std::string text = "first bad value: " + value_text(b) + " of node " + b.node + ", " + pass_text(b) + "\n";
  text += "  " + std::string(name(b.dtype)) + to_string(b.dims) + (b.op.empty() ? "" : ", made by " + b.op) + ": " +
          std::to_string(b.infs) + " Inf, " + std::to_string(b.nans) + " NaN; the first is " + number_text(b.element) +
          " at " + place_text(b.index, b.dims) + "\n";
  for (const BadValue::Input& input : b.inputs) {
    text += "  from " + input.name + " " + std::string(name(input.dtype)) + to_string(input.dims);
    if (input.elements.size() == 1 && input.count == 1) {
      text += " at " + place_text(input.elements[0].first, input.dims) + ": " + number_text(input.elements[0].second);
    } else {
      text += input.whole ? ", all" : ", " + std::to_string(input.count) + " elements";
      text += ", magnitudes " + number_text(input.smallest) + " to " + number_text(input.largest);
      for (size_t k = 0; k < input.elements.size(); ++k)
        text += (k ? ", " : "; largest: ") + place_text(input.elements[k].first, input.dims) + " " +
                number_text(input.elements[k].second);
    }
    text += "\n";
  }
  for (const BadValue::Cause& cause : b.causes)
    text += "  the cause lies before it, in " + cause.node + ": " + cause.text + "\n";
  if (!b.untraced.empty()) text += "  " + b.untraced + "\n";
  if (!b.read.empty()) text += "  " + b.read + "\n";
  if (!b.keep_wide.empty()) text += "  " + b.keep_wide + "\n";
  if (!b.history.empty()) text += "  magnitudes of its finite values, step by step:\n";
  for (const BadValue::Range& range : b.history)
    text += "    step " + std::to_string(range.step + 1) + ": " + number_text(range.smallest) + " to " +
            number_text(range.largest) + "\n";
  if (b.replayed) text += "  the step, run again from the states before it, made the same element bad\n";
  return text;
}

}  // namespace hw
