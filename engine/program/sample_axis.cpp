#include "engine/program/sample_axis.h"

#include <algorithm>
#include <functional>

#include "engine/program/op_sources.h"
#include "engine/program/tiling.h"

namespace hw {
namespace {

constexpr SampleMove kMixes{};
constexpr SampleMove kSums{SampleEffect::sums};

/// How many elements lie between two neighbours along the axis.
int64_t stride(const Dims& dims, int axis) {
  int64_t count = 1;
  for (size_t d = static_cast<size_t>(axis) + 1; d < dims.size(); ++d) count *= dims[d];
  return count;
}

class Mover {
 public:
  Mover(const Program& p, const Instr& instr, std::span<const SampledInput> in) : p_(p), instr_(instr), in_(in) {}

  SampleMove run() const {
    const int rank = out_rank();
    switch (instr_.op) {
      case Op::affine:
        return kept(pointwise(), rank - 1);
      case Op::softmax:
      case Op::softmax_grad:
        return kept(pointwise(), std::get<SoftmaxAttr>(instr_.attr).axis);
      case Op::argmax:
      case Op::gather_elements:
        return kept([this](size_t k, int o) { return k == 0 && o >= axis() ? o + 1 : o; });
      case Op::gather_elements_grad:
        return kept([this](size_t, int o) { return o == axis() ? -1 : o > axis() ? o - 1 : o; });
      case Op::gather: {
        const int places = static_cast<int>(dims(1).size());
        return kept([=](size_t k, int o) { return (o < places) == (k == 1) ? (k == 1 ? o : o - places + 1) : -1; });
      }
      case Op::concat:
        return joined();
      case Op::slice:
        return cut();
      case Op::pad:
        return kept(pointwise());  // what grows is not kept
      case Op::transpose:
        return kept([this](size_t, int o) { return std::get<PermuteAttr>(instr_.attr).order[static_cast<size_t>(o)]; });
      case Op::reshape:
        return reshaped();
      case Op::sum_to:
      case Op::reduce:
        return folded();
      case Op::matmul:
      case Op::matmul_tn:
      case Op::batch_matmul:
        return multiplied();
      case Op::group_norm:
      case Op::group_norm_grad_input:
        return grouped();
      default:
        return is_elementwise(instr_.op) ? kept(pointwise()) : by_rows();
    }
  }

 private:
  /// The axis of input k that lies at axis o of the output; −1: none does.
  using Back = std::function<int(size_t k, int o)>;

  const Dims& dims(size_t k) const { return p_[instr_.in[k]].dims; }
  const Dims& out() const { return p_[instr_.out[0]].dims; }
  int out_rank() const { return static_cast<int>(out().size()); }
  int axis() const { return std::get<AxisAttr>(instr_.attr).axis; }

  /// Axes of both count from the last one.
  Back pointwise() const {
    return [this](size_t k, int o) { return std::max(-1, o + static_cast<int>(dims(k).size()) - out_rank()); };
  }

  /// Whether what input k, not made of samples, has along its axis d is the same for all.
  bool is_alike(size_t k, int d) const {
    return in_[k].any || d < 0 || dims(k)[static_cast<size_t>(d)] == 1 || (d < 32 && (in_[k].alike >> d & 1) != 0);
  }

  /// `barrier`: an axis of the output along which elements meet.
  SampleMove kept(const Back& back, int barrier = -1) const {
    std::optional<SampleAxis> at;
    for (size_t k = 0; k < in_.size(); ++k) {
      if (!in_[k].at) continue;
      SampleAxis here = *in_[k].at;
      int o = 0;
      while (o < out_rank() && back(k, o) != here.axis) ++o;
      if (o == out_rank() || o == barrier) return kMixes;
      if (out()[static_cast<size_t>(o)] != dims(k)[static_cast<size_t>(here.axis)]) return kMixes;
      here.axis = o;
      if (at && *at != here) return kMixes;
      at = here;
    }
    for (size_t k = 0; k < in_.size(); ++k)
      if (!in_[k].at && !is_alike(k, back(k, at->axis))) return kMixes;
    return {SampleEffect::keeps, *at};
  }

  /// Products of elements at the same places of `over`, an axis of each input, are summed over it.
  SampleMove summed(std::initializer_list<int> over) const {
    std::optional<SampleAxis> first;
    for (size_t k = 0; k < in_.size(); ++k) {
      const int d = k < over.size() ? over.begin()[k] : -1;
      if (!in_[k].at) {
        if (!is_alike(k, d)) return kMixes;
        continue;
      }
      if (in_[k].at->axis != d) return kMixes;
      SampleAxis here = *in_[k].at;
      here.axis = 0;
      if (first && *first != here) return kMixes;
      first = here;
    }
    return kSums;
  }

  /// Batches one after the other are one whose pieces are as large a share of it in each part.
  SampleMove joined() const {
    SampleAxis all{axis(), 1, 0};
    for (size_t k = 0; k < in_.size(); ++k) {
      const auto& at = in_[k].at;
      if (!at || at->axis != axis() || dims(k)[static_cast<size_t>(axis())] != at->inner * at->count)
        return kept(pointwise(), axis());
      if (k > 0 && at->inner != all.inner) return kMixes;
      all.inner = at->inner;
      all.count += at->count;
      if (at->pieces.empty())
        all.pieces.push_back(at->count);
      else
        all.pieces.insert(all.pieces.end(), at->pieces.begin(), at->pieces.end());
    }
    return {SampleEffect::keeps, all};
  }

