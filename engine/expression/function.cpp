#include "engine/expression/function.h"

#include <algorithm>
#include <cmath>

namespace hw::expression {
namespace {

double clamp_of(const double* x) {
  return std::min(std::max(x[0], x[1]), x[2]);
}
double smoothstep_of(const double* x) {
  const double t = std::min(std::max((x[2] - x[0]) / (x[1] - x[0]), 0.0), 1.0);
  return t * t * (3 - 2 * t);
}

// Gradients: equals of min and max share theirs; relu and abs have 0 at 0, step none; at the zero vector, which
// normalize leaves as it is, length has 0.
constexpr Function kFunctions[] = {
    {"sin", "sin(x)", 1, Rule::map, [](const double* x) { return std::sin(*x); }},
    {"cos", "cos(x)", 1, Rule::map, [](const double* x) { return std::cos(*x); }},
    {"tan", "tan(x)", 1, Rule::map, [](const double* x) { return std::tan(*x); }},
    {"tanh", "tanh(x)", 1, Rule::map, [](const double* x) { return std::tanh(*x); }},
    {"sigmoid", "sigmoid(x)", 1, Rule::map, [](const double* x) { return 1 / (1 + std::exp(-*x)); }},
    {"relu", "relu(x)", 1, Rule::map, [](const double* x) { return std::max(*x, 0.0); }},
    {"exp", "exp(x)", 1, Rule::map, [](const double* x) { return std::exp(*x); }},
    {"log", "log(x)", 1, Rule::map, [](const double* x) { return std::log(*x); }},
    {"sqrt", "sqrt(x)", 1, Rule::map, [](const double* x) { return std::sqrt(*x); }},
    {"abs", "abs(x)", 1, Rule::map, [](const double* x) { return std::abs(*x); }},
    {"pow", "pow(a, b)", 2, Rule::map, [](const double* x) { return std::pow(x[0], x[1]); }},
    {"min", "min(a, b)", 2, Rule::map, [](const double* x) { return std::min(x[0], x[1]); }},
    {"max", "max(a, b)", 2, Rule::map, [](const double* x) { return std::max(x[0], x[1]); }},
    {"clamp", "clamp(x, lo, hi)", 3, Rule::map, clamp_of},
    {"mix", "mix(a, b, t)", 3, Rule::map, [](const double* x) { return x[0] + (x[1] - x[0]) * x[2]; }},
    {"step", "step(edge, x)", 2, Rule::map, [](const double* x) { return x[1] < x[0] ? 0.0 : 1.0; }},
    {"smoothstep", "smoothstep(e0, e1, x)", 3, Rule::map, smoothstep_of},
    {"dot", "dot(a, b)", 2, Rule::dot},
    {"cross", "cross(a, b)", 2, Rule::cross},
    {"length", "length(a)", 1, Rule::length},
    {"distance", "distance(a, b)", 2, Rule::distance},
    {"normalize", "normalize(a)", 1, Rule::normalize},
    {"transpose", "transpose(m)", 1, Rule::transpose},
    {"select", "select(c, a, b)", 3, Rule::select},
};

}  // namespace

std::span<const Function> functions() {
  return kFunctions;
}

const Function* find_function(std::string_view name) {
  const auto found = std::ranges::find(kFunctions, name, &Function::name);
  return found == std::end(kFunctions) ? nullptr : &*found;
}

}  // namespace hw::expression
