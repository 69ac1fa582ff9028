#include "engine/shader/glsl_words.h"

#include <algorithm>

namespace hw::shader {
namespace {

// Words that a body may have as a variable: kept for the language, or functions, which a variable would hide.
constexpr std::string_view kWords[] = {
    "abs",       "acos",      "active",   "all",        "any",      "asin",      "asm",      "atan",     "attribute",
    "buffer",    "cast",      "ceil",     "centroid",   "clamp",    "class",     "coherent", "common",   "cos",
    "cosh",      "cross",     "degrees",  "discard",    "distance", "dot",       "enum",     "equal",    "exp",
    "exp2",      "extern",    "external", "filter",     "fixed",    "flat",      "floor",    "fma",      "fract",
    "frexp",     "goto",      "half",     "highp",      "in",       "inline",    "inout",    "input",    "interface",
    "invariant", "inverse",   "isinf",    "isnan",      "ldexp",    "length",    "log",      "log2",     "long",
    "lowp",      "main",      "max",      "mediump",    "min",      "mix",       "mod",      "modf",     "namespace",
    "noinline",  "normalize", "not",      "out",        "output",   "partition", "patch",    "pow",      "precise",
    "precision", "public",    "radians",  "readonly",   "reflect",  "refract",   "resource", "restrict", "round",
    "sample",    "shared",    "short",    "sign",       "sin",      "sinh",      "sizeof",   "smooth",   "smoothstep",
    "sqrt",      "static",    "step",     "subroutine", "superp",   "tan",       "tanh",     "texture",  "transpose",
    "trunc",     "typedef",   "uniform",  "union",      "unsigned", "using",     "varying",  "volatile", "writeonly"};

constexpr Scalar f32 = Scalar::f32, f64 = Scalar::f64, u32 = Scalar::u32, u64 = Scalar::u64;

// Division and sqrt are here and not exact by Vulkan's word: a device says more with its conformance to IEEE 754.
constexpr GlslBuiltin kBuiltins[] = {
    {"floor", f32, 1, f32, "floor"},
    {"floor", f64, 1, f64, "floor"},
    {"floorf", f32, 1, f32, "floor"},
    {"rint", f64, 1, f64, "roundEven"},
    {"rintf", f32, 1, f32, "roundEven"},
    {"sqrt", f64, 1, f64, "sqrt"},
    {"sqrtf", f32, 1, f32, "sqrt"},
    {"math::bits_of", f32, 1, u32, "floatBitsToUint"},
    {"math::bits_of", f64, 1, u64, "doubleBitsToUint64"},
    {"math::float_of", u32, 1, f32, "uintBitsToFloat"},
    {"math::double_of", u64, 1, f64, "uint64BitsToDouble"},
};

}  // namespace

std::string glsl_variable(const std::string& name) {
  return std::ranges::binary_search(kWords, name) ? name + "_" : name;
}

const GlslBuiltin* glsl_builtin(std::string_view name, Scalar argument) {
  for (const GlslBuiltin& row : kBuiltins)
    if (row.name == name && row.argument == argument) return &row;
  return nullptr;
}

}  // namespace hw::shader
