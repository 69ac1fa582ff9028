#include "engine/shader/glsl_library.h"

#include <deque>

#include "engine/core/codes.h"

namespace hw::shader {
namespace {

class Printer final : public Callees {
 public:
  explicit Printer(const Bodies& bodies) : bodies_(bodies) {}

  Result<const GlslFunction*> function(const Instance& instance) override {
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
    printed_.push_back({instance, std::move(*function)});
    return &printed_.back().function;
  }

  Result<std::string> constant(const Constant& constant) override {
    for (const Named& c : constants_)
      if (c.constant == &constant) return c.name;
    HW_TRY(const GlslFunction printed, print_constant(constant, bodies_, *this));
    constants_.push_back({&constant, printed.name});
    constant_text_ += printed.text;
    return printed.name;
  }

  std::string text() const { return constant_text_ + text_; }

 private:
  struct Printed {
    Instance instance;
    GlslFunction function;
  };
  struct Named {
    const Constant* constant;
    std::string name;
  };

  const Bodies& bodies_;
  std::vector<Instance> open_;
  std::deque<Printed> printed_;  // addresses stay
  std::vector<Named> constants_;
  std::string constant_text_, text_;
};

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

std::string GlslLibrary::extensions(bool exact_zeros) const {
  std::string lines;
  if (uses_i64) lines += "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n";
  if (!exact_zeros) return lines;
  // Capability and execution mode SignedZeroInfNanPreserve.
  const std::string mode = "spirv_execution_mode(capabilities = [4466], 4461, ";
  lines += "#extension GL_EXT_spirv_intrinsics : require\n" + mode + "32);\n";
  return uses_f64 ? lines + mode + "64);\n" : lines;
}

Result<GlslLibrary> glsl_library(const Bodies& bodies, const std::vector<std::string>& names, Scalar real) {
  Printer printer(bodies);
  GlslLibrary library;
  for (const std::string& name : names) {
    HW_TRY(const Instance instance, instance_of(bodies, name, real));
    HW_TRY(const GlslFunction* const function, printer.function(instance));
    library.uses_f64 |= function->uses_f64;
    library.uses_i64 |= function->uses_i64;
    library.functions.push_back(*function);
  }
  library.text = printer.text();
  return library;
}

}  // namespace hw::shader
