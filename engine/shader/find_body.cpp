// Which body a call means: what C++ does by its rules of names and overloads, as far as bodies need them.
#include <algorithm>
#include <optional>

#include "engine/core/codes.h"
#include "engine/shader/glsl_body.h"

namespace hw::shader {
namespace {

struct Candidate {
  Instance instance;
  int conversions = 0;
};

std::optional<Candidate> fit(const Body& body, const std::vector<Scalar>& arguments) {
  if (body.parameters.size() != arguments.size()) return std::nullopt;
  Candidate c{{&body, std::vector<Scalar>(body.templates.size(), Scalar::nothing)}};
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto at = std::ranges::find(body.templates, body.parameters[i].type.name);
    if (at == body.templates.end()) continue;
    Scalar& type = c.instance.types[static_cast<size_t>(at - body.templates.begin())];
    if (type != Scalar::nothing && type != arguments[i]) return std::nullopt;
    type = arguments[i];
  }
  if (std::ranges::count(c.instance.types, Scalar::nothing)) return std::nullopt;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Scalar type = scalar_of(body.parameters[i].type, body.templates, c.instance.types);
    if (type == arguments[i]) continue;
    if (body.parameters[i].reference) return std::nullopt;
    ++c.conversions;
  }
  return c;
}

Error no_call(const std::string& name, const std::vector<Scalar>& arguments, const char* why) {
  std::string call = name + "(";
  for (size_t i = 0; i < arguments.size(); ++i) call += (i ? ", " : "") + std::string(glsl_type(arguments[i]));
  return {codes::no_shader, "", call + "), " + why, ""};
}

// "a::b" → "a"; "a" → "".
std::string outer(const std::string& scope) {
  const size_t at = scope.rfind("::");
  return at == std::string::npos ? std::string() : scope.substr(0, at);
}

}  // namespace

Scalar scalar_of(const TypeName& type, const std::vector<std::string>& templates, const std::vector<Scalar>& types) {
  const auto at = std::ranges::find(templates, type.name);
  if (at != templates.end()) return types[static_cast<size_t>(at - templates.begin())];
  struct Row {
    std::string_view name;
    Scalar scalar;
  };
  constexpr Row kRows[] = {{"bool", Scalar::boolean}, {"int", Scalar::i32},     {"int32_t", Scalar::i32},
                           {"uint32_t", Scalar::u32}, {"int64_t", Scalar::i64}, {"uint64_t", Scalar::u64},
                           {"float", Scalar::f32},    {"double", Scalar::f64}};
  for (const Row& row : kRows)
    if (row.name == type.name) return row.scalar;
  return Scalar::nothing;
}

Result<Instance> find_body(const Bodies& bodies, const std::string& scope, const std::string& name,
                           const std::vector<Scalar>& arguments) {
  for (std::string within = scope;; within = outer(within)) {
    const std::string full = within.empty() ? name : within + "::" + name;
    bool named = false;
    std::vector<Candidate> fitting;
    for (const Body& body : bodies.bodies) {
      if (body.full_name() != full) continue;
      named = true;
      if (const auto c = fit(body, arguments)) fitting.push_back(*c);
    }
    if (named && fitting.empty()) return no_call(full, arguments, "which no body fits");
    if (!fitting.empty()) {
      std::ranges::stable_sort(fitting, {}, &Candidate::conversions);
      if (fitting.size() > 1 && fitting[0].conversions == fitting[1].conversions)
        return no_call(full, arguments, "which fits several bodies");
      return fitting[0].instance;
    }
    if (within.empty()) return no_call(name, arguments, "which is no body that was read");
  }
}

}  // namespace hw::shader
