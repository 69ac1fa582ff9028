// Sequences of tensors: lists that are known while a model is read. What is taken out of them are wires.
#include <algorithm>

#include "app/interop/onnx/rules.h"

namespace hw::interop {
namespace {

Status construct(Importer& im, const OnnxNode& n) {
  std::vector<Wire> all;
  for (size_t i = 0; i < n.inputs.size(); ++i) {
    HW_TRY(all.emplace_back(), im.in(n, i));
  }
  im.set_sequence(n, std::move(all));
  return ok();
}

/// Sizes of the parts: of input 1, one number for all or one each; without it 1 each.
Result<std::vector<int64_t>> sizes_of_parts(Importer& im, const OnnxNode& n, int64_t size) {
  std::vector<int64_t> sizes;
  int64_t each = 1;
  if (im.has(n, 1)) {
    HW_TRY(sizes, im.integers(n, 1));
    if (!im.bound(n, 1)->dims().empty()) return sizes;
    each = sizes.front();
    sizes.clear();
  }
  if (each < 1 || size / each > kMost) return unsupported("its parts do not fit the axis.");
  for (int64_t begin = 0; begin < size; begin += each) sizes.push_back(std::min(each, size - begin));
  return sizes;
}

Status split(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const int64_t axis, im.axis(x, n.integer("axis", 0)));
  HW_TRY(const Dims dims, im.open_dims(x));
  const int64_t size = dims[static_cast<size_t>(axis)];
  if (size < 0) return unsupported("the size of its axis is symbolic.");
  HW_TRY(const std::vector<int64_t> sizes, sizes_of_parts(im, n, size));
  std::vector<Wire> parts;
  int64_t begin = 0;
  for (const int64_t each : sizes) {
    const int64_t end = begin + each;
    if (each < 1 || end > size) return unsupported("its parts do not fit the axis.");
    Wire part = x;
    if (each < size) {
      HW_TRY(part,
             im.add("slice", {{"x", x}}, {{"axis", axis}, {"begin", begin}, {"end", end == size ? int64_t{0} : end}}));
    }
    if (!im.has(n, 1) && n.integer("keepdims", 1) == 0) {
      HW_TRY(part, im.add("squeeze", {{"x", part}}, {{"axes", std::vector<double>{static_cast<double>(axis)}}}));
    }
    parts.push_back(part);
    begin = end;
  }
  if (begin != size) return unsupported("its parts do not fit the axis.");
  im.set_sequence(n, std::move(parts));
  return ok();
}

/// The place that input i names, counted from the end where it is negative; `size` without it.
Result<size_t> place(Importer& im, const OnnxNode& n, size_t i, size_t size, size_t places) {
  if (!im.has(n, i)) return size;
  HW_TRY(const std::vector<int64_t> given, im.integers(n, i));
  const int64_t at = given.empty() ? -1 : given.front() + (given.front() < 0 ? static_cast<int64_t>(size) : 0);
  if (at < 0 || at >= static_cast<int64_t>(places)) return unsupported("its place is not in the sequence.");
  return static_cast<size_t>(at);
}

Status at(Importer& im, const OnnxNode& n) {
  HW_TRY(const std::vector<Wire> all, im.sequence(n, 0));
  HW_TRY(const size_t i, place(im, n, 1, all.size(), all.size()));
  im.set(n, 0, all.at(i));
  return ok();
}

Status insert(Importer& im, const OnnxNode& n) {
  HW_TRY(std::vector<Wire> all, im.sequence(n, 0));
  HW_TRY(const Wire x, im.in(n, 1));
  HW_TRY(const size_t i, place(im, n, 2, all.size(), all.size() + 1));
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(i), x);
  im.set_sequence(n, std::move(all));
  return ok();
}

Status erase(Importer& im, const OnnxNode& n) {
  HW_TRY(std::vector<Wire> all, im.sequence(n, 0));
  if (all.empty()) return unsupported("its sequence is empty.");
  HW_TRY(const size_t i, place(im, n, 1, all.size(), all.size()));
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(im.has(n, 1) ? i : all.size() - 1));
  im.set_sequence(n, std::move(all));
  return ok();
}

Status empty(Importer& im, const OnnxNode& n) {
  im.set_sequence(n, {});
  return ok();
}

Status length(Importer& im, const OnnxNode& n) {
  HW_TRY(const std::vector<Wire> all, im.sequence(n, 0));
  im.set(n, 0, integers_of({static_cast<int64_t>(all.size())}).reshaped({}));
  return ok();
}

Status concat_sequence(Importer& im, const OnnxNode& n) {
  HW_TRY(const std::vector<Wire> all, im.sequence(n, 0));
  const bool stacks = n.integer("new_axis", 0) != 0;
  HW_TRY(const Wire y, joined(im, all, n.integer("axis", 0), stacks ? "stack" : "concat"));
  im.set(n, 0, y);
  return ok();
}

}  // namespace

std::span<const RuleRow> sequence_rules() {
  static constexpr RuleRow kRows[]{
      {"ConcatFromSequence", concat_sequence},
      {"SequenceAt", at},
      {"SequenceConstruct", construct},
      {"SequenceEmpty", empty},
      {"SequenceErase", erase},
      {"SequenceInsert", insert},
      {"SequenceLength", length},
      {"SplitToSequence", split},
  };
  return kRows;
}

}  // namespace hw::interop
