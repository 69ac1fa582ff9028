#include "engine/backend/cuda/cuda_error.h"
#include "engine/backend/cuda/elementwise.h"
#include "engine/backend/cuda/map.cuh"
#include "engine/backend/cuda/random.h"
#include "engine/core/philox.h"
#include "tests/backends/cuda_bodies.h"

namespace hw::test {
namespace {

/// Device memory of n elements, filled from the host.
template <class T>
class OnDevice {
 public:
  OnDevice() = default;
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { cudaFree(data_); }
  Status allocate(size_t n) {
    HW_CUDA(cudaMalloc(reinterpret_cast<void**>(&data_), std::max<size_t>(n, 1) * sizeof(T)));
    return ok();
  }
  Status put(const std::vector<T>& host) {
    HW_CHECK(allocate(host.size()));
    HW_CUDA(cudaMemcpy(data_, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return ok();
  }
  Status get(std::vector<T>& host) const {
    HW_CUDA(cudaMemcpy(host.data(), data_, host.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return ok();
  }
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

}  // namespace

template <class T>
Result<std::vector<T>> on_gpu(Op op, const Attr& attr, const std::vector<T>& a, const std::vector<T>& b) {
  OnDevice<T> da, db, dy;
  HW_CHECK(da.put(a));
  HW_CHECK(db.put(b));
  HW_CHECK(dy.allocate(a.size()));
  HW_CHECK(cuda::launch_elementwise(op, sizeof(T) == 8 ? DType::f64 : DType::f32, attr, da.data(),
                                    b.empty() ? nullptr : db.data(), dy.data(), static_cast<int64_t>(a.size()),
                                    nullptr));
  std::vector<T> y(a.size());
  HW_CHECK(dy.get(y));
  return y;
}
template Result<std::vector<float>> on_gpu(Op, const Attr&, const std::vector<float>&, const std::vector<float>&);
template Result<std::vector<double>> on_gpu(Op, const Attr&, const std::vector<double>&, const std::vector<double>&);

Result<std::vector<Corners>> corners_on_gpu(const std::vector<float>& points, const HashGridLevel& level,
                                            bool smoothstep) {
  std::vector<Corners> host(points.size() / 3);
  OnDevice<float> x;
  OnDevice<Corners> made;
  HW_CHECK(x.put(points));
  HW_CHECK(made.allocate(host.size()));
  const float* in = x.data();
  Corners* out = made.data();
  HW_CUDA(cuda::map(static_cast<int64_t>(host.size()), nullptr,
                    [=] __device__(int64_t i) { out[i] = corners_of(in + 3 * i, level, smoothstep); }));
  HW_CHECK(made.get(host));
  return host;
}

Result<std::vector<kernels::PlaneTap<float>>> plane_taps_on_gpu(const std::vector<float>& x, int64_t size) {
  std::vector<kernels::PlaneTap<float>> host(x.size());
  OnDevice<float> given;
  OnDevice<kernels::PlaneTap<float>> made;
  HW_CHECK(given.put(x));
  HW_CHECK(made.allocate(host.size()));
  const float* in = given.data();
  kernels::PlaneTap<float>* out = made.data();
  HW_CUDA(cuda::map(static_cast<int64_t>(host.size()), nullptr,
                    [=] __device__(int64_t i) { out[i] = kernels::plane_tap<float>(in[i], size); }));
  HW_CHECK(made.get(host));
  return host;
}

Result<std::vector<uint32_t>> philox_on_gpu(uint64_t seed, uint32_t stream, uint64_t step, int64_t n) {
  std::vector<uint32_t> host(static_cast<size_t>(4 * n));
  OnDevice<uint32_t> made;
  HW_CHECK(made.allocate(host.size()));
  uint32_t* out = made.data();
  HW_CUDA(cuda::map(n, nullptr, [=] __device__(int64_t i) {
    const Philox4 block = philox_block(seed, stream, step, static_cast<uint64_t>(i));
    for (size_t k = 0; k < 4; ++k) out[4 * i + static_cast<int64_t>(k)] = block[k];
  }));
  HW_CHECK(made.get(host));
  return host;
}

template <class T>
Result<std::vector<T>> dropout_on_gpu(const DropoutAttr& attr, const Draw& draw, const std::vector<T>& x) {
  OnDevice<T> dx;
  HW_CHECK(dx.put(x));
  HW_CHECK(cuda::launch_dropout(sizeof(T) == 8 ? DType::f64 : DType::f32, attr, draw, dx.data(), dx.data(),
                                static_cast<int64_t>(x.size()), nullptr));
  std::vector<T> y(x.size());
  HW_CHECK(dx.get(y));
  return y;
}
template Result<std::vector<float>> dropout_on_gpu(const DropoutAttr&, const Draw&, const std::vector<float>&);
template Result<std::vector<double>> dropout_on_gpu(const DropoutAttr&, const Draw&, const std::vector<double>&);

template <class T>
Result<std::vector<T>> random_on_gpu(const RandomAttr& attr, const Draw& draw, size_t n) {
  OnDevice<T> dy;
  HW_CHECK(dy.allocate(n));
  HW_CHECK(cuda::launch_random(attr, draw, dy.data(), static_cast<int64_t>(n), nullptr));
  std::vector<T> y(n);
  HW_CHECK(dy.get(y));
  return y;
}
template Result<std::vector<float>> random_on_gpu(const RandomAttr&, const Draw&, size_t);
template Result<std::vector<double>> random_on_gpu(const RandomAttr&, const Draw&, size_t);

Status adam_on_gpu(const kernels::AdamStep<float>& step, const std::vector<float>& grad, std::vector<float>& master,
                   std::vector<float>& m, std::vector<float>& v) {
  OnDevice<float> dg, dp, dm, dv;
  HW_CHECK(dg.put(grad));
  HW_CHECK(dp.put(master));
  HW_CHECK(dm.put(m));
  HW_CHECK(dv.put(v));
  const float* g = dg.data();
  float *p = dp.data(), *m1 = dm.data(), *v1 = dv.data();
  HW_CUDA(cuda::map(static_cast<int64_t>(grad.size()), nullptr,
                    [=] __device__(int64_t i) { kernels::adam(step, g[i], p[i], m1[i], v1[i]); }));
  HW_CHECK(dp.get(master));
  HW_CHECK(dm.get(m));
  HW_CHECK(dv.get(v));
  return ok();
}

}  // namespace hw::test
