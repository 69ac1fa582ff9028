#include "app/cli/print/tensor_components.h"

namespace hw::cli {
namespace {

/// Components of one sample: 2 to 4, or their squares for matrices; 0: no vectors.
int64_t components_of(const Dims& dims) {
  const auto few = [](int64_t size) { return size >= 2 && size <= 4; };
  if (dims.size() >= 3 && few(dims.back()) && dims[dims.size() - 2] == dims.back()) return dims.back() * dims.back();
  return dims.size() >= 2 && few(dims.back()) ? dims.back() : 0;
}

}  // namespace

std::vector<ComponentStatistics> measure_components(const Tensor& tensor) {
  const int64_t components = components_of(tensor.dims());
  if (components == 0 || tensor.size() == 0 || !info(tensor.dtype()).is_float) return {};
  const auto count = static_cast<size_t>(components), samples = static_cast<size_t>(tensor.size()) / count;
  const auto size = static_cast<size_t>(tensor.dims().back());
  const std::vector<double> values = tensor.to_f64();
  std::vector<ComponentStatistics> out;
  for (size_t c = 0; c < count; ++c) {
    std::vector<double> own;
    for (size_t n = 0; n < samples; ++n) own.push_back(values[n * count + c]);
    const std::string name = count == size ? std::string(1, "xyzw"[c])
                                           : "[" + std::to_string(c / size) + "][" + std::to_string(c % size) + "]";
    out.push_back({name, measure(Tensor::from_f64(DType::f64, {static_cast<int64_t>(samples)}, own))});
  }
  return out;
}

}  // namespace hw::cli
