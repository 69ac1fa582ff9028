// ref: the gradient norm and the optimisers; their formulas stand in engine/kernels/optimisers.h, at
// UpdateAttr and NormAttr.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/backend/ref/ref_ops.h"
#include "engine/kernels/loss_scale_state.h"
#include "engine/program/updates.h"

namespace hw::ref {
namespace {

// The gradient as the optimiser sees it, element by element.
struct Update {
  const UpdateAttr& attr;
  const Wide& grad;
  const Wide* touched = nullptr;
  double factor, t;
  bool bad = false;

  /// `c` is as UpdateInputs says.
  Update(const Call& c, size_t grad_index)
      : attr(c.attr<UpdateAttr>()),
        grad(c.in[grad_index]),
        factor(attr.unscale),
        t(static_cast<double>(c.step.update_index()) + 1) {
    if (attr.has_touched) touched = &c.in[grad_index + 1];
    double unscale = 1;
    if (attr.guarded) {
      const Wide& state = c.in.back();
      unscale = 1 / state[loss_scale_state::kScale];
      t = state[loss_scale_state::kUpdates] + 1;
      for (size_t i = loss_scale_state::kBadCounts; i < state.size(); ++i) bad = bad || state[i] > 0;
    }
    t -= attr.begun;
    factor *= unscale;
    const Wide& norm = c.in[c.in.size() - (attr.guarded ? 2 : 1)];
    if (attr.clip_norm > 0) factor *= std::min(1.0, attr.clip_norm / (norm[0] * unscale + 1e-6));
  }

  bool skips(size_t i) const { return bad || (touched && ((*touched)[i / 16] == 0 || grad[i] == 0)); }
};

// The updates of element i, this one included: two bytes, low one first, that stay at their largest.
double count_update(Wide& updates, size_t i) {
  const double t = std::min(updates[2 * i] + 256 * updates[2 * i + 1] + 1, 65535.0);
  updates[2 * i + 1] = std::floor(t / 256);
  updates[2 * i] = t - 256 * updates[2 * i + 1];
  return t;
}

// The view is the master after the master was rounded to its own dtype.
void refresh_view(Call& c, size_t i) {
  c.in[0][i] = stored(c.in[1][i], c.in[1].dtype);
}

/// Whether element i of the view, the master or a moment is Inf or NaN in its own dtype.
bool stores_bad(const Call& c, size_t i, size_t states) {
  for (size_t k = 0; k < states; ++k) {
    if (!std::isfinite(stored(c.in[k][i], c.in[k].dtype))) return true;
  }
  return false;
}

/// Element i of an update, once its gradient is known and its weight decay done.
struct Element {
  double g, t, rate;
  double &p, &m, &v;  // v: of two moments, else m
};

/// `formula` moves the master and the moments of an element.
template <class Formula>
void update_elements(Call& c, Formula formula) {
  const UpdateInputs in = update_inputs(c.instr);
  const Update u(c, in.grad);
  const UpdateAttr& a = u.attr;
  const double rate = c.step.learning_rate * a.rate_scale;
  Wide &p = c.in[1], &m = c.in[2], &v = c.in[1 + in.moments];
  double bad = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    if (u.skips(i)) continue;
    const double t = in.per_element ? count_update(c.in[in.updates()], i) : u.t;
    double g = u.grad[i] * u.factor;
    if (a.decoupled)
      p[i] *= 1 - rate * a.weight_decay;
    else
      g += a.weight_decay * p[i];
    formula(a, Element{g, t, rate, p[i], m[i], v[i]});
    refresh_view(c, i);
    bad += stores_bad(c, i, 2 + in.moments) ? 1 : 0;
  }
  if (in.counted) c.in[in.count()][0] = bad;
}

void follow(const UpdateAttr& a, const Element& e) {
  e.m = a.beta1 * e.m + (1 - a.beta1) * e.g;
  e.v = a.beta2 * e.v + (1 - a.beta2) * e.g * e.g;
}

}  // namespace

void gradient_norm(Call& c) {
  const NormAttr* attr = std::get_if<NormAttr>(&c.instr.attr);
  double sum = 0;
  for (size_t k = 0; k < c.in.size(); ++k) {
    const double factor = attr && !attr->factors.empty() ? attr->factors[k] : 1;
    for (double g : c.in[k].v) sum += (factor * g) * (factor * g);
  }
  c.out[0][0] = std::sqrt(sum);
}

void sgd_update(Call& c) {
  update_elements(c, [](const UpdateAttr& a, const Element& e) {
    e.m = a.beta1 * e.m + e.g;
    e.p -= e.rate * (a.nesterov ? e.g + a.beta1 * e.m : e.m);
  });
}

