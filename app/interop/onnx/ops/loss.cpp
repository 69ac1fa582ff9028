// Losses of classes, from parts: their reductions and weights have no node of their own.
#include "app/interop/onnx/rules.h"
#include "engine/core/codes.h"

namespace hw::interop {
namespace {

/// −w[label] · log p[label], reduced. `logarithms` [N, C, ..].
Result<Wire> negative_log_likelihood(Importer& im, const OnnxNode& n, const Wire& logarithms, size_t weights_at) {
  HW_TRY(const WireType given, im.type(logarithms));
  HW_TRY(const Wire labels, im.in(n, 1));
  HW_TRY(const Wire whole, im.cast(labels, DType::i64));
  Wire index = whole, kept;
  const bool ignores = n.has("ignore_index");
  if (ignores) {
    HW_TRY(const Wire ignored,
           im.constant_wire(Tensor::from_f64(DType::i64, {1}, {{static_cast<double>(n.integer("ignore_index", 0))}})));
    HW_TRY(kept, im.add("compare", {{"a", whole}, {"b", ignored}}, {{"operation", std::string("not_equal")}}));
    HW_TRY(const Wire mask, im.cast(kept, DType::f64));
    HW_TRY(const Wire number, im.cast(whole, DType::f64));
    HW_TRY(const Wire inside, im.add("mul", {{"a", number}, {"b", mask}}));
    HW_TRY(index, im.cast(inside, DType::i64));
  }
  // The index has the rank of the logarithms, with one class.
  HW_TRY(const Wire column, im.add("unsqueeze", {{"x", index}}, {{"axes", std::vector<double>{1}}}));
  HW_TRY(const Wire chosen, im.add("gather_elements", {{"x", logarithms}, {"index", column}}, {{"axis", int64_t{1}}}));
  HW_TRY(const Wire each, im.add("squeeze", {{"x", chosen}}, {{"axes", std::vector<double>{1}}}));
  HW_TRY(Wire loss, im.add("neg", {{"x", each}}));
  Wire factor;
  if (im.has(n, weights_at)) {
    HW_TRY(const Wire table, im.in(n, weights_at));
    HW_TRY(factor, im.add("gather", {{"x", table}, {"index", index}}, {{"axis", int64_t{0}}}));
  }
  if (ignores) {
    HW_TRY(const Wire mask, im.cast(kept, given.dtype));
    if (factor.node.empty()) {
      factor = mask;
    } else {
      HW_TRY(factor, im.add("mul", {{"a", factor}, {"b", mask}}));
    }
  }
  if (!factor.node.empty()) {
    HW_TRY(loss, im.add("mul", {{"a", loss}, {"b", factor}}));
  }
  const std::string reduction = n.text("reduction", "mean");
  if (reduction == "none") return loss;
  if (reduction == "sum" || !factor.node.empty()) {
    HW_TRY(const Wire total, im.add("sum", {{"x", loss}}));
    if (reduction == "sum") return total;
    HW_TRY(const Wire weight, im.add("sum", {{"x", factor}}));
    return im.add("div", {{"a", total}, {"b", weight}});
  }
  return im.add("mean", {{"x", loss}});
}

Status nll_loss(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire logarithms, im.in(n, 0));
  HW_TRY(const Wire loss, negative_log_likelihood(im, n, logarithms, 2));
  im.set(n, 0, loss);
  return ok();
}

Status softmax_cross_entropy(Importer& im, const OnnxNode& n) {
  HW_TRY(const Wire scores, im.in(n, 0));
  HW_TRY(const Wire logarithms, im.add("log_softmax", {{"x", scores}}, {{"axis", int64_t{1}}}));
  HW_TRY(const Wire loss, negative_log_likelihood(im, n, logarithms, 2));
  im.set(n, 0, loss);
  im.set(n, 1, logarithms);
  return ok();
}

}  // namespace

std::span<const RuleRow> loss_rules() {
  static constexpr RuleRow kRows[]{
      {"NegativeLogLikelihoodLoss", nll_loss},
      {"SoftmaxCrossEntropyLoss", softmax_cross_entropy},
  };
  return kRows;
}

}  // namespace hw::interop
