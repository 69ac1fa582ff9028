#include "engine/shader/field/point_text.h"

#include <algorithm>
#include <cassert>
#include <cctype>

#include "engine/core/codes.h"
#include "engine/core/sizes.h"
#include "engine/program/op_text.h"
#include "engine/shader/field/text_parts.h"
#include "engine/shader/glsl_words.h"

namespace hw::shader {
namespace {

// Functions of the text are called so: no variable may hide one.
constexpr std::string_view kFunctions[] = {"hw_", "math_", "unary_", "binary_", "narrow_", "load_"};

// Names that texts of ops declare where they need them.
constexpr const char* kLocals[] = {"weights", "field", "i",      "j",       "k",     "word",  "level",   "cell",
                                   "upper",   "axis",  "at",     "low",     "fits",  "sum",   "feature", "corner",
                                   "weight",  "dense", "hashed", "stride",  "above", "entry", "plane",   "high",
                                   "size",    "along", "inside", "channel", "first", "below", "top",     "bottom"};

// A name of GLSL: letters, digits, single "_".
std::string plain(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool word = std::isalnum(static_cast<unsigned char>(c));
    if (word || (!name.empty() && name.back() != '_')) name += word ? c : '_';
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  const bool taken = std::ranges::any_of(kFunctions, [&](std::string_view begin) { return name.starts_with(begin); });
  if (name.empty() || taken || std::isdigit(static_cast<unsigned char>(name[0])) || name.starts_with("gl_"))
    name = "v_" + name;
  return name.back() == '_' ? "value" : name;
}

std::string array(int64_t count) {
  return count == 1 ? "" : "[" + std::to_string(count) + "]";
}

}  // namespace

Scalar scalar_of(DType dtype) {
  if (dtype == DType::boolean) return Scalar::boolean;
  if (dtype == DType::i64) return Scalar::f32;
  if (!info(dtype).is_float) return Scalar::nothing;
  return dtype == DType::f64 ? Scalar::f64 : Scalar::f32;
}

std::string stretched_index(const Dims& dims, const Dims& to, const std::string& index) {
  if (dims == to || index == "0") return index;
  const int64_t total = element_count(to);
  std::string sum;
  int64_t stride = 1, own = 1;  // of the axis, from the last on
  for (size_t back = 1; back <= dims.size(); ++back) {
    const int64_t size = to[to.size() - back];
    if (dims[dims.size() - back] != 1) {
      std::string at = stride == 1 ? index : index + " / " + std::to_string(stride);
      if (stride * size != total) at += " % " + std::to_string(size);
      if (own != 1) at = (at == index ? at : "(" + at + ")") + " * " + std::to_string(own);
      sum = at + (sum.empty() ? "" : " + " + sum);
      own *= size;
    }
    stride *= size;
  }
  return sum.empty() ? "0" : sum;
}

PointText::PointText(const Program& program, const PointProgram& points, const Bodies& bodies, bool gives_numbers)
    : program_(program), points_(points), library_(bodies), gives_numbers_(gives_numbers) {
  names_.insert(std::begin(kLocals), std::end(kLocals));
  for (const ValueId given : points.given) {
    const Value& v = program[given];
    GivenTensor tensor{given, where_of(program, given), v.dtype, v.dims, words_};
    words_ += (byte_count(v.dtype, element_count(v.dims)) + 3) / 4;
    given_.push_back(std::move(tensor));
  }
  for (const ValueId value : points.inputs) {
    const Port& input = *std::ranges::find(program.inputs, value, &Port::value);
    const int64_t components = count(value);
    const std::string argument = unique(glsl_variable(plain(input.name)));
    inputs_.push_back({input.name, argument, components});
    const Scalar type = scalar_of(program[value].dtype);
    arguments_ += (arguments_.empty() ? "" : ", ") +
                  (components == 1 ? std::string(glsl_type(type)) : glsl_vector(components)) + " " + argument;
    variables_[input.value] = argument;
  }
}

Error PointText::error(ValueId value, const std::string& why) const {
  return {codes::no_shader, where_of(program_, value), why, ""};
}

std::string PointText::unique(const std::string& name) {
  std::string free = name;
  for (int n = 2; !names_.insert(free).second; ++n) free = name + "_" + std::to_string(n);
  return free;
}

Operand PointText::operand(ValueId value) {
  const Value& v = program_[value];
  if (const auto at = variables_.find(value); at != variables_.end())
    return {v.dtype, Dims(v.dims.begin() + 1, v.dims.end()), at->second, 0};
  const auto given = std::ranges::find(given_, value, &GivenTensor::value);
  assert(given != given_.end());
  return {v.dtype, v.dims, "", given->word};
}

std::string PointText::load(DType dtype) {
  loads_.insert(dtype);
  return "load_" + std::string(hw::name(dtype));
}

std::string PointText::element(const Operand& operand, const std::string& index) {
  if (operand.name.empty()) return load(operand.dtype) + "(" + std::to_string(operand.word) + ", " + index + ")";
  return place(operand.name, element_count(operand.dims), index);
}

std::string PointText::element(const Operand& operand, const Dims& to, const std::string& index) {
  Dims dims = operand.dims;
  // A tensor may have an axis of the points, of one.
  while (dims.size() > to.size()) dims.erase(dims.begin());
  return element(operand, stretched_index(dims, to, index));
}

Result<std::string> PointText::call(const std::string& body, Scalar real, const std::vector<std::string>& arguments,
                                    const std::vector<double>& numbers) {
  HW_TRY(const GlslFunction* const function, library_.add(body, real));
  std::string text = function->name + "(";
  for (size_t i = 0; i < function->parameters.size(); ++i) {
    if (i) text += ", ";
    text += i < arguments.size() ? arguments[i] : number(numbers[i - arguments.size()], function->parameters[i]);
  }
  return text + ")";
}

Result<std::string> PointText::stored(DType dtype, const std::string& text, bool saturate) {
  if (scalar_of(dtype) == Scalar::f64) needs_.f64 = true;
  if (saturate && (dtype == DType::f32 || dtype == DType::f64))
    return call("clamp", scalar_of(dtype), {text}, {-info(dtype).max, info(dtype).max});
  if (dtype == DType::f32 || dtype == DType::f64 || scalar_of(dtype) == Scalar::boolean || dtype == DType::i64)
    return text;
  return call("narrow::" + std::string(hw::name(dtype)) + (saturate ? "_saturated" : ""), Scalar::f32, {text});
}

std::string PointText::number(double value, Scalar type) {
  if (!gives_numbers_) return constant_term(value, type).text;
  numbers_.push_back({value, type});
  return "k" + std::to_string(numbers_.size() - 1);
}

std::string PointText::constants(const std::string& name, Scalar type, const std::vector<double>& values) {
  const std::string free = unique(plain(name)), of = std::string(glsl_type(type));
  std::string list;
  for (const double value : values) list += (list.empty() ? "" : ", ") + constant_term(value, type).text;
  const std::string size = "[" + std::to_string(values.size()) + "]";
  constants_ += "const " + of + " " + free + size + " = " + of + "[](" + list + ");\n";
  return free;
}

void PointText::node(uint32_t node) {
  if (node == node_) return;
  node_ = node;
  if (!body_.empty()) body_ += "\n";
  line("// " + program_.nodes[node]);
}

void PointText::line(const std::string& text) {
  if (text.starts_with("}")) --depth_;
  body_ += std::string(2 * depth_, ' ') + text + "\n";
  if (text.ends_with("{")) ++depth_;
}

std::string PointText::declare(const std::string& name, Scalar type, int64_t count, const std::string& initial) {
  const std::string free = unique(glsl_variable(plain(name)));
  line(std::string(glsl_type(type)) + " " + free + array(count) + (initial.empty() ? "" : " = " + initial) + ";");
  return free;
}

void PointText::alias(ValueId value, const Operand& from) {
  variables_[value] = from.name;
  line("// as it is: " + from.name);
}

std::string PointText::declare(ValueId value, std::string_view what) {
  const Value& v = program_[value];
  const std::string node = program_.nodes[node_];
  const std::string name = node.empty() ? std::string(what) : node == what ? node : node + "_" + std::string(what);
  return variables_[value] = declare(name, scalar_of(v.dtype), count(value));
}

Status PointText::fill(ValueId value, std::string_view what, const Make& make, bool saturate) {
  const DType dtype = program_[value].dtype;
  if (scalar_of(dtype) == Scalar::nothing)
    return error(value, "no shader is made of " + std::string(hw::name(dtype)) + " that differs between points.");
  const int64_t elements = count(value);
  HW_TRY(const std::string made, make(elements == 1 ? "0" : "i"));
  HW_TRY(const std::string stored_text, stored(dtype, made, saturate));
  const std::string name = declare(value, what);
  line((elements == 1 ? "" : loop("i", elements)) + place(name, elements, "i") + " = " + stored_text + ";");
  return ok();
}

Result<std::string> PointText::preamble() {
  std::string loads;
  for (const DType dtype : loads_) {
    const std::string named(hw::name(dtype)), head = "load_" + named + "(int word, int i) {\n  ";
    if (dtype == DType::f32) {
      loads += "\nfloat " + head + "return uintBitsToFloat(weights[word + i]);\n}\n";
    } else if (dtype == DType::f64) {
      loads +=
          "\ndouble " + head + "return packDouble2x32(uvec2(weights[word + 2 * i], weights[word + 2 * i + 1]));\n}\n";
    } else {
      const int bits = info(dtype).bits, share = bits == 16 ? 1 : 2;
      const std::string part = "weights[word + (i >> " + std::to_string(share) + ")] >> " + std::to_string(bits) +
                               " * (i & " + std::to_string(32 / bits - 1) + ") & " + (bits == 16 ? "0xFFFFu" : "0xFFu");
      if (dtype == DType::boolean) {
        loads += "\nbool " + head + "return (" + part + ") != 0u;\n}\n";
        continue;
      }
      HW_TRY(const std::string value, call("narrow::" + named + "_value", Scalar::u32, {part}));
      loads += "\nfloat " + head + "return " + value + ";\n}\n";
    }
  }
  return library_.text() + loads + (constants_.empty() ? "" : "\n" + constants_);
}

GlslNeeds PointText::needs() const {
  return {needs_.f64 || library_.needs().f64, library_.needs().i64};
}

}  // namespace hw::shader
