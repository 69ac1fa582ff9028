#include "engine/program/rounding.h"

#include <algorithm>
#include <cmath>

#include "engine/core/dtype_tolerance.h"
#include "engine/core/mesh.h"
#include "engine/program/op_spec.h"
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

/// The largest side of the mesh's textures, in pixels.
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

/// By which the slope of a grid's weights is multiplied: the finest level's scale, a plane's longer side in pixels.
double finest(const Program& p, const Instr& instr) {
  if (const auto* grid = std::get_if<HashGridAttr>(&instr.attr)) {
    double scale = 0;
    for (const HashGridLevel& level : grid->levels) scale = std::max<double>(scale, level.scale);
    return scale;
  }
  const auto* attr = std::get_if<DimsAttr>(&instr.attr);
  const Dims& planes = attr ? attr->dims : p[instr.in[1]].dims;
  return static_cast<double>(std::max(planes[2], planes[3]));
}

}  // namespace

namespace rounding::length {

double one(const Program&, const Instr&, size_t) {
  return 1;
}

double matmul(const Program& p, const Instr& instr, size_t) {
  return axis_of(p, instr.in[0], 0);
}

double matmul_tn(const Program& p, const Instr& instr, size_t) {
  return count_of(p, instr.in[0]) / axis_of(p, instr.in[0], 0);
}

double batch_matmul(const Program& p, const Instr& instr, size_t) {
  return axis_of(p, instr.in[0], std::get<MatmulAttr>(instr.attr).transpose_a ? 1 : 0);
}

double folded(const Program& p, const Instr& instr, size_t out) {
  return std::max(1.0, count_of(p, instr.in[0]) / std::max(1.0, count_of(p, instr.out[out])));
}

double channel_moments(const Program& p, const Instr& instr, size_t out) {
  return std::max(1.0, 2 * count_of(p, instr.in[0]) / std::max(1.0, count_of(p, instr.out[out])));
}

double softmax(const Program& p, const Instr& instr, size_t) {
  return static_cast<double>(p[instr.in[0]].dims[static_cast<size_t>(std::get<SoftmaxAttr>(instr.attr).axis)]);
}

double conv2d(const Program& p, const Instr& instr, size_t) {
  return count_of(p, instr.in[1]) / static_cast<double>(p[instr.in[1]].dims[0]);
}

double conv2d_grad(const Program& p, const Instr& instr, size_t) {
  return count_of(p, instr.in[1]) / static_cast<double>(p[instr.in[1]].dims[1]);
}

double channel(const Program& p, const Instr& instr, size_t) {
  const Dims& x = p[instr.in[0]].dims;
  return count_of(p, instr.in[0]) / static_cast<double>(x[x.size() > 1 ? 1 : 0]);
}

double group(const Program&, const Instr& instr, size_t) {
  return static_cast<double>(std::get<GroupNormAttr>(instr.attr).group_size);
}

double hash_grid(const Program&, const Instr& instr, size_t) {
  return std::exp2(std::get<HashGridAttr>(instr.attr).dims);
}

double hash_grid_grad_input(const Program&, const Instr& instr, size_t) {
  const auto& grid = std::get<HashGridAttr>(instr.attr);
  return static_cast<double>(grid.levels.size()) * grid.features * std::exp2(grid.dims);
}

double grid_tangent(const Program&, const Instr& instr, size_t) {
  const auto* grid = std::get_if<HashGridAttr>(&instr.attr);
  return grid ? grid->dims * std::exp2(grid->dims) : 8;
}

double triplane(const Program&, const Instr&, size_t) {
  return 4;
}

double triplane_grad_input(const Program& p, const Instr& instr, size_t) {
  return 4 * static_cast<double>(p[instr.in[1]].dims[1]);
}

double points(const Program& p, const Instr& instr, size_t) {
  return static_cast<double>(p[instr.in[0]].dims[0]);
}

double index(const Program& p, const Instr& instr, size_t) {
  return count_of(p, instr.in[1]);
}

double gradient_norm(const Program& p, const Instr& instr, size_t) {
  double all = 0;
  for (const ValueId id : instr.in) all += count_of(p, id);
  return all;
}

}  // namespace rounding::length

