#include "tests/shader/shader_bits.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <type_traits>

#include "engine/core/codes.h"
#include "engine/shader/compile_glsl.h"
#include "engine/shader/term.h"

namespace hw::test {
namespace {

constexpr size_t kInputs = 100'352;  // 1,568 workgroups of 64

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

template <class T>
std::vector<T> special_values() {
  using L = std::numeric_limits<T>;
  std::vector<T> v = {T(0),
                      L::infinity(),
                      L::quiet_NaN(),
                      L::denorm_min(),
                      L::min() / 2,
                      L::min(),
                      L::max(),
                      L::epsilon(),
                      T(0.1),
                      T(0.5),
                      T(1),
                      T(1.1),
                      T(2),
                      T(3),
                      T(10),
                      T(88),
                      T(89),
                      T(1e6),
                      T(1e10),
                      T(0.625),
                      T(0.4),
                      T(0.75),
                      T(8388608),
                      T(8388607.5),
                      T(1.57079632679489661923),
                      T(1e30)};
  const size_t n = v.size();
  for (size_t i = 0; i < n; ++i) v.push_back(-v[i]);
  for (size_t i = 0; i < n; ++i) v.push_back(std::nextafter(v[i], T(0)));
  return v;
}

// Specials by turns, whole numbers of any bits, numbers near 0, numbers of any size.
template <class T>
std::vector<T> inputs(uint32_t seed, size_t stride) {
  std::mt19937_64 random(seed);
  const std::vector<T> special = special_values<T>();
  std::vector<T> v(kInputs);
  std::uniform_real_distribution<double> near(-10, 10), digits(-1, 1);
  constexpr int kSize = sizeof(T) == 4 ? 40 : 300;
  std::uniform_int_distribution<int> power(-kSize, kSize);
  for (size_t i = 0; i < v.size(); ++i) {
    const size_t kind = (i / stride + i) % 4;
    if (i < special.size() * special.size())
      v[i] = special[i / stride % special.size()];
    else if (kind == 0)
      v[i] = std::bit_cast<T>(static_cast<Bits<T>>(random()));
    else if (kind == 1)
      v[i] = static_cast<T>(digits(random) * std::exp2(power(random)));
    else
      v[i] = static_cast<T>(near(random));
  }
  return v;
}

template <class T>
std::vector<uint8_t> bytes_of(const std::vector<T>& v) {
  std::vector<uint8_t> bytes(v.size() * sizeof(T));
  std::memcpy(bytes.data(), v.data(), bytes.size());
  return bytes;
}

// How many numbers of T lie between.
template <class T>
double ulps(T a, T b) {
  const auto ordered = [](T x) {
    const auto bits = std::bit_cast<Bits<T>>(x);
    const Bits<T> sign = Bits<T>{1} << (8 * sizeof(T) - 1);
    return bits & sign ? Bits<T>(0 - bits) : Bits<T>(bits + sign);
  };
  const Bits<T> i = ordered(a), j = ordered(b);
  return static_cast<double>(i > j ? i - j : j - i);
}

// Arithmetic of floats without the decoration NoContraction.
int64_t loose_operations(const std::vector<uint32_t>& spirv) {
  constexpr uint32_t kDecorate = 71, kNoContraction = 42;
  const std::set<uint32_t> arithmetic = {129, 131, 133, 136};  // FAdd, FSub, FMul, FDiv
  std::set<uint32_t> exact;
  int64_t loose = 0;
  for (size_t at = 5; at < spirv.size(); at += spirv[at] >> 16) {
    const uint32_t op = spirv[at] & 0xFFFF;
    if (op == kDecorate && spirv[at + 2] == kNoContraction) exact.insert(spirv[at + 1]);
    if (arithmetic.contains(op) && !exact.contains(spirv[at + 2])) ++loose;
  }
  return loose;
}

}  // namespace

std::string shader_of(const shader::GlslLibrary& library, const shader::GlslFunction& f, shader::Scalar real,
                      int inputs, const std::vector<double>& parameters, bool exact_zeros) {
  const std::string type(shader::glsl_type(real));
  std::string text = "#version 460\n" + library.needs().extensions(exact_zeros) + "layout(local_size_x = 64) in;\n";
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i);
    text += "layout(set = 0, binding = " + n + ") buffer Data" + n + " { " + type + " v" + n + "[]; };\n";
  }
  text += library.text() + "\nvoid main() {\n  uint i = gl_GlobalInvocationID.x;\n  v3[i] = " + f.name + "(";
  for (size_t p = 0; p < f.parameters.size(); ++p) {
    if (p) text += ", ";
    const size_t known = p - static_cast<size_t>(inputs);
    text += p < static_cast<size_t>(inputs) ? "v" + std::to_string(p) + "[i]"
                                            : shader::constant_term(parameters[known], f.parameters[p]).text;
  }
  return text + ");\n}\n";
}

