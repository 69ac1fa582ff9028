// What a ref op sees: its inputs as f64, its outputs to fill. One function an op.
#pragma once

#include <vector>

#include "engine/backend/backend.h"
#include "engine/kernels/surface_sampler.h"

namespace hw::ref {

/// A tensor widened to f64. `dtype` is how it is stored.
struct Wide {
  DType dtype = DType::f64;
  Dims dims;
  std::vector<double> v;

  double& operator[](size_t i) { return v[i]; }
  double operator[](size_t i) const { return v[i]; }
  size_t size() const { return v.size(); }
};

struct Call {
  const Instr& instr;
  const StepInputs& step;
  const kernels::SurfaceTable* surface;  // sample_surface only
  std::vector<Wide> in;                  // an update op changes its states here; they are stored back
  std::vector<Wide> out;                 // dims and dtype set, values zero

  template <class A>
  const A& attr() const {
    return std::get<A>(instr.attr);
  }
  /// `count`: elements, points or rows that the op draws.
  Draw draw(const RandomStream& random, size_t count) const { return draw_of(random, step.seed, step.step, count); }
};

using RefOp = void (*)(Call&);
/// Never null.
RefOp ref_op(Op op);
/// Index into a tensor of `from` dims for the element at `index` of the broadcast `to` dims.
size_t broadcast_index(size_t index, const Dims& to, const Dims& from);

/// x with as many significant bits as `dtype` has, nearest even; beyond its largest number ±Inf, or NaN where it has
/// none. tf32 too.
double rounded(double x, DType dtype);
/// x as `dtype` stores it: a float rounded, an integer without its fraction and held in its range (NaN: 0), bool x ≠ 0.
double stored(double x, DType dtype);
/// The factor of a product as its compute dtype makes it; none: as it is.
Wide factor(const Wide& x, std::optional<DType> compute);

// Each row's, by family in ref_*.cpp.
#define HW_OP(name, ...) void name(Call&);
#include "engine/program/ops.def"

}  // namespace hw::ref
