// Cases of loops, choices, functions, matrices and quaternions.
#include "tests/expression/expression_cases.h"
#include "tests/expression/plain_vectors.h"

namespace hw::test {
namespace {

const ExpressionCase kFunctionCases[] = {
    // ---- loops, unrolled
    {"loop_sum",
     "let s = 0*x; for i in 0..5 { s += pow(x, i + 1) } y = s",
     {{kFloat, 0.2, 1}},
     [](const auto& in) {
       double s = 0;
       for (int i = 1; i < 6; ++i) s += std::pow(in[0][0], i);
       return Vec{s};
     }},
    {"loop_over_components",
     "in p: vec4; out y: vec4; for i in 0..4 { y[i] = p[3 - i]*(i + 1) }",
     {{kVec4}},
     [](const auto& in) {
       Vec y;
       for (size_t i = 0; i < 4; ++i) y.push_back(in[0][3 - i] * static_cast<double>(i + 1));
       return y;
     }},
    {"loop_in_place",
     "in p: vec3; for i in 1..3 { p[i] = p[i]*p[i - 1] } y = p",
     {{kVec3}},
     [](const auto& in) {
       const Vec& p = in[0];
       return Vec{p[0], p[1] * p[0], p[2] * p[1] * p[0]};
     }},
    {"loop_iterates_a_map",
     "let z = x; for i in 0..6 { z = z - 0.3*(z*z*z - x) } y = z",
     {{kFloat}},
     [](const auto& in) {
       double z = in[0][0];
       for (int i = 0; i < 6; ++i) z -= 0.3 * (z * z * z - in[0][0]);
       return Vec{z};
     }},
    {"loops_nested",
     "in m: mat3; out t: mat3; for i in 0..3 { for j in 0..3 { t[i][j] = m[j][i]*(i + 2*j) } }",
     {{kMat3}},
     [](const auto& in) {
       Vec t(9);
       for (size_t i = 0; i < 3; ++i)
         for (size_t j = 0; j < 3; ++j) t[3 * i + j] = in[0][3 * j + i] * static_cast<double>(i + 2 * j);
       return t;
     }},
    {"loop_with_a_local",
     "in p: vec3; let s = p; for i in 0..3 { let t = s.yzx*p; s = t + p } y = s",
     {{kVec3}},
     [](const auto& in) {
       Vec s = in[0];
       for (int i = 0; i < 3; ++i) {
         const Vec t{s[1] * in[0][0], s[2] * in[0][1], s[0] * in[0][2]};
         s = plus(t, in[0]);
       }
       return s;
     }},

    // ---- choices
    {"choice_by_sign",
     "y = x > 0 ? x*x : -3*x",
     {{kFloat}},
     [](const auto& in) {
       const double x = in[0][0];
       return Vec{x > 0 ? x * x : -3 * x};
     }},
    {"choice_of_vectors",
     "in p: vec3; y = p.x < p.y && !(p.z > 0.5) ? p.zxy : p*p.x",
     {{kVec3}},
     [](const auto& in) {
       const Vec& p = in[0];
       return p[0] < p[1] && !(p[2] > 0.5) ? Vec{p[2], p[0], p[1]} : times(p[0], p);
     }},
    {"select_with_or",
     "y = select(x < -0.5 || x >= 0.5, 2*x, x*x*x)",
     {{kFloat}},
     [](const auto& in) {
       const double x = in[0][0];
       return Vec{x < -0.5 || x >= 0.5 ? 2 * x : x * x * x};
     }},
    {"choice_that_overwrites",
     "in p: vec2; y = p; y.x = p.y > 0 ? y.x*p.y : y.y",
     {{kVec2}},
     [](const auto& in) {
       const Vec& p = in[0];
       return Vec{p[1] > 0 ? p[0] * p[1] : p[1], p[1]};
     }},

    // ---- functions
    {"elementary",
     "y = exp(x) + log(x)*sqrt(x) - tanh(x)/cos(x) + tan(x)*sigmoid(x)",
     {{kFloat, 0.3, 1.2}},
     [](const auto& in) {
       const double x = in[0][0];
       return Vec{std::exp(x) + std::log(x) * std::sqrt(x) - std::tanh(x) / std::cos(x) +
                  std::tan(x) / (1 + std::exp(-x))};
     }},
    {"power_sign",
     "out y: vec3; y.x = -x^2; y.y = x^2^-1*3; y.z = (x + 1)^3",
     {{kFloat, 0.2, 1}},
     [](const auto& in) {
       const double x = in[0][0];
       return Vec{-x * x, 3 * std::sqrt(x), (x + 1) * (x + 1) * (x + 1)};
     }},
    {"powers_and_bounds",
     "in p: vec2; y = vec3(pow(p.x, p.y), min(p.x, p.y), max(p.x, 0.9))",
     {{kVec2, 0.3, 1.5}},
     [](const auto& in) {
       const Vec& p = in[0];
       return Vec{std::pow(p[0], p[1]), std::min(p[0], p[1]), std::max(p[0], 0.9)};
     }},
    {"clamp_and_steps",
     "in p: vec3; y = clamp(p, -0.5, 0.5) + step(0.1, p)*p; z = clamp(p.x, p.y - 1, p.y + 1)",
     {{kVec3}},
     [](const auto& in) {
       const Vec& p = in[0];
       Vec y;
       for (const double x : p) y.push_back(std::min(std::max(x, -0.5), 0.5) + (x < 0.1 ? 0 : x));
       y.push_back(std::min(std::max(p[0], p[1] - 1), p[1] + 1));
       return y;
     }},
    {"mix_and_smoothstep",
     "in a: vec2; in b: vec2; in t; y = mix(a, b, smoothstep(-0.8, 0.9, t)); z = mix(1, 2, b)",
     {{kVec2}, {kVec2}, {kFloat}},
     [](const auto& in) {
       const double u = std::min(std::max((in[2][0] + 0.8) / 1.7, 0.0), 1.0), s = u * u * (3 - 2 * u);
       return Vec{in[0][0] + (in[1][0] - in[0][0]) * s, in[0][1] + (in[1][1] - in[0][1]) * s, 1 + in[1][0],
                  1 + in[1][1]};
     }},
    {"absolute_values",
     "in p: vec3; y = abs(p) + relu(p - 0.2)",
     {{kVec3}},
     [](const auto& in) {
       Vec y;
       for (const double x : in[0]) y.push_back(std::abs(x) + std::max(x - 0.2, 0.0));
       return y;
     }},

    // ---- vectors and matrices
    {"dot_and_cross",
     "in a: vec3; in b: vec3; y = cross(a, b)*dot(a, b); d = distance(a, b)",
     {{kVec3}, {kVec3}},
     [](const auto& in) {
       Vec y = times(dot(in[0], in[1]), cross(in[0], in[1]));
       const Vec d = plus(in[0], times(-1, in[1]));
       y.push_back(std::sqrt(dot(d, d)));
       return y;
     }},
    {"triple_product",
     "in a: vec3; in b: vec3; in c: vec3; y = dot(a, cross(b, c))",
     {{kVec3}, {kVec3}, {kVec3}},
     [](const auto& in) { return Vec{dot(in[0], cross(in[1], in[2]))}; }},
    {"length_and_normalize",
     "in p: vec4; y = normalize(p)*length(p.xyz)",
     {{kVec4, 0.2, 1}},
     [](const auto& in) {
       const Vec xyz(in[0].begin(), in[0].begin() + 3);
       return times(std::sqrt(dot(xyz, xyz)), unit(in[0]));
     }},
    {"reflection",
     "in d: vec3; in n: vec3; let u = normalize(n); r = d - 2*dot(d, u)*u",
     {{kVec3}, {kVec3, 0.2, 1}},
     [](const auto& in) {
       const Vec u = unit(in[1]);
       return plus(in[0], times(-2 * dot(in[0], u), u));
     }},
    {"matrix_product",
     "in a: mat3; in b: mat3; c = a*b - 2*b*a/3",
     {{kMat3}, {kMat3}},
     [](const auto& in) { return plus(product(in[0], in[1]), times(-2.0 / 3, product(in[1], in[0]))); }},
    {"matrix_four",
     "in m: mat4; in v: vec4; y = transpose(m)*(m*v)",
     {{kMat4}, {kVec4}},
     [](const auto& in) { return applied(turned(in[0]), applied(in[0], in[1])); }},
    {"matrix_built_of_rows",
     "in a: vec3; in b: vec3; let m = mat3(a, b, cross(a, b)); y = m*a; d = m[2][0] + m[1].y",
     {{kVec3}, {kVec3}},
     [](const auto& in) {
       const Vec c = cross(in[0], in[1]);
       return Vec{dot(in[0], in[0]), dot(in[1], in[0]), dot(c, in[0]), c[0] + in[1][1]};
     }},
    {"determinant_by_hand",
     "in m: mat2; d = m[0][0]*m[1][1] - m[0][1]*m[1][0]; let i = mat2(m[1].y, -m[0].y, -m[1].x, m[0].x); y = i/d",
     {{{kMat2, 0.1, 0.3}}},
     [](const auto& in) {
       const Vec& m = in[0];
       const double d = m[0] * m[3] - m[1] * m[2];
       return Vec{d, m[3] / d, -m[1] / d, -m[2] / d, m[0] / d};
     }},
    {"outer_product",
     "in a: vec3; in b: vec3; y = mat3(a.x*b, a.y*b, a.z*b)",
     {{kVec3}, {kVec3}},
     [](const auto& in) {
       Vec y;
       for (const double x : in[0])
         for (const double z : in[1]) y.push_back(x * z);
       return y;
     }},

    // ---- quaternions, x y z w
    {"quaternion_normalise",
     "in q: vec4; y = q/sqrt(dot(q, q))",
     {{kVec4, 0.1, 1}},
     [](const auto& in) { return unit(in[0]); }},
    {"quaternion_rotation",
     "in q: vec4; in v: vec3; let u = normalize(q); let t = 2*cross(u.xyz, v);\n"
     "y = v + u.w*t + cross(u.xyz, t)",
     {{kVec4, 0.1, 1}, {kVec3}},
     [](const auto& in) {
       const Vec u = unit(in[0]);
       const Vec axis(u.begin(), u.begin() + 3);
       const double s = u[3];  // (s² - a·a) v + 2 (a·v) a + 2 s a×v
       return plus(plus(times(s * s - dot(axis, axis), in[1]), times(2 * dot(axis, in[1]), axis)),
                   times(2 * s, cross(axis, in[1])));
     }},
    {"quaternion_product",
     "in p: vec4; in q: vec4; out r: vec4; r.xyz = p.w*q.xyz + q.w*p.xyz + cross(p.xyz, q.xyz);\n"
     "r.w = p.w*q.w - dot(p.xyz, q.xyz)",
     {{kVec4}, {kVec4}},
     [](const auto& in) {
       const Vec &p = in[0], &q = in[1];
       return Vec{p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1],
                  p[3] * q[1] - p[0] * q[2] + p[1] * q[3] + p[2] * q[0],
                  p[3] * q[2] + p[0] * q[1] - p[1] * q[0] + p[2] * q[3],
                  p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2]};
     }},
    {"quaternion_to_matrix",
     "in q: vec4; let u = normalize(q); out m: mat3;\n"
     "m[0] = vec3(1 - 2*(u.y*u.y + u.z*u.z), 2*(u.x*u.y - u.z*u.w), 2*(u.x*u.z + u.y*u.w));\n"
     "m[1] = vec3(2*(u.x*u.y + u.z*u.w), 1 - 2*(u.x*u.x + u.z*u.z), 2*(u.y*u.z - u.x*u.w));\n"
     "m[2] = vec3(2*(u.x*u.z - u.y*u.w), 2*(u.y*u.z + u.x*u.w), 1 - 2*(u.x*u.x + u.y*u.y))",
     {{kVec4, 0.1, 1}},
     [](const auto& in) {  // the columns are the rotated axes
       const Vec u = unit(in[0]);
       const Vec a(u.begin(), u.begin() + 3);
       Vec m(9);
       for (size_t k = 0; k < 3; ++k) {
         Vec e(3, 0.0);
         e[k] = 1;
         const Vec r = plus(plus(times(u[3] * u[3] - dot(a, a), e), times(2 * a[k], a)), times(2 * u[3], cross(a, e)));
         for (size_t i = 0; i < 3; ++i) m[3 * i + k] = r[i];
       }
       return m;
     }},
};

}  // namespace

std::span<const ExpressionCase> function_cases() {
  return kFunctionCases;
}

}  // namespace hw::test
