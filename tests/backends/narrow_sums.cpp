#include "narrow_sums.h"

#include <algorithm>
#include <cmath>

#include "engine/program/product_bias.h"

namespace hw::test {
namespace {

constexpr size_t kParts = 17;

double rounded(double x, DType dtype) {
  return Tensor::from_f64(dtype, {}, std::span(&x, 1)).to_f64()[0];
}

// The input that the op is linear in; −1: none.
int linear_input(Op op) {
  switch (op) {
    case Op::matmul:
    case Op::matmul_tn:
    case Op::batch_matmul:
    case Op::sum_to:
    case Op::softmax_grad:
    case Op::conv2d:
    case Op::conv2d_grad_input:
    case Op::conv2d_grad_weight:
    case Op::avg_pool:
    case Op::avg_pool_grad:
    case Op::max_pool_grad:
    case Op::resize:
    case Op::resize_grad:
    case Op::gather_grad:
    case Op::batch_norm_grad_sums:
    case Op::group_norm_grad_sums:
    case Op::group_norm_grad_input:
      return 0;
    case Op::hash_grid:
    case Op::hash_grid_grad_table:
    case Op::triplane:
    case Op::triplane_grad_planes:
    case Op::hash_grid_tangent:
    case Op::triplane_tangent:
      return 1;
    case Op::hash_grid_grad_input:
    case Op::hash_grid_tangent_grad_table:
    case Op::triplane_grad_input:
    case Op::triplane_tangent_grad_planes:
      return 2;
    case Op::hash_grid_tangent_grad_input:
    case Op::triplane_tangent_grad_input:
      return 3;
    default:
      return -1;
  }
}

// The sum of what the op gives for each part of its input; every 17th element is in one.
Tensor sum_of_parts(const CaseProgram& p, Device& device, DType narrow, size_t input) {
  std::vector<double> sum;
  Tensor like;
  for (size_t part = 0; part < kParts; ++part) {
    CaseProgram masked = p;
    std::vector<double> v = p.values[input].to_f64();
    for (size_t i = 0; i < v.size(); ++i)
      if (i % kParts != part) v[i] = 0;
    masked.values[input] = Tensor::from_f64(p.values[input].dtype(), p.values[input].dims(), v);
    if (has_bias(p.program->instrs[0]) && part > 0)
      masked.values[2] = Tensor::zeros(p.values[2].dtype(), p.values[2].dims());
    like = run_case(masked, device)[0];
    const std::vector<double> term = like.to_f64();
    sum.resize(term.size());
    for (size_t i = 0; i < term.size(); ++i) sum[i] = rounded(sum[i] + term[i], narrow);
  }
  return Tensor::from_f64(like.dtype(), like.dims(), sum);
}

template <class Terms>
double narrow_sum(const Terms& terms, DType narrow) {
  double sum = 0;
  for (const double t : terms) sum = rounded(sum + t, narrow);
  return sum;
}

struct Moments {
  double mean, variance;
  Moments(const std::vector<double>& x, DType narrow) {
    const auto n = static_cast<double>(x.size());
    mean = narrow_sum(x, narrow) / n;
    std::vector<double> squares;
    for (const double v : x) squares.push_back((v - mean) * (v - mean));
    variance = narrow_sum(squares, narrow) / n;
  }
};

Tensor softmax(const CaseProgram& p, DType narrow, const Tensor& like) {
  const auto& attr = std::get<SoftmaxAttr>(p.program->instrs[0].attr);
  const Dims& dims = like.dims();
  const auto axis = static_cast<size_t>(attr.axis), size = static_cast<size_t>(dims[axis]);
  size_t inner = 1;
  for (size_t d = axis + 1; d < dims.size(); ++d) inner *= static_cast<size_t>(dims[d]);
  const std::vector<double> x = p.values[0].to_f64();
  std::vector<double> y(x.size());
  for (size_t first = 0; first < x.size(); ++first) {
    if (first / inner % size != 0) continue;
    std::vector<double> run(size);
    for (size_t i = 0; i < size; ++i) run[i] = x[first + i * inner];
    const double most = *std::max_element(run.begin(), run.end());
    for (double& v : run) v = std::exp(v - most);
    const double sum = narrow_sum(run, narrow);
    for (size_t i = 0; i < size; ++i)
      y[first + i * inner] = attr.log ? x[first + i * inner] - most - std::log(sum) : run[i] / sum;
  }
  return Tensor::from_f64(like.dtype(), dims, y);
}

Tensor channel_moments(const CaseProgram& p, DType narrow, const Tensor& like) {
  const Dims& dims = p.values[0].dims();
  const auto channels = static_cast<size_t>(dims[1]);
  const std::vector<double> x = p.values[0].to_f64();
  const size_t inner = x.size() / static_cast<size_t>(dims[0]) / channels;
  std::vector<double> y(2 * channels);
  for (size_t c = 0; c < channels; ++c) {
    std::vector<double> own;
    for (size_t i = 0; i < x.size(); ++i)
      if (i / inner % channels == c) own.push_back(x[i]);
    const Moments m(own, narrow);
    y[c] = m.mean;
    y[channels + c] = m.variance;
  }
  return Tensor::from_f64(like.dtype(), like.dims(), y);
}

Tensor group_norm(const CaseProgram& p, DType narrow, const Tensor& like) {
  const auto& attr = std::get<GroupNormAttr>(p.program->instrs[0].attr);
  const auto size = static_cast<size_t>(attr.group_size);
  std::vector<double> x = p.values[0].to_f64();
  const std::vector<double> scale = p.values[1].to_f64(), bias = p.values[2].to_f64();
  for (size_t first = 0; first + size <= x.size(); first += size) {
    const Moments m({x.begin() + static_cast<ptrdiff_t>(first), x.begin() + static_cast<ptrdiff_t>(first + size)},
                    narrow);
    for (size_t i = first; i < first + size; ++i) {
      const size_t c = i / static_cast<size_t>(attr.inner) % scale.size();
      x[i] = (x[i] - m.mean) / std::sqrt(m.variance + attr.epsilon) * scale[c] + bias[c];
    }
  }
  return Tensor::from_f64(like.dtype(), like.dims(), x);
}

Tensor gradient_norm(const CaseProgram& p, DType narrow, const Tensor& like) {
  const auto& factors = std::get<NormAttr>(p.program->instrs[0].attr).factors;
  std::vector<double> squares;
  for (size_t k = 0; k < p.values.size(); ++k)
    for (const double v : p.values[k].to_f64())
      squares.push_back(v * v * (factors.empty() ? 1 : factors[k] * factors[k]));
  const double norm = std::sqrt(narrow_sum(squares, narrow));
  return Tensor::from_f64(like.dtype(), like.dims(), std::span(&norm, 1));
}

}  // namespace

bool has_sums(Op op) {
  return linear_input(op) >= 0 || op == Op::softmax || op == Op::channel_moments || op == Op::group_norm ||
         op == Op::gradient_norm;
}

Tensor with_narrow_sums(const CaseProgram& p, Device& device, DType narrow) {
  const Op op = p.program->instrs[0].op;
  if (const int input = linear_input(op); input >= 0)
    return sum_of_parts(p, device, narrow, static_cast<size_t>(input));
  const Tensor like = run_case(p, device)[0];
  if (op == Op::softmax) return softmax(p, narrow, like);
  if (op == Op::channel_moments) return channel_moments(p, narrow, like);
  return op == Op::group_norm ? group_norm(p, narrow, like) : gradient_norm(p, narrow, like);
}

}  // namespace hw::test
