// The kernels of sums: kernels/sums.glsl, scatter.glsl.
#pragma once

#include <string>
#include <type_traits>

#include "engine/backend/gpu/ops/grid_tangents.h"
#include "engine/backend/gpu/ops/norms.h"
#include "engine/backend/gpu/ops/scatter.h"
#include "engine/backend/gpu/ops/sums.h"
#include "engine/backend/vulkan/launcher.h"

namespace hw::vulkan {

template <class T>
inline constexpr int32_t kDTypeOf = static_cast<int32_t>(std::is_same_v<T, double> ? DType::f64 : DType::f32);

template <class Join>
inline constexpr int32_t kJoin = -1;
template <>
inline constexpr int32_t kJoin<gpu::AddUp> = 0;
template <>
inline constexpr int32_t kJoin<gpu::KeepLargest> = 1;
template <>
inline constexpr int32_t kJoin<gpu::KeepSmallest> = 2;

/// What a SumParts<Join, F> asks of its F: `static std::string name()`, and `static Constants constants(const F&)`.
template <class F>
struct SumTerm;

template <class Join, class F>
struct KernelOf<gpu::SumParts<Join, F>> {
  static std::string name() { return "SumParts_" + SumTerm<F>::name(); }
  static Constants constants(const gpu::SumParts<Join, F>& f) {
    static_assert(kJoin<Join> >= 0);
    Constants made = constants_of(kJoin<Join>, f.along);
    const Constants more = SumTerm<F>::constants(f.f);
    made.insert(made.end(), more.begin(), more.end());
    return made;
  }
  static int64_t turns(const gpu::SumParts<Join, F>& f) { return f.length / f.parts + 1; }
};

template <class Join>
struct KernelOf<gpu::JoinParts<Join>> {
  static std::string name() { return "JoinParts"; }
  static Constants constants(const gpu::JoinParts<Join>&) {
    static_assert(kJoin<Join> >= 0);
    return constants_of(kJoin<Join>);
  }
};

template <>
struct KernelOf<gpu::StoreSums> {
  static std::string name() { return "StoreSums"; }
  static Constants constants(const gpu::StoreSums& f) { return constants_of(f.y.dtype); }
};

template <>
struct KernelOf<gpu::StoreExactSums> {
  static std::string name() { return "StoreExactSums"; }
  static Constants constants(const gpu::StoreExactSums& f) { return constants_of(f.y.dtype); }
};

// ---- terms

template <>
struct SumTerm<gpu::Element> {
  static std::string name() { return "Element"; }
  static Constants constants(const gpu::Element& f) { return constants_of(f.x.dtype, f.base.axes, f.along.axes); }
};

template <>
struct SumTerm<gpu::Square> {
  static std::string name() { return "Square"; }
  static Constants constants(const gpu::Square& f) { return constants_of(f.x.dtype); }
};

template <>
struct SumTerm<gpu::Bad> {
  static std::string name() { return "Bad"; }
  static Constants constants(const gpu::Bad& f) { return constants_of(f.x.dtype); }
};

template <>
struct SumTerm<gpu::Deviation> {
  static std::string name() { return "Deviation"; }
  static Constants constants(const gpu::Deviation& f) { return SumTerm<gpu::Element>::constants(f.x); }
};

template <class T>
struct SumTerm<gpu::BatchNormSum<T>> {
  static std::string name() { return "BatchNormSum"; }
  static Constants constants(const gpu::BatchNormSum<T>& f) {
    return constants_of(f.g.x.dtype, f.g.base.axes, f.g.along.axes, f.x.x.dtype, f.x.base.axes, f.x.along.axes,
                        sizeof(gpu::ChannelFactors<T>));
  }
};

template <>
struct SumTerm<gpu::GroupGradSum> {
  static std::string name() { return "GroupGradSum"; }
  static Constants constants(const gpu::GroupGradSum& f) {
    return constants_of(f.g.dtype, f.x.dtype, f.scale.dtype, f.deviation);
  }
};

template <>
struct SumTerm<gpu::GroupChannelSum> {
  static std::string name() { return "GroupChannelSum"; }
  static Constants constants(const gpu::GroupChannelSum& f) { return constants_of(f.g.dtype, f.x.dtype); }
};

template <>
struct SumTerm<gpu::FiniteMagnitude> {
  static std::string name() { return "FiniteMagnitude"; }
  static Constants constants(const gpu::FiniteMagnitude& f) { return constants_of(f.x.dtype); }
};

template <>
struct SumTerm<gpu::CountLosses> {
  static std::string name() { return "CountLosses"; }
  static Constants constants(const gpu::CountLosses& f) { return constants_of(f.stored.dtype); }
};

template <int D, class X>
struct SumTerm<gpu::TangentBound<D, X>> {
  static std::string name() { return "TangentBound"; }
  static Constants constants(const gpu::TangentBound<D, X>& f) { return constants_of(f.g.dtype, kDTypeOf<X>, D); }
};

}  // namespace hw::vulkan
