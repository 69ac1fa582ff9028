#include "engine/program/sample_states.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/program/linear_ops.h"
#include "engine/program/op_sources.h"
#include "engine/program/op_spec.h"
#include "engine/program/random_ops.h"

namespace hw {
namespace {

constexpr uint32_t kAllAxes = ~0u;

bool is_near(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::abs(b);
}

/// Whether all elements of it have the same bits.
bool is_filled(const Tensor& t) {
  const auto* bytes = static_cast<const std::byte*>(t.data());
  const size_t size = t.bytes(), each = size_of(t.dtype());
  return size <= each || std::memcmp(bytes, bytes + each, size - each) == 0;
}

/// Whether a gradient may come back through it.
bool has_gradient(const Program& p, const Instr& instr) {
  const AdjointRule adjoint = spec(instr.op).adjoint;
  return adjoint != kNoGradient && instr.op != Op::stop_gradient && info(p[instr.out[0]].dtype).is_float;
}

}  // namespace

void SampleStates::follow(const std::vector<OpBuilder::OfBatch>& marks,
                          const std::vector<OpBuilder::SamePlaces>& places) {
  const size_t count = p_.values.size();
  states_.resize(count);
  for (std::vector<bool>* set : {&own_, &of_number_, &differs_, &trained_}) set->resize(count);
  for (; constant_ < p_.constants.size(); ++constant_) {
    const auto& [id, tensor] = p_.constants[constant_];
    if (is_filled(tensor)) states_[id].alike = kAllAxes;
  }
  for (; param_ < p_.params.size(); ++param_) trained_[p_.params[param_].view] = p_.params[param_].trainable;
  places_ = &places;
  for (; instr_ < p_.instrs.size(); ++instr_) {
    const Instr& instr = p_.instrs[instr_];
    if (instr.out.empty()) continue;
    const auto mark = std::ranges::find(marks, instr.out[0], [](const OpBuilder::OfBatch& m) { return m.of.id; });
    const bool any_trained = std::ranges::any_of(instr.in, [&](ValueId id) { return trained_[id]; });
    const SampleState state = instr.in.empty()      ? SampleState{}
                              : mark != marks.end() ? marked(instr_, *mark)
                                                    : made(instr_);
    for (const ValueId id : instr.out) {
      put(id, instr.in.empty() ? drawn(instr, p_[id]) : state);
      trained_[id] = any_trained;
    }
  }
}

void SampleStates::put(ValueId id, const SampleState& state) {
  states_[id] = state;
  own_[id] = state.own;
  of_number_[id] = state.number != kNoValue;
  differs_[id] = state.differs();
}

SampleState SampleStates::drawn(const Instr& instr, const Value& value) {
  if (value.dims.empty()) return {};
  const int64_t count = value.dims[0];
  if (instr.op == Op::random) {
    const bool named = !value.axes.empty() && (value.axes[0] == "N" || value.axes[0] == "batch");
    if (!named && !counts_.contains(count)) return {};
  }
  counts_.insert(count);
  SampleState state;
  state.at = SampleAxis{0, 1, count};
  return state;
}

SampleState SampleStates::mixes(size_t i, ValueId number) {
  mixed_.push_back({i, number});
  SampleState state;
  state.reported = true;
  return state;
}

SampleState SampleStates::marked(size_t i, const OpBuilder::OfBatch& mark) {
  SampleState state = states_[mark.x.id];
  const bool linear = numbers_ && numbers_->linear.contains(mark.of.id);
  if (!state.differs() || (numbers_ && !linear && !numbers_->whole.contains(mark.of.id))) return state;
  // One sample is its own sum, and its own mean.
  const bool single = state.at && state.at->count == 1;
  if (!single && (state.at || state.sum != mark.sum)) return mixes(i);
  SampleState out;
  out.reported = state.reported;
  out.own = linear;
  out.from = state.own ? state.from : i;
  out.number = state.number;
  if (numbers_ && !linear && trained_[mark.x.id]) out.number = mark.of.id;
  return out;
}

std::vector<SampledInput> SampleStates::inputs(const Instr& instr) const {
  std::vector<SampledInput> in;
  for (const ValueId id : instr.in) in.push_back({states_[id].at, states_[id].alike, states_[id].reported});
  return in;
}

/// The state of an output whose node says which places of its inputs make it; none where it says nothing of the
/// samples.
std::optional<SampleState> SampleStates::said(size_t i) {
  const auto said =
      std::ranges::find(*places_, p_.instrs[i].out[0], [](const OpBuilder::SamePlaces& s) { return s.y.id; });
  if (said == places_->end()) return std::nullopt;
  SampleState out;
  std::set<ValueId> from, between{said->y.id};
  for (const Val x : said->from) {
    from.insert(x.id);
    const SampleState& state = states_[x.id];
    out.reported = out.reported || state.reported;
    if (!state.at) continue;
    if (std::ranges::find(said->axes, state.at->axis) == said->axes.end() || (out.at && *out.at != *state.at))
      return std::nullopt;
    out.at = state.at;
  }
  if (!out.at) return std::nullopt;
  // What the ops in between seem to mix, they do not.
  for (size_t k = i + 1; k-- > 0;) {
    const Instr& instr = p_.instrs[k];
    if (std::ranges::none_of(instr.out, [&](ValueId id) { return between.contains(id); })) continue;
    std::erase_if(mixed_, [&](const MixedSamples& m) { return m.instr == k && m.number == kNoValue; });
    for (const ValueId id : instr.in)
      if (!from.contains(id)) between.insert(id);
  }
  return out;
}

/// Along which axes of its output all elements are equal, where all parts have the same inputs.
uint32_t SampleStates::alike(const Instr& instr) const {
  const Dims& out = p_[instr.out[0]].dims;
  std::vector<SampledInput> in = inputs(instr);
  uint32_t bits = 0;
  if (is_elementwise(instr.op) && !is_random(instr) && instr.op != Op::affine) {
    for (size_t o = 0; o < std::min<size_t>(out.size(), 32); ++o) {
      const auto fits = [&](size_t k) {
        const Dims& dims = p_[instr.in[k]].dims;
        const size_t missing = out.size() - dims.size();
        return o < missing || dims[o - missing] == 1 || (in[k].alike >> (o - missing) & 1) != 0;
      };
      bool all = true;
      for (size_t k = 0; k < in.size(); ++k) all = all && fits(k);
      if (all) bits |= 1u << o;
    }
    return bits;
  }
  // An axis of equal elements is one of equal samples.
  for (size_t k = 0; k < in.size(); ++k) {
    const Dims& dims = p_[instr.in[k]].dims;
    for (size_t d = 0; d < std::min<size_t>(dims.size(), 32); ++d) {
      if ((in[k].alike >> d & 1) == 0 || dims[d] < 2) continue;
      in[k].at = SampleAxis{static_cast<int>(d), 1, dims[d]};
      const SampleMove move = move_samples(p_, instr, in);
      in[k].at.reset();
      const bool keeps = move.effect == SampleEffect::keeps && move.at.inner == 1 && move.at.axis < 32;
      if (keeps && out[static_cast<size_t>(move.at.axis)] == dims[d]) bits |= 1u << move.at.axis;
    }
  }
  return bits;
}

/// What several inputs that are linear in sums or means over the part's samples make together: whether that is one.
bool SampleStates::adds_up(const Instr& instr, SampleState& out) const {
  size_t sums = 0, means = 0, others = 0;
  for (const ValueId id : instr.in) {
    const SampleState& state = states_[id];
    if (!state.own) {
      ++others;
      continue;
    }
    ++(state.sum ? sums : means);
    out.own = true;
    out.sum = state.sum;
    out.plain = state.plain;
    out.factor = state.factor;
    out.summed = state.summed;
    out.samples = state.samples;
    out.from = state.from;
  }
  if (sums == 0) return true;
  if (means > 0) return false;
  const bool multiplies = instr.op == Op::mul || instr.op == Op::binary;
  if (multiplies) {
    const int shares = instr.op == Op::binary ? states_[instr.in[1]].shares : 0;
    out.plain = false;
    out.sum = shares != 1;
    return true;
  }
  const auto* pad = instr.op == Op::pad ? std::get_if<AxisAttr>(&instr.attr) : nullptr;
  return others == 0 && instr.op != Op::affine && !(pad && pad->fill != 0);
}

void SampleStates::scaled(const Instr& instr, SampleState& out) const {
  const double factor = std::get<ScaleAttr>(instr.attr).factor;
  if (!out.differs()) {
    out.shares = states_[instr.in[0]].shares;
    if (is_near(factor, share_)) ++out.shares;
    if (is_near(factor, 1 / share_)) --out.shares;
  }
  if (!out.own || !out.sum) return;
  out.factor *= factor;
  out.plain = out.plain && factor == 1;
  const auto is_mean_of = [&](int64_t count) { return is_near(out.factor * static_cast<double>(count), 1); };
  out.sum = !is_mean_of(out.summed) && !is_mean_of(out.samples);
}

SampleState SampleStates::made(size_t i) {
  const Instr& instr = p_.instrs[i];
  if (const auto state = said(i)) return *state;
  const bool gradient = has_gradient(p_, instr);
  SampleState out;
  bool any_at = false, any_own = false, any_differs = false;
  for (const ValueId id : instr.in) {
    const SampleState& state = states_[id];
    any_at = any_at || state.at;
    any_own = any_own || state.own;
    any_differs = any_differs || state.differs();
    out.reported = out.reported || state.reported;
    if (gradient && state.number != kNoValue) out.number = state.number;
    if (state.own) out.from = state.from;
  }
  if (any_own && (!is_linear(instr, own_, differs_) || !info(p_[instr.out[0]].dtype).is_float)) return mixes(out.from);
  if (any_differs && out.number != kNoValue && !is_linear(instr, of_number_, differs_)) return mixes(i, out.number);
  if (!adds_up(instr, out)) return mixes(out.from);
  if (any_at) {
    const SampleMove move = move_samples(p_, instr, inputs(instr));
    if (move.effect == SampleEffect::mixes) return mixes(i);
    if (move.effect == SampleEffect::keeps) out.at = move.at;
    if (move.effect == SampleEffect::sums) {
      out.own = out.sum = out.plain = true;
      out.factor = 1;
      out.from = i;
      for (const ValueId id : instr.in) {
        if (!states_[id].at) continue;
        out.samples = states_[id].at->count;
        out.summed = element_count(p_[id].dims) / std::max<int64_t>(1, element_count(p_[instr.out[0]].dims));
      }
    }
  }
  if (instr.op == Op::sum_to && out.own && !any_at)
    out.summed *= element_count(p_[instr.in[0]].dims) / std::max<int64_t>(1, element_count(p_[instr.out[0]].dims));
  if (instr.op == Op::scale) scaled(instr, out);
  if (!any_differs && !out.reported) out.alike = alike(instr);
  return out;
}

}  // namespace hw
