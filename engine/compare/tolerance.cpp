#include "engine/compare/tolerance.h"

#include <algorithm>
#include <cmath>

#include "engine/compare/rounding_error.h"
#include "engine/core/mesh.h"
#include "engine/program/product_bias.h"

namespace hw {
namespace {

const double kUnit = tolerance(DType::f32).absolute / tolerance(DType::f32).relative;

double count_of(const Program& p, ValueId id) {
  return static_cast<double>(element_count(p[id].dims));
}

double axis_of(const Program& p, ValueId id, size_t from_end) {
  const Dims& dims = p[id].dims;
  return dims.size() > from_end ? static_cast<double>(dims[dims.size() - 1 - from_end]) : 1;
}

struct Magnitude {
  double largest = 0, root_mean_square = 0;
};

Magnitude magnitude_of(const Tensor& tensor) {
  Magnitude m;
  double squares = 0;
  const std::vector<double> values = tensor.to_f64();
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    m.largest = std::max(m.largest, std::abs(v));
    squares += v * v;
  }
  if (!values.empty()) m.root_mean_square = std::sqrt(squares / static_cast<double>(values.size()));
  return m;
}

/// The largest 1 / √(variance + epsilon) of the runs that a group norm norms.
double steepest_norm(const Tensor& x, const GroupNormAttr& attr) {
  const std::vector<double> values = x.to_f64();
  const auto group = static_cast<size_t>(attr.group_size);
  double least = INFINITY;
  for (size_t at = 0; at + group <= values.size(); at += group) {
    double sum = 0, squares = 0;
    for (size_t i = at; i < at + group; ++i) sum += values[i], squares += values[i] * values[i];
    const double mean = sum / static_cast<double>(group);
    least = std::min(least, std::max(0.0, squares / static_cast<double>(group) - mean * mean));
  }
  return 1 / std::sqrt((std::isfinite(least) ? least : 1) + attr.epsilon);
}

/// Of the mesh's textures, in pixels.
double largest_side(const Mesh& mesh) {
  double side = 0;
  for (const MeshPart& part : mesh.parts)
    if (part.texture) side = std::max<double>(side, std::max(part.texture->width, part.texture->height));
  return side;
}

double steepest_norm(const Tensor& moments, const BatchNormAttr& attr) {
  const std::vector<double> values = moments.to_f64();
  const auto variances = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  return values.empty() ? 1 : 1 / std::sqrt(*std::min_element(variances, values.end()) + attr.epsilon);
}

}  // namespace

Tolerance tolerance(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return {1e-12, 1e-12};
    case DType::f32:
      return {1.3e-6, 1e-5};
    case DType::tf32:
    case DType::f16:
      return {1e-3, 1e-5};
    case DType::bf16:
      return {1.6e-2, 1e-5};
    case DType::f8e4m3:
    case DType::f8e5m2:
      return {info(dtype).min_subnormal / info(dtype).min_normal / 2, info(dtype).min_subnormal / 2};
    default:
      return {};
  }
}

double sum_length(const Program& p, const Instr& instr, size_t out) {
  const auto in = [&](size_t k) { return count_of(p, instr.in[k]); };
  const double made = instr.out.empty() ? 1 : std::max(1.0, count_of(p, instr.out[out]));
  switch (instr.op) {
    case Op::matmul:
      return axis_of(p, instr.in[0], 0);
    case Op::matmul_tn:
      return in(0) / axis_of(p, instr.in[0], 0);
    case Op::batch_matmul:
      return axis_of(p, instr.in[0], std::get<MatmulAttr>(instr.attr).transpose_a ? 1 : 0);
    case Op::sum_to:
    case Op::avg_pool:
    case Op::channel_moments:
      return std::max(1.0, in(0) / made * (instr.op == Op::channel_moments ? 2 : 1));
    case Op::softmax:
    case Op::softmax_grad: {
      const auto axis = static_cast<size_t>(std::get<SoftmaxAttr>(instr.attr).axis);
      return static_cast<double>(p[instr.in[0]].dims[axis]);
    }
    case Op::conv2d:
      return in(1) / static_cast<double>(p[instr.in[1]].dims[0]);
    case Op::conv2d_grad_input:
      return in(1) / static_cast<double>(p[instr.in[1]].dims[1]);
    case Op::conv2d_grad_weight:
      return in(1) / static_cast<double>(p[instr.in[1]].dims[1]);
    case Op::batch_norm_grad_sums:
    case Op::batch_norm_grad_input:
    case Op::group_norm_grad_sums: {
      const Dims& x = p[instr.in[0]].dims;
      return in(0) / static_cast<double>(x[x.size() > 1 ? 1 : 0]);
    }
    case Op::group_norm:
    case Op::group_norm_grad_input:
      return static_cast<double>(std::get<GroupNormAttr>(instr.attr).group_size);
    case Op::hash_grid:
      return std::exp2(std::get<HashGridAttr>(instr.attr).dims);
    case Op::hash_grid_grad_table:
    case Op::triplane_grad_planes:
      return static_cast<double>(p[instr.in[0]].dims[0]);
    case Op::gather_grad:
      return count_of(p, instr.in[1]);
    case Op::triplane:
      return 4;
    case Op::triplane_grad_input:
      return 4 * static_cast<double>(p[instr.in[1]].dims[1]);
    case Op::hash_grid_grad_input: {
      const auto& grid = std::get<HashGridAttr>(instr.attr);
      return static_cast<double>(grid.levels.size()) * grid.features * std::exp2(grid.dims);
    }
    case Op::avg_pool_grad:
    case Op::max_pool_grad:
    case Op::resize_grad:
      return std::max(1.0, in(0) / made);
    case Op::gradient_norm: {
      double all = 0;
      for (const ValueId id : instr.in) all += count_of(p, id);
      return all;
    }
    default:
      return 1;
  }
}