namespace rounding::scale {

// No sum: at most what Tolerance::absolute allows beside Tolerance::relative.
double pointwise(const Program&, const Instr&, size_t, double largest, const Tensors&) {
  return std::min(largest, kUnit);
}

double product(const Program& p, const Instr& instr, size_t out, double largest, const Tensors& inputs) {
  return std::max(largest, std::sqrt(sum_length(p, instr, out)) * magnitude_of(inputs[0]).root_mean_square *
                               magnitude_of(inputs[1]).root_mean_square);
}

double sum_of(const Program& p, const Instr& instr, size_t out, double largest, const Tensor& input) {
  return std::max(largest, std::sqrt(sum_length(p, instr, out)) * magnitude_of(input).root_mean_square);
}

double mean(const Program& p, const Instr& instr, size_t out, double largest, const Tensors& inputs) {
  return std::max(largest, magnitude_of(inputs[0]).root_mean_square / std::sqrt(sum_length(p, instr, out)));
}

double grid_slopes(const Program& p, const Instr& instr, size_t, double largest, const Tensors& inputs) {
  return std::max(
      largest, finest(p, instr) * magnitude_of(inputs[1]).root_mean_square * magnitude_of(inputs[2]).root_mean_square);
}

double grid_bends(const Program& p, const Instr& instr, size_t, double largest, const Tensors& inputs) {
  const double steepest = finest(p, instr);
  return std::max(largest, steepest * steepest * magnitude_of(inputs[1]).root_mean_square *
                               magnitude_of(inputs[2]).root_mean_square * magnitude_of(inputs[3]).root_mean_square);
}

double softmax_grad(const Program&, const Instr&, size_t, double largest, const Tensors& inputs) {
  return std::max(largest, magnitude_of(inputs[0]).largest * magnitude_of(inputs[1]).largest);
}

double batch_norm_grad_input(const Program&, const Instr& instr, size_t, double largest, const Tensors& inputs) {
  return std::max(largest, magnitude_of(inputs[0]).largest * magnitude_of(inputs[3]).largest *
                               steepest_norm(inputs[2], std::get<BatchNormAttr>(instr.attr)));
}

double group_norm_grad_input(const Program&, const Instr& instr, size_t, double largest, const Tensors& inputs) {
  return std::max(largest, magnitude_of(inputs[0]).largest * magnitude_of(inputs[2]).largest *
                               steepest_norm(inputs[1], std::get<GroupNormAttr>(instr.attr)));
}

// What the step adds to a state is the new one less (what is left of) the old one.
double update(const Program& p, const Instr& instr, size_t out, double largest, const Tensors& inputs) {
  const size_t old = out == 0 ? 1 : out;  // a view is its master, rounded
  if (p[instr.in[out]].storage == Storage::state && old < inputs.size() && !inputs[old].empty())
    largest = std::max(largest, magnitude_of(inputs[old]).largest);
  return std::min(largest, kUnit);
}

double random(const Program&, const Instr& instr, size_t, double largest, const Tensors&) {
  const auto& attr = std::get<RandomAttr>(instr.attr);
  return std::min(std::max({largest, std::abs(attr.a), std::abs(attr.b)}), kUnit);
}

// Colours: a rounded uv, times the steepest that a texture can be. The largest side, from black to white.
double sample_surface(const Program&, const Instr& instr, size_t out, double largest, const Tensors&) {
  return out == 3 ? std::max(largest, largest_side(*std::get<SampleSurfaceAttr>(instr.attr).mesh))
                  : std::min(largest, kUnit);
}

}  // namespace rounding::scale

double sum_length(const Program& p, const Instr& instr, size_t out) {
  return spec(instr.op).rounding->length(p, instr, out);
}

bool gives_exact_numbers(const Instr& instr) {
  return spec(instr.op).rounding->exact;
}

double scale_of(const Program& p, const Instr& instr, size_t out, const Tensor& reference,
                const std::vector<Tensor>& inputs) {
  double largest = magnitude_of(reference).largest;
  if (has_bias(instr)) largest = std::max(largest, magnitude_of(inputs[2]).largest);
  return spec(instr.op).rounding->scale(p, instr, out, largest, inputs);
}

}  // namespace hw
