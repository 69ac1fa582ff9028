// An affine map of space in f64: where nodes of a scene put their meshes.
#pragma once

#include <array>
#include <cstddef>

namespace hw {

/// p → linear · p + move. Rows of the 3 × 4 matrix (linear | move).
struct Affine {
  std::array<std::array<double, 4>, 3> rows{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

  std::array<double, 3> operator()(const std::array<double, 3>& p) const {
    std::array<double, 3> out;
    for (size_t i = 0; i < 3; ++i) out[i] = rows[i][0] * p[0] + rows[i][1] * p[1] + rows[i][2] * p[2] + rows[i][3];
    return out;
  }
  /// First `b`, then `*this`.
  Affine operator*(const Affine& b) const {
    Affine out;
    for (size_t i = 0; i < 3; ++i)
      for (size_t j = 0; j < 4; ++j)
        out.rows[i][j] = rows[i][0] * b.rows[0][j] + rows[i][1] * b.rows[1][j] + rows[i][2] * b.rows[2][j] +
                         (j == 3 ? rows[i][3] : 0);
    return out;
  }
  double determinant() const {
    const auto& m = rows;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  }
  /// A direction across a surface, of any length: the inverse transpose, or the linear part where there is none.
  std::array<double, 3> normal(const std::array<double, 3>& n) const {
    const double sign = determinant();
    std::array<double, 3> out{};
    for (size_t i = 0; i < 3; ++i)
      for (size_t j = 0; j < 3; ++j) {
        const size_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        const double cofactor = rows[i1][j1] * rows[i2][j2] - rows[i1][j2] * rows[i2][j1];
        out[i] += n[j] * (sign > 0 ? cofactor : sign < 0 ? -cofactor : rows[i][j]);
      }
    return out;
  }
};

}  // namespace hw