bool gives_exact_numbers(const Instr& instr) {
  switch (instr.op) {
    case Op::cast:
    case Op::relu:
    case Op::relu_grad:
    case Op::clamp_grad:
    case Op::gradient_scale:
    case Op::stop_gradient:
    case Op::compare:
    case Op::where:
    case Op::reduce:
    case Op::argmax:
    case Op::gather_elements:
    case Op::gather_elements_grad:
    case Op::gather:
    case Op::broadcast_to:
    case Op::reshape:
    case Op::concat:
    case Op::slice:
    case Op::pad:
    case Op::transpose:
    case Op::max_pool:
      return true;
    default:
      return false;
  }
}

OpTolerance::OpTolerance(DType stored, DType accumulate, double length, double scale)
    : stored_(stored),
      gathered_(std::max(tolerance(stored == DType::f64 ? DType::f64 : DType::f32).relative,
                         tolerance(accumulate).relative * std::sqrt(std::max(1.0, length)))),
      scale_(scale) {}

OpTolerance::OpTolerance(const Program& p, const Instr& instr, size_t out, DType accumulate, const Tensor& reference,
                         const std::vector<Tensor>& inputs)
    : OpTolerance(reference.dtype(), accumulate, sum_length(p, instr, out),
                  scale_of(p, instr, out, reference, inputs)) {
  exact_ = gives_exact_numbers(instr);
}

double OpTolerance::gathered(double size) const {
  return gathered_ * std::max(size, scale_);
}

double OpTolerance::allowed(double reference) const {
  if (exact_ || !info(stored_).is_float || !std::isfinite(reference)) return 0;
  return ulp_at(reference, stored_) + gathered(std::abs(reference));
}

double OpTolerance::allowed_unrounded(double exact) const {
  if (!info(stored_).is_float || !std::isfinite(exact)) return 0;
  return ulp_at(exact, stored_) / 2 + (exact_ ? 0 : gathered(std::abs(exact)));
}

double scale_of(const Program& p, const Instr& instr, size_t out, const Tensor& reference,
                const std::vector<Tensor>& inputs) {
  double scale = magnitude_of(reference).largest;
  if (has_bias(instr)) scale = std::max(scale, magnitude_of(inputs[2]).largest);
  switch (instr.op) {
    case Op::matmul:
    case Op::matmul_tn:
    case Op::batch_matmul:
    case Op::conv2d:
    case Op::conv2d_grad_input:
    case Op::conv2d_grad_weight:
    case Op::batch_norm_grad_sums:
    case Op::group_norm_grad_sums:
      return std::max(scale, std::sqrt(sum_length(p, instr, out)) * magnitude_of(inputs[0]).root_mean_square *
                                 magnitude_of(inputs[1]).root_mean_square);
    case Op::sum_to:
    case Op::gather_grad:
      return std::max(scale, std::sqrt(sum_length(p, instr, out)) * magnitude_of(inputs[0]).root_mean_square);
    case Op::triplane_grad_planes:
      return std::max(scale, std::sqrt(sum_length(p, instr, out)) * magnitude_of(inputs[1]).root_mean_square);
    case Op::avg_pool:
    case Op::channel_moments:  // means: a sum over its length
      return std::max(scale, magnitude_of(inputs[0]).root_mean_square / std::sqrt(sum_length(p, instr, out)));
    case Op::hash_grid_grad_input: {
      double finest = 0;  // by which the slope of a level's weights is multiplied
      for (const HashGridLevel& level : std::get<HashGridAttr>(instr.attr).levels)
        finest = std::max<double>(finest, level.scale);
      return std::max(scale,
                      finest * magnitude_of(inputs[1]).root_mean_square * magnitude_of(inputs[2]).root_mean_square);
    }
    case Op::softmax_grad:
      return std::max(scale, magnitude_of(inputs[0]).largest * magnitude_of(inputs[1]).largest);
    case Op::batch_norm_grad_input:
      return std::max(scale, magnitude_of(inputs[0]).largest * magnitude_of(inputs[3]).largest *
                                 steepest_norm(inputs[2], std::get<BatchNormAttr>(instr.attr)));
    case Op::group_norm_grad_input:
      return std::max(scale, magnitude_of(inputs[0]).largest * magnitude_of(inputs[2]).largest *
                                 steepest_norm(inputs[1], std::get<GroupNormAttr>(instr.attr)));
    case Op::sgd_update:
    case Op::adam_update: {
      // What the step adds to a state is the new one less (what is left of) the old one.
      const ValueId id = instr.in[out];
      const size_t old = out == 0 ? 1 : out;  // a view is its master, rounded
      if (p[id].storage == Storage::state && old < inputs.size() && !inputs[old].empty())
        scale = std::max(scale, magnitude_of(inputs[old]).largest);
      return std::min(scale, kUnit);
    }
    case Op::random: {
      const auto& attr = std::get<RandomAttr>(instr.attr);
      return std::min(std::max({scale, std::abs(attr.a), std::abs(attr.b)}), kUnit);
    }
    case Op::sample_surface:
      // Colours: a rounded uv, times the steepest that a texture can be. The largest side, from black to white.
      return out == 3 ? std::max(scale, largest_side(*std::get<SampleSurfaceAttr>(instr.attr).mesh))
                      : std::min(scale, kUnit);
    default:  // no sum: at most what `absolute` allows beside `relative`
      return std::min(scale, kUnit);
  }
}

}  // namespace hw