  /// Along the axis of the samples whole pieces are taken.
  SampleMove cut() const {
    const SampleAxis& at = *in_[0].at;
    const auto& attr = std::get<AxisAttr>(instr_.attr);
    if (at.axis != attr.axis || at.pieces.empty()) return kept(pointwise());
    SampleAxis left{at.axis, at.inner, 0};
    int64_t begin = 0;
    for (const int64_t piece : at.pieces) {
      const int64_t end = begin + piece * at.inner;
      if (begin >= attr.begin && end <= attr.end) {
        left.pieces.push_back(piece);
        left.count += piece;
      }
      begin = end;
    }
    if (left.count * left.inner != attr.end - attr.begin || left.count == 0) return kMixes;
    if (left.pieces.size() == 1) left.pieces.clear();
    return {SampleEffect::keeps, left};
  }

  SampleMove reshaped() const {
    const SampleAxis& at = *in_[0].at;
    const Dims &from = dims(0), &to = out();
    const int64_t apart = at.inner * stride(from, at.axis);
    if (element_count(to) == 0) return kMixes;
    // A single sample that leads goes on leading: every axis of size 1 would do.
    const bool leads = at.axis == 0 && from[0] == at.inner * at.count;
    std::optional<SampleAxis> found;
    for (int o = 0; o < out_rank(); ++o) {
      const int64_t size = to[static_cast<size_t>(o)], step = stride(to, o);
      if (apart % step != 0 || step * size % (apart * at.count) != 0) continue;
      const SampleAxis here{o, apart / step, at.count, at.pieces};
      if (at.count > 1 || leads) return {SampleEffect::keeps, here};
      if (size != 1 || here.inner != 1) continue;
      if (found) return kMixes;
      found = here;
    }
    return found ? SampleMove{SampleEffect::keeps, *found} : kMixes;
  }

  SampleMove folded() const {
    const SampleMove stays = kept(pointwise());
    if (stays.effect == SampleEffect::keeps || instr_.op == Op::reduce) return stays;
    return kSums;
  }

  SampleMove multiplied() const {
    const auto* attr = std::get_if<MatmulAttr>(&instr_.attr);
    const int a = static_cast<int>(dims(0).size()), b = static_cast<int>(dims(1).size()), o = out_rank();
    if (instr_.op == Op::matmul_tn) {
      for (int d = 0; d + 1 < a; ++d)
        if (const SampleMove sums = summed({d, d}); sums.effect == SampleEffect::sums) return sums;
      return kept([=](size_t k, int at) { return (at == 0) == (k == 0) ? a - 1 : -1; });
    }
    const bool pairs = instr_.op == Op::batch_matmul;
    const int a_over = pairs && attr->transpose_a ? a - 2 : a - 1, b_over = attr->transpose_b ? b - 1 : b - 2;
    if (const SampleMove sums = summed({a_over, b_over}); sums.effect == SampleEffect::sums) return sums;
    const int a_row = pairs && attr->transpose_a ? a - 1 : a - 2, b_column = attr->transpose_b ? b - 2 : b - 1;
    return kept([=](size_t k, int at) {
      if (k == 1) return at == o - 1 ? b_column : pairs && at < o - 2 ? at : -1;
      if (k > 1) return at == o - 1 ? 0 : -1;  // a bias
      return at == o - 1 ? -1 : pairs && at == o - 2 ? a_row : at;
    });
  }

  /// Neither the groups nor the runs of channels reach over a sample.
  SampleMove grouped() const {
    const auto& attr = std::get<GroupNormAttr>(instr_.attr);
    const size_t tensors = instr_.op == Op::group_norm ? 1 : 2;
    for (size_t k = 0; k < in_.size(); ++k) {
      if (!in_[k].at) continue;
      const int64_t apart = in_[k].at->inner * stride(dims(k), in_[k].at->axis);
      if (k >= tensors || apart % attr.group_size != 0 || apart % (attr.channels * attr.inner) != 0) return kMixes;
    }
    return kept([&](size_t k, int o) { return k < tensors ? o : -1; });
  }

  /// By what the op says of its tiles: row i is made of row i.
  SampleMove by_rows() const {
    const TileRule rule = tile_rule(p_, instr_);
    const bool sums = rule.tiling == Tiling::reduction && instr_.op == Op::conv2d_grad_weight;
    if (rule.tiling != Tiling::rows && !sums) return kMixes;
    std::optional<SampleAxis> at;
    for (size_t k = 0; k < in_.size(); ++k) {
      const bool follows = follows_rows(p_, instr_, k) && !dims(k).empty() && dims(k)[0] == rule.rows;
      if (!in_[k].at) {
        if (follows && !is_alike(k, 0)) return kMixes;
        continue;
      }
      if (!follows || in_[k].at->axis != 0 || (at && *at != *in_[k].at)) return kMixes;
      at = in_[k].at;
    }
    return sums ? kSums : SampleMove{SampleEffect::keeps, *at};
  }

  const Program& p_;
  const Instr& instr_;
  const std::span<const SampledInput> in_;
};

}  // namespace

SampleMove move_samples(const Program& program, const Instr& instr, std::span<const SampledInput> in) {
  return Mover(program, instr, in).run();
}

}  // namespace hw