void adam_update(Call& c) {
  update_elements(c, [](const UpdateAttr& a, const Element& e) {
    follow(a, e);
    const double root = std::sqrt(e.v / (1 - std::pow(a.beta2, e.t))) + a.epsilon;
    e.p -= e.rate * (e.m / (1 - std::pow(a.beta1, e.t))) / root;
  });
}

void nadam_update(Call& c) {
  double product = 1, factors = 0;  // t is the step, the same for all elements
  update_elements(c, [&](const UpdateAttr& a, const Element& e) {
    follow(a, e);
    const auto mu = [&](double t) { return a.beta1 * (1 - 0.5 * std::pow(0.96, 0.004 * t)); };
    while (factors < e.t && product > 1e-18) product *= mu(++factors);  // below, 1 − product is 1 in f64
    const double root = std::sqrt(e.v / (1 - std::pow(a.beta2, e.t))) + a.epsilon;
    e.p -= e.rate * (1 - mu(e.t)) / (1 - product) * e.g / root;
    e.p -= e.rate * mu(e.t + 1) / (1 - product * mu(e.t + 1)) * e.m / root;
  });
}

void radam_update(Call& c) {
  update_elements(c, [](const UpdateAttr& a, const Element& e) {
    follow(a, e);
    const double power = std::pow(a.beta2, e.t), left = 1 - power, m = e.m / (1 - std::pow(a.beta1, e.t));
    const double longest = 2 / (1 - a.beta2) - 1, rho = longest - (power > 0 ? 2 * e.t * power / left : 0);
    if (!(rho > 5)) {
      e.p -= e.rate * m;
      return;
    }
    const double rectified = std::sqrt((rho - 4) * (rho - 2) * longest / ((longest - 4) * (longest - 2) * rho));
    e.p -= e.rate * m * rectified * std::sqrt(left) / (std::sqrt(e.v) + a.epsilon);
  });
}

void lion_update(Call& c) {
  update_elements(c, [](const UpdateAttr& a, const Element& e) {
    const double along = a.beta1 * e.m + (1 - a.beta1) * e.g;
    e.p -= e.rate * (along > 0 ? 1 : along < 0 ? -1 : along);
    e.m = a.beta2 * e.m + (1 - a.beta2) * e.g;
  });
}

void check_finite(Call& c) {
  for (size_t k = 1; k < c.in.size(); ++k) {
    double bad = 0;
    for (double g : c.in[k].v) bad += std::isfinite(g) ? 0 : 1;
    c.in[0][loss_scale_state::kBadCounts + k - 1] = bad;
  }
}

void loss_scale_update(Call& c) {
  const LossScaleAttr& attr = c.attr<LossScaleAttr>();
  Wide& state = c.in[0];
  bool bad = false;
  for (size_t i = loss_scale_state::kBadCounts; i < state.size(); ++i) bad = bad || state[i] > 0;
  if (!bad) ++state[loss_scale_state::kUpdates];
  if (!attr.dynamic) return;
  double &scale = state[loss_scale_state::kScale], &clean = state[loss_scale_state::kClean];
  clean = bad ? 0 : clean + 1;
  if (bad) scale = std::max(1.0, scale * attr.backoff);
  if (clean < static_cast<double>(attr.interval)) return;
  clean = 0;
  const double grown = scale * attr.growth;
  if (grown <= static_cast<double>(std::numeric_limits<float>::max())) scale = grown;
}

void accumulate(Call& c) {
  Wide& sum = c.in[0];
  const bool mask = sum.dtype == DType::u8;
  for (size_t i = 0; i < sum.size(); ++i) {
    const double x = c.in[1][i], old = c.step.starts_sums ? 0 : sum[i];
    sum[i] = mask ? static_cast<double>(x != 0 || old != 0) : old + x;
  }
}

void average_update(Call& c) {
  double t = static_cast<double>(c.step.update_index());
  if (c.in.size() == 3) {
    const Wide& state = c.in[2];
    for (size_t i = loss_scale_state::kBadCounts; i < state.size(); ++i)
      if (state[i] > 0) return;
    t = state[loss_scale_state::kUpdates];
  }
  const double decay = std::min(c.attr<ScaleAttr>().factor, (1 + t) / (10 + t));
  for (size_t i = 0; i < c.in[0].size(); ++i) c.in[0][i] = decay * c.in[0][i] + (1 - decay) * c.in[1][i];
}

}  // namespace hw::ref
