#include "engine/shader/glsl_library.h"

#include "engine/core/codes.h"

namespace hw::shader {
namespace {

Result<Instance> instance_of(const Bodies& bodies, const std::string& name, Scalar real) {
  for (const Body& body : bodies.bodies) {
    if (body.full_name() != name) continue;
    Instance instance{&body, std::vector<Scalar>(body.templates.size(), real)};
    const bool fits = !body.templates.empty() || body.parameters.empty() ||
                      scalar_of(body.parameters[0].type, body.templates, instance.types) == real;
    if (fits) return instance;
  }
  return Error{codes::no_shader, name, "No body of this name was read for " + std::string(glsl_type(real)) + ".", ""};
}

}  // namespace

std::string GlslNeeds::extensions(bool exact_zeros) const {
  std::string lines;
  if (i64) lines += "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n";
  if (!exact_zeros) return lines;
  // Capability and execution mode SignedZeroInfNanPreserve.
  const std::string mode = "spirv_execution_mode(capabilities = [4466], 4461, ";
  lines += "#extension GL_EXT_spirv_intrinsics : require\n" + mode + "32);\n";
  return f64 ? lines + mode + "64);\n" : lines;
}

Result<const GlslFunction*> GlslLibrary::add(const std::string& name, Scalar real) {
  HW_TRY(const Instance instance, instance_of(bodies_, name, real));
  return function(instance);
}

Result<const GlslFunction*> GlslLibrary::function(const Instance& instance) {
  for (const Printed& p : printed_)
    if (p.instance == instance) return &p.function;
  for (const Instance& open : open_)
    if (open == instance)
      return Error{codes::no_shader, instance.body->full_name(), "A shader cannot be made of what calls itself.", ""};
  open_.push_back(instance);
  auto function = print_body(instance, bodies_, *this);
  open_.pop_back();
  if (!function) return function.error();
  text_ += "\n" + function->text;
  needs_.f64 |= function->uses_f64;
  needs_.i64 |= function->uses_i64;
  printed_.push_back({instance, std::move(*function)});
  return &printed_.back().function;
}

Result<std::string> GlslLibrary::constant(const Constant& constant) {
  for (const Named& c : constants_)
    if (c.constant == &constant) return c.name;
  HW_TRY(const GlslFunction printed, print_constant(constant, bodies_, *this));
  constants_.push_back({&constant, printed.name});
  constant_text_ += printed.text;
  return printed.name;
}

}  // namespace hw::shader
