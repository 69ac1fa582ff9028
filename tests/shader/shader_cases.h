// The functions that shaders share with C++: a row a body, with the C++ of it.
#pragma once

#include <string>
#include <vector>

namespace hw::test {

/// y = f(p, q, r): r for gradients of two inputs; what a body does not have is ignored.
template <class T>
struct ShaderCase {
  std::string name;  // "unary_grad::gelu"
  int inputs;
  std::vector<double> parameters;  // behind the inputs
  T (*compute)(T p, T q, T r);
};

/// Functions and gradients of every row of unary.def and binary.def.
template <class T>
std::vector<ShaderCase<T>> shader_cases();
extern template std::vector<ShaderCase<float>> shader_cases();
extern template std::vector<ShaderCase<double>> shader_cases();

}  // namespace hw::test
