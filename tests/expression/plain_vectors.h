// std::vector<double>tors and n × n matrices (row by row) in plain loops.
#pragma once

#include <cmath>
#include <vector>

namespace hw::test {

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
inline std::vector<double> cross(const std::vector<double>& a, const std::vector<double>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline std::vector<double> times(double s, std::vector<double> v) {
  for (double& x : v) x *= s;
  return v;
}
inline std::vector<double> plus(std::vector<double> a, const std::vector<double>& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}
inline std::vector<double> unit(const std::vector<double>& v) {
  return times(1 / std::sqrt(dot(v, v)), v);
}
inline std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<size_t>(std::lround(std::sqrt(static_cast<double>(a.size()))));
  std::vector<double> c(n * n, 0.0);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t k = 0; k < n; ++k) c[i * n + j] += a[i * n + k] * b[k * n + j];
  return c;
}
inline std::vector<double> applied(const std::vector<double>& m, const std::vector<double>& v) {
  std::vector<double> y(v.size(), 0.0);
  for (size_t i = 0; i < v.size(); ++i)
    for (size_t k = 0; k < v.size(); ++k) y[i] += m[i * v.size() + k] * v[k];
  return y;
}
inline std::vector<double> turned(const std::vector<double>& m) {
  const auto n = static_cast<size_t>(std::lround(std::sqrt(static_cast<double>(m.size()))));
  std::vector<double> t(n * n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) t[j * n + i] = m[i * n + j];
  return t;
}

}  // namespace hw::test
