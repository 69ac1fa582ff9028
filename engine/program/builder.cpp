// OpBuilder: appending ops, with names, node paths, states and the sticky error.
#include "engine/program/builder.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "engine/core/codes.h"
#include "engine/program/random_ops.h"
#include "engine/program/sample_states.h"

namespace hw {
namespace {

DType accumulator_of(DType dtype) {
  return dtype == DType::f64 ? DType::f64 : DType::f32;
}

}  // namespace

void OpBuilder::set_node(const std::string& path) {
  const auto [it, fresh] = node_index_.emplace(path, static_cast<uint32_t>(p_.nodes.size()));
  if (fresh) p_.nodes.push_back(path);
  node_ = it->second;
  set_params_of(path, false);
  set_random(path, {}, {});
}

void OpBuilder::set_random(std::string name, std::optional<uint64_t> seed, std::optional<uint64_t> step) {
  random_name_ = std::move(name);
  random_seed_ = seed;
  random_step_ = step;
}

void OpBuilder::set_params_of(const std::string& path, bool frozen, StoredAs stored) {
  params_of_ = path;
  frozen_ = frozen;
  stored_ = std::move(stored);
}

void OpBuilder::fail(Error error) {
  if (!status_) return;
  if (error.where.empty()) error.where = node();
  status_ = std::move(error);
}

RandomStream OpBuilder::next_stream() const {
  size_t before = 0;
  for (const Instr& i : p_.instrs) before += i.node == node_ && !i.backward && is_random(i);
  const uint32_t stream = stream_of(before ? random_name_ + "#" + std::to_string(before) : random_name_);
  return {stream, random_seed_, random_step_};
}

Val OpBuilder::new_value(Value value) {
  p_.values.push_back(std::move(value));
  return {static_cast<ValueId>(p_.values.size() - 1)};
}

Val OpBuilder::input(const std::string& name, DType dtype, Dims dims, std::vector<std::string> axes) {
  if (!status_) return {};
  const Val v = new_value({dtype, std::move(dims), std::move(axes), Storage::input, name});
  p_.inputs.push_back({name, v.id});
  return v;
}

Val OpBuilder::constant(const Tensor& tensor, const std::string& name) {
  if (!status_) return {};
  const Val v = new_value({tensor.dtype(), tensor.dims(), {}, Storage::constant, name});
  p_.constants.emplace_back(v.id, tensor);
  return v;
}

Val OpBuilder::param(const std::string& name, DType dtype, Dims dims, Init init, bool trainable) {
  if (!status_) return {};
  const std::string full = params_of_.empty() ? name : params_of_ + "." + name;
  if (const auto stored = stored_ ? stored_(name) : std::nullopt; stored && stored->dtype != dtype) {
    if (!stored->cast) {
      fail({codes::weight_dtype, full,
            "it is stored as " + std::string(hw::name(stored->dtype)) + ", but its node computes in " +
                std::string(hw::name(dtype)) + ".",
            "Cast it on use, or change one of the two."});
      return {};
    }
    const StoredAs kept = std::exchange(stored_, {});
    const Val view = param(name, stored->dtype, std::move(dims), init, trainable);
    stored_ = kept;
    return view ? cast(view, dtype) : view;
  }
  for (const Param& p : p_.params) {
    if (p.name != full) continue;
    const Value& made = p_[p.view];
    if (made.dtype == dtype && made.dims == dims) return {p.view};
    fail({codes::bad_tie, node(),
          "it shares " + full + ", which is " + std::string(hw::name(made.dtype)) + " " + to_string(made.dims) +
              ", but needs " + std::string(hw::name(dtype)) + " " + to_string(dims) + ".",
          "Give both nodes the same sizes and dtype, or end the sharing."});
    return {};
  }
  assert(info(dtype).is_float && info(dtype).storable);
  if (init.stream == 0) init.stream = stream_of(full);
  const Val view = new_value({dtype, dims, {}, Storage::state, full});
  Val master = view;
  if (!pure_ && accumulator_of(dtype) != dtype)
    master = new_value({DType::f32, std::move(dims), {}, Storage::state, full + ".master"});
  p_.params.push_back({full, view.id, master.id, init, trainable && !frozen_});
  return view;
}

Val OpBuilder::state(const std::string& name, DType dtype, Dims dims) {
  if (!status_) return {};
  return new_value({dtype, std::move(dims), {}, Storage::state, name});
}

std::vector<Val> OpBuilder::emit(Op op, std::vector<Val> in, Attr attr) {
  const auto failed = static_cast<size_t>(std::max(0, info(op).outputs));
  if (!status_) return std::vector<Val>(failed);
  std::vector<Value> types;
  Instr instr{op, {}, {}, std::move(attr), node_, backward_, update_};
  for (Val v : in) {
    assert(v && "a value that was never made");
    types.push_back(p_.values[v.id]);
    instr.in.push_back(v.id);
  }
  auto made = infer(op, types, instr.attr);
  if (!made) {
    Error error = made.error();
    if (!node().empty()) error.where = node();
    fail(std::move(error));
    return std::vector<Val>(failed);
  }
  std::vector<Val> out;
  for (Value& v : *made) {
    out.push_back(new_value(std::move(v)));
    instr.out.push_back(out.back().id);
  }
  p_.instrs.push_back(std::move(instr));
  return out;
}

Val OpBuilder::cast(Val x, DType dtype) {
  if (x && p_[x.id].dtype == dtype) return x;
  return emit(Op::cast, {x}, CastAttr{dtype})[0];
}
Val OpBuilder::cast(Val x, CastAttr attr) {
  if (attr.stochastic) attr.random = next_stream();
  return emit(Op::cast, {x}, attr)[0];
}
Val OpBuilder::add(Val a, Val b) {
  return emit(Op::add, {a, b})[0];
}
Val OpBuilder::sub(Val a, Val b) {
  return emit(Op::sub, {a, b})[0];
}
Val OpBuilder::mul(Val a, Val b) {
  return emit(Op::mul, {a, b})[0];
}
Val OpBuilder::scale(Val x, double factor) {
  return emit(Op::scale, {x}, ScaleAttr{factor})[0];
}
Val OpBuilder::affine(Val x, std::vector<double> scale, std::vector<double> offset) {
  return emit(Op::affine, {x}, AffineAttr{std::move(scale), std::move(offset)})[0];
}
Val OpBuilder::clamp(Val x, double lo, double hi) {
  if (!status_) return {};
  // In x's dtype, so that an x at a bound equals it; beyond its range nothing is limited.
  const auto rounded = [&](double bound) {
    const double stored = Tensor::from_f64(p_[x.id].dtype, {}, {{bound}}).to_f64()[0];
    return std::isfinite(stored) ? stored : bound;
  };
  return emit(Op::clamp, {x}, ClampAttr{rounded(lo), rounded(hi)})[0];
}
Val OpBuilder::relu(Val x) {
  return emit(Op::relu, {x})[0];
}
Val OpBuilder::sigmoid(Val x) {
  return emit(Op::sigmoid, {x})[0];
}
Val OpBuilder::dropout(Val x, double p) {
  if (!training_) return x;
  return emit(Op::dropout, {x}, DropoutAttr{p, next_stream()})[0];
}
Val OpBuilder::matmul(Val a, Val b, bool transpose_b, std::optional<DType> compute) {
  return emit(Op::matmul, {a, b}, MatmulAttr{transpose_b, false, compute})[0];
}
Val OpBuilder::matmul_tn(Val a, Val b, DType dtype, std::optional<DType> compute) {
  return emit(Op::matmul_tn, {a, b}, MatmulAttr{false, false, compute, dtype})[0];
}
Val OpBuilder::batch_matmul(Val a, Val b, bool transpose_a, bool transpose_b, std::optional<DType> compute) {
  return emit(Op::batch_matmul, {a, b}, MatmulAttr{transpose_b, transpose_a, compute})[0];
}
Val OpBuilder::sum_to(Val x, Dims dims, DType dtype) {
  return emit(Op::sum_to, {x}, DimsAttr{std::move(dims), dtype})[0];
}
Val OpBuilder::broadcast_to(Val x, Dims dims) {
  if (!status_) return {};
  return emit(Op::broadcast_to, {x}, DimsAttr{std::move(dims), p_[x.id].dtype})[0];
}
Val OpBuilder::reshape(Val x, Dims dims, std::vector<std::string> axes) {
  if (!status_) return {};
  const Val y = emit(Op::reshape, {x}, DimsAttr{std::move(dims), p_[x.id].dtype})[0];
  keep_bound(x, y);
  if (!axes.empty()) set_axes(y, std::move(axes));
  return y;
}
Val OpBuilder::concat(std::span<const Val> xs, int axis) {
  return emit(Op::concat, {xs.begin(), xs.end()}, AxisAttr{axis})[0];
}
Val OpBuilder::slice(Val x, int axis, int64_t begin, int64_t end) {
  const Val y = emit(Op::slice, {x}, AxisAttr{axis, begin, end})[0];
  keep_bound(x, y);
  return y;
}
Val OpBuilder::pad(Val x, int axis, int64_t before, int64_t after, double fill) {
  if (!status_) return {};
  const int64_t size = p_[x.id].dims[static_cast<size_t>(axis)];
  return emit(Op::pad, {x}, AxisAttr{axis, before, before + size, before + size + after, fill})[0];
}
Val OpBuilder::transpose(Val x, std::vector<int> order) {
  return emit(Op::transpose, {x}, PermuteAttr{std::move(order)})[0];
}
Val OpBuilder::random(RandomAttr attr) {
  attr.random = next_stream();
  return emit(Op::random, {}, std::move(attr))[0];
}
Val OpBuilder::gather(Val table, Val index) {
  return emit(Op::gather, {table, index})[0];
}

Val OpBuilder::triplane(Val x, Val planes) {
  return emit(Op::triplane, {x, planes})[0];
}

Val OpBuilder::hash_grid(Val x, Val table, const HashGridAttr& grid) {
  return emit(Op::hash_grid, {x, table}, grid)[0];
}
OpBuilder::Surface OpBuilder::sample_surface(std::shared_ptr<const Mesh> mesh, int64_t points) {
  const auto out = emit(Op::sample_surface, {}, SampleSurfaceAttr{std::move(mesh), points, next_stream()});
  return {out[0], out[1], out[2], out[3]};
}
OpBuilder::Pixels OpBuilder::sample_image(SampleImageAttr attr) {
  attr.random = next_stream();
  const auto out = emit(Op::sample_image, {}, std::move(attr));
  return {out[0], out[1]};
}
void OpBuilder::keep_bound(Val from, Val to) {
  if (status_) p_.values[to.id].below = p_[from.id].below;
}
void OpBuilder::set_bound(Val x, int64_t below) {
  if (status_) p_.values[x.id].below = below;
}
OpBuilder::Rows OpBuilder::sample_rows(SampleRowsAttr attr) {
  attr.random = next_stream();
  if (!training_) {
    if (attr.data->test.count() > 0) attr.which = Split::test;
    attr.random.step.reset();
    attr.shuffle = false;
    if (evaluation_rows_ > 0) attr.rows = evaluation_rows_;
  }
  const int64_t classes = attr.data->classes;
  const auto out = emit(Op::sample_rows, {}, std::move(attr));
  if (status_) p_.values[out[1].id].below = classes;
  return {out[0], out[1]};
}
Val OpBuilder::mean(Val x) {
  if (!status_) return {};
  const DType dtype = p_[x.id].dtype;
  const auto count = static_cast<double>(element_count(p_[x.id].dims));
  return cast(scale(sum_to(x, {}, accumulator_of(dtype)), 1 / count), dtype);
}
Val OpBuilder::of_batch(Val x, bool sum) {
  if (!status_ || !x || share_ == 1 || !info(p_[x.id].dtype).is_float) return x;
  const auto known = std::ranges::find(of_batch_, x.id, [](const OfBatch& o) { return o.of.id; });
  if (known != of_batch_.end()) return x;  // the mean of what is the same for all parts
  const Val of = scale(x, 1);
  if (of) of_batch_.push_back({x, of, sum});
  return of;
}
const SampleState& OpBuilder::samples_of(Val x) const {
  if (!samples_) samples_ = std::make_shared<SampleStates>(p_, share_);
  samples_->follow(of_batch_, same_places_);
  return (*samples_)[x.id];
}
Val OpBuilder::gradient_scale(Val x, double factor, bool unscale) {
  return emit(Op::gradient_scale, {x}, GradientScaleAttr{factor, unscale})[0];
}

}  // namespace hw