template <class T>
Result<BitReport> compare_bits(ComputeDevice& device, const shader::Bodies& bodies, const ShaderCase<T>& c) {
  constexpr auto kReal = sizeof(T) == 4 ? shader::Scalar::f32 : shader::Scalar::f64;
  shader::GlslLibrary library(bodies);
  HW_TRY(const shader::GlslFunction* const function, library.add(c.name, kReal));
  const FloatBehaviour& floats = device.behaviour();
  const bool exact_zeros = std::getenv("HW_LOOSE_ZEROS") == nullptr && floats.nan_preserve_f32 &&
                           (!library.needs().f64 || floats.nan_preserve_f64);
  HW_TRY(const auto spirv,
         shader::compile_compute(shader_of(library, *function, kReal, c.inputs, c.parameters, exact_zeros),
                                 shader::GlslTarget::vulkan_1_2));
  static const size_t specials = special_values<T>().size();
  static const std::vector<T> in[3] = {inputs<T>(1, 1), inputs<T>(2, specials), inputs<T>(3, 7)};
  std::vector<std::vector<uint8_t>> buffers = {bytes_of(in[0]), bytes_of(in[1]), bytes_of(in[2]),
                                               std::vector<uint8_t>(kInputs * sizeof(T))};
  HW_CHECK(device.run(spirv, buffers, kInputs / 64));
  std::vector<T> got(kInputs);
  std::memcpy(got.data(), buffers[3].data(), buffers[3].size());

  BitReport report;
  report.inputs = kInputs;
  report.loose_operations = loose_operations(spirv);
  const auto subnormal = [](T x) { return std::fpclassify(x) == FP_SUBNORMAL; };
  for (size_t i = 0; i < kInputs; ++i) {
    const T want = c.compute(in[0][i], in[1][i], in[2][i]);
    bool tiny = subnormal(want);
    for (int k = 0; k < c.inputs; ++k) tiny |= subnormal(in[k][i]);
    report.subnormals += tiny;
    const bool same = std::bit_cast<Bits<T>>(want) == std::bit_cast<Bits<T>>(got[i]);
    if (same || (std::isnan(want) && std::isnan(got[i]))) continue;
    ++report.different;
    ++(tiny ? report.of_subnormals : report.plain);
    if (report.first.empty() || (!tiny && report.plain == 1)) {
      char text[256];
      std::snprintf(text, sizeof text, "(%.9g, %.9g, %.9g): C++ %.9g, shader %.9g", double(in[0][i]), double(in[1][i]),
                    double(in[2][i]), double(want), double(got[i]));
      report.first = text;
    }
    if (!tiny && std::isfinite(want) && std::isfinite(got[i]))
      report.largest_ulp = std::max(report.largest_ulp, ulps(want, got[i]));
  }
  return report;
}

template Result<BitReport> compare_bits(ComputeDevice&, const shader::Bodies&, const ShaderCase<float>&);
template Result<BitReport> compare_bits(ComputeDevice&, const shader::Bodies&, const ShaderCase<double>&);

}  // namespace hw::test
