// Cases of components.
#include "tests/expression/expression_cases.h"
#include "tests/expression/plain_vectors.h"

namespace hw::test {
namespace {

const ExpressionCase kComponentCases[] = {
    // ---- components written one by one
    {"written_one_by_one",
     "y.x = 2*x; y.y = 3*x; y.z = 4*x",
     {{kFloat}},
     [](const auto& in) {
       const double x = in[0][0];
       return Vec{2 * x, 3 * x, 4 * x};
     }},
    {"written_in_another_order",
     "y.z = x*x; y.x = sin(x); y.y = cos(x)",
     {{kFloat}},
     [](const auto& in) {
       const double x = in[0][0];
       return Vec{std::sin(x), std::cos(x), x * x};
     }},
    {"written_by_index",
     "out y: vec4; y[0] = x; y[3] = x*x; y[1] = 2; y[2] = -x",
     {{kFloat}},
     [](const auto& in) {
       const double x = in[0][0];
       return Vec{x, 2, -x, x * x};
     }},
    {"written_by_swizzle",
     "in p: vec3; out y: vec3; y.zx = p.xy*p.yz; y.y = p.x",
     {{kVec3}},
     [](const auto& in) {
       const Vec& p = in[0];
       return Vec{p[1] * p[2], p[0], p[0] * p[1]};
     }},
    {"written_as_colour",
     "y.r = x; y.g = x*x; y.b = exp(x); y.a = 1",
     {{kFloat}},
     [](const auto& in) {
       const double x = in[0][0];
       return Vec{x, x * x, std::exp(x), 1};
     }},
    {"one_component_of_a_whole",
     "in p: vec3; y = p; y.y = p.x*p.z",
     {{kVec3}},
     [](const auto& in) {
       const Vec& p = in[0];
       return Vec{p[0], p[0] * p[2], p[2]};
     }},
    {"rows_of_a_matrix",
     "in a: vec2; in b: vec2; out m: mat2; m[1] = a*b; m[0] = b",
     {{kVec2}, {kVec2}},
     [](const auto& in) {
       return Vec{in[1][0], in[1][1], in[0][0] * in[1][0], in[0][1] * in[1][1]};
     }},
    {"elements_of_a_matrix",
     "m = mat2(0); m[0][1] = x*x; m[1].x = 3*x; m[1][1] = m[0][1]*m[1][0]",
     {{kFloat}},
     [](const auto& in) {
       const double x = in[0][0];
       return Vec{0, x * x, 3 * x, 3 * x * x * x};
     }},

    // ---- written more than once
    {"overwritten_component",
     "in p: vec3; y = p*p; y.x = 5*p.z",
     {{kVec3}},
     [](const auto& in) {
       const Vec& p = in[0];
       return Vec{5 * p[2], p[1] * p[1], p[2] * p[2]};
     }},
    {"overwritten_whole",
     "in p: vec2; let t = sin(p); t = p.yx; y = t*p",
     {{kVec2}},
     [](const auto& in) {
       return Vec{in[0][1] * in[0][0], in[0][0] * in[0][1]};
     }},
    {"overwritten_by_a_number",
     "in p: vec2; y = p*p; y.x = 7",
     {{kVec2}},
     [](const auto& in) {
       return Vec{7, in[0][1] * in[0][1]};
     }},
    {"overwritten_twice",
     "in p: vec2; y = p; y.x = p.y; y.x = p.x*p.y; y.y = y.x + p.y",
     {{kVec2}},
     [](const auto& in) {
       const double a = in[0][0] * in[0][1];
       return Vec{a, a + in[0][1]};
     }},
    {"read_then_overwritten",
     "in p: vec2; let t = p; s = t.x*t.x; t.x = p.y; y = t*s",
     {{kVec2}},
     [](const auto& in) {
       const double s = in[0][0] * in[0][0];
       return Vec{s, in[0][1] * s, in[0][1] * s};
     }},
    {"overwritten_row",
     "in m: mat3; in v: vec3; let a = m; a[1] = v; y = a*v",
     {{kMat3}, {kVec3}},
     [](const auto& in) {
       Vec m = in[0];
       for (size_t k = 0; k < 3; ++k) m[3 + k] = in[1][k];
       return applied(m, in[1]);
     }},

    // ---- in place, and through copies
    {"in_place",
     "in x; x = x*x; x = x + 1; y = x*x",
     {{kFloat}},
     [](const auto& in) {
       const double s = in[0][0] * in[0][0] + 1;
       return Vec{s * s};
     }},
    {"in_place_component",
     "in p: vec3; p.x = p.x*p.y; p.y = p.x*p.z; y = p",
     {{kVec3}},
     [](const auto& in) {
       const double a = in[0][0] * in[0][1];
       return Vec{a, a * in[0][2], in[0][2]};
     }},
    {"swapped_in_place",
     "in p: vec2; p.xy = p.yx; p.x *= 3; y = p*p",
     {{kVec2}},
     [](const auto& in) {
       return Vec{9 * in[0][1] * in[0][1], in[0][0] * in[0][0]};
     }},
    {"copy_then_write_the_copy",
     "in p: vec2; let q = p; q.x = 0; y = p*q + q",
     {{kVec2}},
     [](const auto& in) {
       return Vec{0, in[0][1] * in[0][1] + in[0][1]};
     }},
    {"copy_then_write_the_original",
     "in p: vec2; let q = p; p.x = p.y; y = p*q",
     {{kVec2}},
     [](const auto& in) {
       return Vec{in[0][1] * in[0][0], in[0][1] * in[0][1]};
     }},
    {"compound_assignments",
     "in p: vec3; y = p; y += p*p; y.x -= 2*p.y; y.yz *= p.x; y.z /= p.x + 3",
     {{kVec3}},
     [](const auto& in) {
       const Vec& p = in[0];
       Vec y = plus(p, {p[0] * p[0], p[1] * p[1], p[2] * p[2]});
       y[0] -= 2 * p[1], y[1] *= p[0], y[2] *= p[0], y[2] /= p[0] + 3;
       return y;
     }},
    {"output_is_read_again",
     "a = x*x; b = a*x; a = a + b",
     {{kFloat}},
     [](const auto& in) {
       const double x = in[0][0];
       return Vec{x * x + x * x * x, x * x * x};
     }},

    // ---- read more than once
    {"read_by_three",
     "let t = sin(x); y = t*t + 3*t; z = t*x",
     {{kFloat}},
     [](const auto& in) {
       const double t = std::sin(in[0][0]);
       return Vec{t * t + 3 * t, t * in[0][0]};
     }},
    {"component_read_by_many",
     "in p: vec3; y = p*p.x + vec3(p.x); z = p.x*p.x",
     {{kVec3}},
     [](const auto& in) {
       const Vec& p = in[0];
       return Vec{p[0] * p[0] + p[0], p[1] * p[0] + p[0], p[2] * p[0] + p[0], p[0] * p[0]};
     }},
    {"swizzle_that_repeats",
     "in p: vec2; y = p.xxyx*p.yyxx",
     {{kVec2}},
     [](const auto& in) {
       const double a = in[0][0], b = in[0][1];
       return Vec{a * b, a * b, b * a, a * a};
     }},
    {"whole_and_component",
     "in p: vec2; let q = p*p; y = q + q.yx*q.x",
     {{kVec2}},
     [](const auto& in) {
       const double a = in[0][0] * in[0][0], b = in[0][1] * in[0][1];
       return Vec{a + b * a, b + a * a};
     }},
    {"one_for_all_samples",
     "in p: vec3; in s; y = p*s; d = s*s",
     {{kVec3}, {kFloat, -1, 1, false}},
     [](const auto& in) {
       Vec y = times(in[1][0], in[0]);
       y.push_back(in[1][0] * in[1][0]);
       return y;
     }},
    {"one_matrix_for_all_samples",
     "in m: mat2; in v: vec2; y = m*v + v*m",
     {{kMat2, -1, 1, false}, {kVec2}},
     [](const auto& in) { return plus(applied(in[0], in[1]), applied(turned(in[0]), in[1])); }},
};

}  // namespace

std::span<const ExpressionCase> component_cases() {
  return kComponentCases;
}

}  // namespace hw::test
