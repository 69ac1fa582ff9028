// Tensor: allocation and converted copies.
#include "engine/core/tensor.h"

#include <algorithm>
#include <cassert>

#include "engine/core/convert.h"
#include "engine/core/huge_buffer.h"

namespace hw {
namespace {

std::shared_ptr<std::byte> allocate(size_t bytes) {
  const auto buffer = std::make_shared<HugeBuffer>(bytes);
  return {buffer, buffer->data()};
}

}  // namespace

Tensor::Tensor(DType dtype, Dims dims) : dtype_(dtype), dims_(std::move(dims)) {
  assert(info(dtype).storable);
  assert(std::all_of(dims_.begin(), dims_.end(), [](int64_t d) { return d >= 0; }));
  buffer_ = allocate(bytes());
}

Tensor::Tensor(DType dtype, Dims dims, std::shared_ptr<std::byte> buffer)
    : dtype_(dtype), dims_(std::move(dims)), buffer_(std::move(buffer)) {
  assert(info(dtype).storable && buffer_);
  assert(reinterpret_cast<uintptr_t>(buffer_.get()) % byte_count(dtype, 1) == 0);
}

Tensor Tensor::zeros(DType dtype, Dims dims) {
  Tensor t(dtype, std::move(dims));
  std::memset(t.data(), 0, t.bytes());
  return t;
}

Tensor Tensor::from_f64(DType dtype, Dims dims, std::span<const double> values) {
  Tensor t(dtype, std::move(dims));
  assert(static_cast<int64_t>(values.size()) == t.size());
  convert(dtype, t.data(), DType::f64, values.data(), values.size());
  return t;
}

Tensor Tensor::from_f32(DType dtype, Dims dims, std::span<const float> values) {
  Tensor t(dtype, std::move(dims));
  assert(static_cast<int64_t>(values.size()) == t.size());
  convert(dtype, t.data(), DType::f32, values.data(), values.size());
  return t;
}

Tensor Tensor::clone() const {
  if (empty()) return {};
  Tensor t(dtype_, dims_);
  std::memcpy(t.data(), data(), bytes());
  return t;
}

Tensor Tensor::reshaped(Dims dims) const {
  assert(element_count(dims) == size());
  Tensor t = *this;
  t.dims_ = std::move(dims);
  return t;
}

Tensor Tensor::to(DType dtype) const {
  if (dtype == dtype_ || empty()) return *this;
  Tensor t(dtype, dims_);
  convert(dtype, t.data(), dtype_, data(), static_cast<size_t>(size()));
  return t;
}

std::vector<double> Tensor::to_f64() const {
  if (empty()) return {};
  std::vector<double> values(static_cast<size_t>(size()));
  convert(DType::f64, values.data(), dtype_, data(), values.size());
  return values;
}

}  // namespace hw
