// Reductions along axes.
#include <cmath>
#include <limits>

#include "app/interop/onnx/rules.h"
#include "engine/core/codes.h"

namespace hw::interop {
namespace {

/// What a reduction gives of no elements: a sum 0, a product 1, others what they begin with.
double of_nothing(const std::string& op) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  if (op == "ReduceProd") return 1;
  if (op == "ReduceMax" || op == "ReduceLogSum" || op == "ReduceLogSumExp") return -kInf;
  if (op == "ReduceMin") return kInf;
  return op == "ReduceMean" ? std::numeric_limits<double>::quiet_NaN() : 0;
}

/// The value of a reduction over no elements.
Status reduced_empty(Importer& im, const OnnxNode& n, const Tensor& x, const std::vector<int64_t>& axes) {
  const auto rank = static_cast<int64_t>(x.dims().size());
  std::vector<bool> goes(x.dims().size(), axes.empty());
  for (const int64_t axis : axes) {
    if (axis < -rank || axis >= rank) return unsupported("axis " + std::to_string(axis) + " is not there.");
    goes[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  Dims dims;
  for (size_t d = 0; d < goes.size(); ++d)
    if (!goes[d] || n.integer("keepdims", 1) != 0) dims.push_back(goes[d] ? 1 : x.dims()[d]);
  const auto count = static_cast<size_t>(element_count(dims));
  const double value = of_nothing(n.op);
  if (count > kMost) return unsupported("it is very large.");
  if (!std::isfinite(value) && !info(x.dtype()).is_float) {
    if (x.dtype() != DType::boolean || std::isnan(value)) return unsupported("whole numbers of which there are none.");
    im.set(n, 0, Tensor::from_f64(x.dtype(), dims, std::vector<double>(count, value > 0 ? 1 : 0)));
    return ok();
  }
  im.set(n, 0, Tensor::from_f64(x.dtype(), dims, std::vector<double>(count, value)));
  return ok();
}

/// `after`: a node on the result; null: none.
Status reduced(Importer& im, const OnnxNode& n, const std::string& type, const char* after = nullptr) {
  if (const Tensor* empty = im.constant(n, 0); empty && empty->size() == 0) {
    HW_TRY(const auto along, im.attribute_or_input(n, "axes", 1));
    const std::vector<int64_t> axes = along.value_or(std::vector<int64_t>());
    if (axes.empty() && n.integer("noop_with_empty_axes", 0) != 0) return unsupported("no axes, of no elements.");
    return reduced_empty(im, n, *empty, axes);
  }
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const WireType given, im.type(x));
  HW_TRY(const auto axes, im.attribute_or_input(n, "axes", 1));
  const bool keep = n.integer("keepdims", 1) != 0;
  if ((!axes || axes->empty()) && n.integer("noop_with_empty_axes", 0) != 0) {
    // The others still square, or take the magnitude or the logarithm.
    if (type == "reduce_l1" || type == "reduce_l2" || type == "reduce_sum_square" || after)
      return unsupported("no axes, of a reduction that does more than reduce.");
    im.set(n, 0, x);
    return ok();
  }
  std::vector<double> along;
  if (axes) along.assign(axes->begin(), axes->end());
  HW_TRY(Wire y, im.as_float(x));
  HW_TRY(y, im.add(type, {{"x", y}}, {{"axes", along}, {"keep", keep}}));
  if (after) {
    HW_TRY(y, im.add(after, {{"x", y}}));
  }
  HW_TRY(const Wire back, im.cast(y, given.dtype));
  im.set(n, 0, back);
  return ok();
}

Status sum(Importer& im, const OnnxNode& n) {
  return reduced(im, n, "sum");
}
Status mean(Importer& im, const OnnxNode& n) {
  return reduced(im, n, "mean");
}
Status largest(Importer& im, const OnnxNode& n) {
  return reduced(im, n, "reduce_max");
}
Status smallest(Importer& im, const OnnxNode& n) {
  return reduced(im, n, "reduce_min");
}
Status product(Importer& im, const OnnxNode& n) {
  return reduced(im, n, "reduce_prod");
}
Status l1(Importer& im, const OnnxNode& n) {
  return reduced(im, n, "reduce_l1");
}
Status l2(Importer& im, const OnnxNode& n) {
  return reduced(im, n, "reduce_l2");
}
Status log_sum(Importer& im, const OnnxNode& n) {
  return reduced(im, n, "sum", "log");
}
Status log_sum_exp(Importer& im, const OnnxNode& n) {
  return reduced(im, n, "log_sum_exp");
}
Status sum_square(Importer& im, const OnnxNode& n) {
  return reduced(im, n, "reduce_sum_square");
}

/// Among equals the first, or with select_last_index the last: of the axis turned round the first.
Status arg(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(Wire y, im.as_float(x));
  HW_TRY(const int64_t axis, im.axis(x, n.integer("axis", 0)));
  const bool last = n.integer("select_last_index", 0) != 0;
  if (last) {
    HW_TRY(y, im.add("flip", {{"x", y}}, {{"axes", std::vector<double>{static_cast<double>(axis)}}}));
  }
  HW_TRY(y, im.add("argmax", {{"x", y}},
                   {{"axis", axis}, {"smallest", n.op == "ArgMin"}, {"keep", n.integer("keepdims", 1) != 0}}));
  if (last) {
    HW_TRY(const Dims dims, im.dims(x));
    HW_TRY(const Wire place, im.cast(y, DType::f64));
    HW_TRY(const Wire end, im.scalar(DType::f64, static_cast<double>(dims[static_cast<size_t>(axis)] - 1)));
    HW_TRY(const Wire turned, im.add("sub", {{"a", end}, {"b", place}}));
    HW_TRY(y, im.cast(turned, DType::i64));
  }
  im.set(n, 0, y);
  return ok();
}

Status cumsum(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const WireType given, im.type(x));
  HW_TRY(const auto axis, im.integers(n, 1));
  if (axis.empty()) return Error{codes::unsupported, "", "its axis is not given.", ""};
  HW_TRY(const Wire wide, im.as_float(x));
  HW_TRY(const Wire y, im.add("cumsum", {{"x", wide}},
                              {{"axis", axis.front()},
                               {"exclusive", n.integer("exclusive", 0) != 0},
                               {"reverse", n.integer("reverse", 0) != 0}}));
  HW_TRY(const Wire back, im.cast(y, given.dtype));
  im.set(n, 0, back);
  return ok();
}

Status top_k(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const WireType given, im.type(x));
  HW_TRY(const auto k, im.attribute_or_input(n, "k", 1));
  if (!k || k->empty()) return Error{codes::unsupported, "", "k is not given.", ""};
  HW_TRY(const Wire wide, im.as_float(x));
  HW_TRY(const Wire values,
         im.add("top_k", {{"x", wide}},
                {{"k", k->front()}, {"axis", n.integer("axis", -1)}, {"smallest", n.integer("largest", 1) == 0}}));
  HW_TRY(const Wire back, im.cast(values, given.dtype));
  im.set(n, 0, back);
  im.set(n, 1, Wire{values.node, "indices"});
  return ok();
}

