#include "app/interop/onnx/size_formula.h"

#include <algorithm>
#include <set>

#include "app/interop/onnx/importer.h"
#include "engine/core/sizes.h"

namespace hw::interop {
namespace {

using Op = SizeFormula::Op;

constexpr int64_t kMostFormulas = 64;        // of a tensor
constexpr int64_t kLongestPeriod = 1 << 14;  // of sizes, after which divisions repeat
constexpr int64_t kLargestNumber = 1 << 12;  // in a formula
constexpr int64_t kMostParts = 1024;         // of a formula, each time that it is used
constexpr int kDeepestFormula = 256;         // operators on each other

std::optional<int64_t> computed(Op op, int64_t a, int64_t b) {
  int64_t made = 0;
  if (op == Op::add) return __builtin_add_overflow(a, b, &made) ? std::nullopt : std::optional(made);
  if (op == Op::sub) return __builtin_sub_overflow(a, b, &made) ? std::nullopt : std::optional(made);
  if (op == Op::mul) return __builtin_mul_overflow(a, b, &made) ? std::nullopt : std::optional(made);
  if (b == 0 || b == -1) return std::nullopt;  // INT64_MIN / -1 overflows
  if (op == Op::div) return a / b;
  const int64_t rest = a % b;
  return op == Op::mod && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/// A formula of the size of one axis.
struct OfAxis {
  int64_t here, other;                           // the axis in either graph
  int64_t divisors = 1, parts = 0, largest = 0;  // the largest offset
  std::set<int64_t> divided_by = {};

  bool is_axis(const SizeFormula& f) const { return f.here == here && f.other == other; }

  /// A formula grows evenly with the size, by a multiple of 1 / `divisors`, but for at most so much: this bound. None:
  /// that is not sure.
  std::optional<int64_t> offset(const SizeFormula& f) {
    if (++parts > kMostParts) return std::nullopt;
    if (is_axis(f)) return 0;
    if (f.op == Op::size) return std::nullopt;
    if (f.op == Op::number)
      return f.here >= -kLargestNumber && f.here <= kLargestNumber ? std::optional(std::abs(f.here)) : std::nullopt;
    const bool a_varies = f.a->op != Op::number, b_varies = f.b->op != Op::number;
    if (f.op == Op::mul && a_varies && b_varies) return std::nullopt;
    if (f.op == Op::div || f.op == Op::mod || f.op == Op::rest) {
      if (b_varies || f.b->here <= 0) return std::nullopt;
      divided_by.insert(f.b->here);
      divisors = size_product({divisors, f.b->here});
      if (divisors > kLongestPeriod) return std::nullopt;
    }
    const auto a = offset(*f.a);
    const auto b = a ? offset(*f.b) : std::nullopt;
    if (!b) return std::nullopt;
    int64_t made = *a + *b;
    if (f.op == Op::mul) made = (a_varies ? *a : std::abs(f.a->here)) * (b_varies ? *b : std::abs(f.b->here));
    if (f.op == Op::div) made = *a / f.b->here + 2;  // rounded here, and in the quotient
    if (f.op == Op::mod || f.op == Op::rest) made = f.b->here;
    largest = std::max(largest, made);
    return made <= kMostFormulaSteps ? std::optional(made) : std::nullopt;
  }

  std::optional<int64_t> at(const SizeFormula& f, int64_t size) const {
    if (is_axis(f)) return size;
    if (f.op == Op::number) return f.here;
    const auto a = at(*f.a, size), b = at(*f.b, size);
    return a && b ? computed(f.op, *a, *b) : std::nullopt;
  }
};

Sized values_of(const SizeFormulas& formulas) {
  Sized made{Tensor(DType::i64, formulas.dims), Tensor(DType::i64, formulas.dims)};
  for (size_t i = 0; i < formulas.elements.size(); ++i) {
    made.here.as<int64_t>()[i] = formulas.elements[i]->here;
    made.other.as<int64_t>()[i] = formulas.elements[i]->other;
  }
  return made;
}

bool is_whole(const Tensor& t) {
  return (t.dtype() == DType::i64 || t.dtype() == DType::i32) && t.size() <= kMostFormulas;
}

/// Operators on one input whose result has its elements, and Concat.
bool moves(const std::string& op) {
  constexpr std::string_view kOps[]{"Cast",    "Concat", "Flatten", "Gather",    "Identity",
                                    "Reshape", "Slice",  "Squeeze", "Transpose", "Unsqueeze"};
  return std::ranges::count(kOps, op) > 0;
}

std::optional<Op> arithmetic(const OnnxNode& n) {
  if (n.op == "Add") return Op::add;
  if (n.op == "Sub" || n.op == "Neg") return Op::sub;
  if (n.op == "Mul") return Op::mul;
  if (n.op == "Div") return Op::div;
  if (n.op == "Mod") return n.integer("fmod", 0) != 0 ? Op::rest : Op::mod;
  return std::nullopt;
}

}  // namespace

SizeFormulaPtr size_formula(int64_t here, int64_t other) {
  return std::make_shared<const SizeFormula>(SizeFormula{here == other ? Op::number : Op::size, here, other, {}, {}});
}

std::optional<SizeFormulaPtr> size_formula(Op op, const SizeFormulaPtr& a, const SizeFormulaPtr& b) {
  const auto here = computed(op, a->here, b->here), other = computed(op, a->other, b->other);
  if (!here || !other) return std::nullopt;
  if (a->op == Op::number && b->op == Op::number) return size_formula(*here, *here);
  // A number counted from the end, as of torch.roll: exact where the size is not less than it, and else below 0.
  if (op == Op::mod && a->op == Op::number && b->op == Op::size && a->here < 0 &&
      -a->here <= std::min(b->here, b->other))
    return size_formula(Op::add, b, a);
  const int depth = 1 + std::max(a->depth, b->depth);
  if (depth > kDeepestFormula) return std::nullopt;
  const bool grows = op == Op::add || op == Op::sub || (op == Op::mul && (a->op == Op::number || b->op == Op::number));
  return std::make_shared<const SizeFormula>(
      SizeFormula{op, *here, *other, a, b, grows && a->is_linear && b->is_linear, depth});
}

std::optional<WidthBehind> width_behind(const SizeFormula& formula, int64_t here, int64_t other, int64_t before,
                                        int64_t& steps) {
  if (formula.op == Op::number) return WidthBehind{formula.here, 1};
  OfAxis axis{here, other};
  if (here == other || !axis.offset(formula)) return std::nullopt;
  // What repeats after `divisors` sizes, but for an even growth, is known of all sizes after two rounds, from where on
  // no sign changes: what grows does so by 1 / `divisors` or more, and has passed the largest offset then.
  const int64_t last = size_product({axis.divisors, axis.largest + 2});
  const int64_t wanted = size_product({last, axis.parts});
  if (wanted > steps) return std::nullopt;
  steps -= wanted;
  std::vector<int64_t> widths;
  for (int64_t size = 1; size <= last; ++size) {
    const auto width = axis.at(formula, size);
    if (!width || *width < 0) return std::nullopt;
    widths.push_back(*width);
  }
  const int64_t least = *std::ranges::min_element(widths);
  for (const int64_t multiple : axis.divided_by) {
    const auto expected = [&](int64_t size) {
      const int64_t rest = (size + before + least) % multiple;
      return rest == 0 ? least : least + multiple - rest;
    };
    bool same = true;
    for (int64_t size = 1; same && size <= last; ++size) same = widths[static_cast<size_t>(size - 1)] == expected(size);
    if (same) return WidthBehind{least, multiple};
  }
  return std::nullopt;
}

std::optional<SizeFormulas> Importer::formulas(const std::string& value) {
  if (const auto known = formulas_.find(value); known != formulas_.end()) return known->second;
  const auto of_tensors = [](const Tensor& here, const Tensor& other) -> std::optional<SizeFormulas> {
    if (!is_whole(here) || here.dims() != other.dims()) return std::nullopt;
    SizeFormulas made{here.dims(), {}};
    const Tensor a = here.to(DType::i64), b = other.to(DType::i64);
    for (int64_t i = 0; i < a.size(); ++i)
      made.elements.push_back(size_formula(a.as<int64_t>()[i], b.as<int64_t>()[i]));
    return made;
  };
  if (const StoredTensor* constant = constants_.find(value)) {
    const Tensor* whole = constant->size() <= kMostFormulas ? constants_.value(value) : nullptr;
    return whole ? of_tensors(*whole, *whole) : std::nullopt;
  }
  const auto maker = makers_.find(value);
  if (maker != makers_.end() && maker->second.node->outputs.size() == 1 && !without_formulas_.contains(value)) {
    if (auto made = formulas_of(*maker->second.node, maker->second.rule)) {
      formulas_[value] = *made;
      return made;
    }
    without_formulas_.insert(value);
  }
  const auto sized = sized_.find(value);
  return sized == sized_.end() ? std::nullopt : of_tensors(sized->second.here, sized->second.other);
}

std::optional<SizeFormulas> Importer::formulas_of(const OnnxNode& n, Status (*rule)(Importer&, const OnnxNode&)) {
  if (moves(n.op)) return moved_formulas(n, rule);
  const auto op = arithmetic(n);
  if (!op || n.inputs.size() != (n.op == "Neg" ? 1 : 2)) return std::nullopt;
  auto a = formulas(n.inputs[0]);
  std::optional<SizeFormulas> b = a;
  if (!a) return std::nullopt;  // before the other is looked for: together they may be asked 2^n times
  if (n.op == "Neg")
    a = SizeFormulas{{}, {size_formula(0, 0)}};
  else
    b = formulas(n.inputs[1]);
  if (!b) return std::nullopt;
  const bool a_is_one = a->elements.size() == 1, b_is_one = b->elements.size() == 1;
  if (!a_is_one && !b_is_one && a->dims != b->dims) return std::nullopt;
  SizeFormulas made{a_is_one && (!b_is_one || b->dims.size() > a->dims.size()) ? b->dims : a->dims, {}};
  for (size_t i = 0; i < std::max(a->elements.size(), b->elements.size()); ++i) {
    const auto element = size_formula(*op, a->elements[a_is_one ? 0 : i], b->elements[b_is_one ? 0 : i]);
    if (!element) return std::nullopt;
    made.elements.push_back(*element);
  }
  return made;
}

/// The operator runs on the numbers of the elements, which say where each is then.
std::optional<SizeFormulas> Importer::moved_formulas(const OnnxNode& n, Status (*rule)(Importer&, const OnnxNode&)) {
  Importer alone(opset_, given_);
  std::vector<SizeFormulaPtr> all;
  std::set<std::string> moved;
  for (size_t i = 0; i < n.inputs.size(); ++i) {
    const std::string& input = n.inputs[i];
    if (i > 0 && n.op != "Concat") {
      const StoredTensor* constant = input.empty() ? nullptr : constants_.find(input);
      if (!input.empty() && (!constant || moved.contains(input))) return std::nullopt;
      if (constant) alone.define(input, *constant);
      continue;
    }
    if (!moved.insert(input).second) continue;
    const auto part = formulas(input);
    if (!part) return std::nullopt;
    Tensor places(DType::i64, part->dims);
    for (int64_t k = 0; k < places.size(); ++k) places.as<int64_t>()[k] = std::ssize(all) + k;
    all.insert(all.end(), part->elements.begin(), part->elements.end());
    alone.define(input, std::move(places));
  }
  alone.begin(n);
  if (!rule(alone, n)) return std::nullopt;
  alone.fold(n);
  const Tensor* places = alone.constants_.value(n.outputs.at(0));
  if (!places || !is_whole(*places)) return std::nullopt;
  SizeFormulas made{places->dims(), {}};
  const Tensor whole = places->to(DType::i64);
  for (int64_t k = 0; k < whole.size(); ++k)
    made.elements.push_back(all.at(static_cast<size_t>(whole.as<int64_t>()[k])));
  return made;
}

bool Importer::follow_by_formula(const OnnxNode& n, Status (*rule)(Importer&, const OnnxNode&)) {
  const auto follows = [&](const std::string& value) {
    return value.empty() || sized_.contains(value) || formulas_.contains(value) || constants_.contains(value);
  };
  if (n.outputs.size() != 1 || !std::ranges::all_of(n.inputs, follows)) return false;
  auto made = formulas_of(n, rule);
  if (!made) return false;
  makers_[n.outputs[0]] = {std::make_shared<const OnnxNode>(n), rule};
  const auto is_i64 = [&](const std::string& value) {
    const StoredTensor* constant = constants_.find(value);
    const auto sized = sized_.find(value);
    return constant ? constant->dtype() == DType::i64
                    : sized != sized_.end() && sized->second.here.dtype() == DType::i64;
  };
  const auto grows = [](const SizeFormulaPtr& f) { return f->is_linear; };
  if (arithmetic(n) && std::ranges::all_of(n.inputs, is_i64) && std::ranges::all_of(made->elements, grows)) {
    set(n, 0, values_of(*made));
    return true;
  }
  formulas_[n.outputs[0]] = std::move(*made);
  return true;
}

}  // namespace hw::interop
