#include "tests/shader/shader_cases.h"

#include "engine/kernels/binary.h"
#include "engine/kernels/trigonometry.h"
#include "engine/kernels/unary.h"

namespace hw::test {
namespace {

struct Parameters {
  double a, b;
};

// What each row is tried with: values that f32 has, and such that it has not.
constexpr Parameters parameters(const char* name) {
  const auto is = [&](const char* other) {
    const char* n = name;
    while (*n && *n == *other) ++n, ++other;
    return *n == *other;
  };
  if (is("leaky_relu")) return {0.01, 0};
  if (is("selu")) return {1.6732632423543772, 1.0507009873554805};
  if (is("hard_sigmoid")) return {1.0 / 6, 0.5};
  if (is("shrink")) return {0.4, 0.3};
  if (is("threshold")) return {0.1, 20};
  return {1.1, 0.7};
}

}  // namespace

template <class T>
std::vector<ShaderCase<T>> shader_cases() {
  using namespace kernels;
  std::vector<ShaderCase<T>> cases;
#define HW_UNARY(name, formula, a_, b_)                                                                       \
  {                                                                                                           \
    static constexpr Parameters p = parameters(#name);                                                        \
    cases.push_back({"unary::" #name, 1, {p.a, p.b}, [](T x, T, T) { return unary::name(x, p.a, p.b); }});    \
    cases.push_back(                                                                                          \
        {"unary_grad::" #name, 2, {p.a, p.b}, [](T g, T x, T) { return unary_grad::name(g, x, p.a, p.b); }}); \
  }
#include "engine/program/unary.def"
#undef HW_UNARY
#define HW_BINARY(name, formula)                                                                                 \
  cases.push_back({"binary::" #name, 2, {}, [](T a, T b, T) { return binary::name(a, b); }});                    \
  cases.push_back({"binary_grad_a::" #name, 3, {}, [](T g, T a, T b) { return binary_grad_a::name(g, a, b); }}); \
  cases.push_back({"binary_grad_b::" #name, 3, {}, [](T g, T a, T b) { return binary_grad_b::name(g, a, b); }});
#include "engine/program/binary.def"
#undef HW_BINARY
  cases.push_back({"clamp", 3, {}, [](T x, T lo, T hi) { return clamp(x, lo, hi); }});
  cases.push_back({"clamp_grad", 3, {0.75}, [](T g, T x, T lo) { return clamp_grad(g, x, lo, T(0.75)); }});
  cases.push_back({"relu", 1, {}, [](T x, T, T) { return relu(x); }});
  cases.push_back({"relu_grad", 2, {}, [](T g, T y, T) { return relu_grad(g, y); }});
  cases.push_back({"affine", 3, {}, [](T x, T scale, T offset) { return affine(x, scale, offset); }});
  cases.push_back({"sigmoid", 1, {}, [](T x, T, T) { return sigmoid(x); }});
  cases.push_back({"sigmoid_grad", 2, {}, [](T g, T y, T) { return sigmoid_grad(g, y); }});
  if constexpr (sizeof(T) == 4) {
    cases.push_back({"math_f64::powf", 2, {}, [](T x, T y, T) { return math_f64::powf(x, y); }});
  } else {
#define HW_F64(name) cases.push_back({"math_f64::" #name, 1, {}, [](T x, T, T) { return math_f64::name(x); }});
    HW_F64(exp)
    HW_F64(log)
    HW_F64(log1p)
    HW_F64(expm1)
    HW_F64(tanh)
    HW_F64(sinh)
    HW_F64(cosh)
    HW_F64(asinh)
    HW_F64(acosh)
    HW_F64(atanh)
    HW_F64(erf)
    HW_F64(erfc)
    HW_F64(sin)
    HW_F64(cos)
    HW_F64(tan)
#undef HW_F64
    cases.push_back({"math_f64::pow", 2, {}, [](T x, T y, T) { return math_f64::pow(x, y); }});
    cases.push_back({"math_f64::atan2", 2, {}, [](T y, T x, T) { return math_f64::atan2(y, x); }});
  }
  return cases;
}

template std::vector<ShaderCase<float>> shader_cases();
template std::vector<ShaderCase<double>> shader_cases();

}  // namespace hw::test