/// x ÷ its norm along the axis.
Status lp_normalization(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const int64_t axis, im.axis(x, n.integer("axis", -1)));
  HW_TRY(const WireType given, im.type(x));
  HW_TRY(const Wire wide, im.widened(x));
  HW_TRY(const Wire norm, im.add(n.integer("p", 2) == 1 ? "reduce_l1" : "reduce_l2", {{"x", wide}},
                                 {{"axes", std::vector<double>{static_cast<double>(axis)}}, {"keep", true}}));
  // A row of zeros stays one.
  HW_TRY(const WireType sum, im.type(norm));
  HW_TRY(const Wire zero, im.scalar(sum.dtype, 0));
  HW_TRY(const Wire one, im.scalar(sum.dtype, 1));
  HW_TRY(const Wire empty, im.add("compare", {{"a", norm}, {"b", zero}}, {{"operation", std::string("equal")}}));
  HW_TRY(const Wire by, im.add("where", {{"condition", empty}, {"a", one}, {"b", norm}}));
  HW_TRY(const Wire quotient, im.add("div", {{"a", wide}, {"b", by}}));
  HW_TRY(const Wire y, im.cast(quotient, given.dtype));
  im.set(n, 0, y);
  return ok();
}

/// (x − mean) ÷ deviation along the axes, as ONNX's function has it: 1e-9 joins the deviation.
Status mean_variance_normalization(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire x, im.in(n, 0));
  HW_TRY(const WireType given, im.type(x));
  std::vector<double> axes{0, 2, 3};
  if (n.has("axes")) {
    const std::vector<int64_t> wanted = n.integers("axes");
    axes.assign(wanted.begin(), wanted.end());
  }
  HW_TRY(const Wire wide, im.widened(x));
  HW_TRY(const WireType inside, im.type(wide));
  HW_TRY(const Wire mean, im.add("mean", {{"x", wide}}, {{"axes", axes}, {"keep", true}}));
  HW_TRY(const Wire deviation,
         im.add("variance", {{"x", wide}},
                {{"axes", axes}, {"keep", true}, {"correction", int64_t{0}}, {"deviation", true}}));
  HW_TRY(const Wire tiny, im.scalar(inside.dtype, 1e-9));
  HW_TRY(const Wire by, im.add("add", {{"a", deviation}, {"b", tiny}}));
  HW_TRY(const Wire centred, im.add("sub", {{"a", wide}, {"b", mean}}));
  HW_TRY(const Wire quotient, im.add("div", {{"a", centred}, {"b", by}}));
  HW_TRY(const Wire y, im.cast(quotient, given.dtype));
  im.set(n, 0, y);
  return ok();
}

}  // namespace

std::span<const RuleRow> reduce_rules() {
  static constexpr RuleRow kRows[]{
      {"ArgMax", arg},
      {"ArgMin", arg},
      {"CumSum", cumsum},
      {"LpNormalization", lp_normalization},
      {"MeanVarianceNormalization", mean_variance_normalization},
      {"ReduceL1", l1},
      {"ReduceL2", l2},
      {"ReduceLogSum", log_sum},
      {"ReduceLogSumExp", log_sum_exp},
      {"ReduceMax", largest},
      {"ReduceMean", mean},
      {"ReduceMin", smallest},
      {"ReduceProd", product},
      {"ReduceSum", sum},
      {"ReduceSumSquare", sum_square},
      {"TopK", top_k},
  };
  return kRows;
}

}  // namespace hw::interop
