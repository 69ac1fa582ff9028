#include "engine/shader/glsl_words.h"

#include <algorithm>

namespace hw::shader {
namespace {

// Words that a body may have as a variable: kept for GLSL, HLSL or Slang, or functions, which a variable would hide.
constexpr std::string_view kWords[] = {
    "abs",        "acos",      "active",     "all",       "any",       "asdouble",     "asfloat",   "asin",
    "asint",      "asm",       "asuint",     "atan",      "attribute", "buffer",       "cast",      "ceil",
    "centroid",   "clamp",     "class",      "clip",      "coherent",  "common",       "compile",   "cos",
    "cosh",       "cross",     "ddx",        "ddy",       "degrees",   "discard",      "distance",  "dot",
    "dst",        "enum",      "equal",      "exp",       "exp2",      "export",       "extension", "extern",
    "external",   "filter",    "fixed",      "flat",      "floor",     "fma",          "fract",     "frexp",
    "func",       "goto",      "half",       "highp",     "import",    "in",           "inline",    "inout",
    "input",      "interface", "invariant",  "inverse",   "isfinite",  "isinf",        "isnan",     "ldexp",
    "length",     "lerp",      "let",        "line",      "linear",    "log",          "log2",      "long",
    "lowp",       "mad",       "main",       "matrix",    "max",       "mediump",      "min",       "mix",
    "mod",        "modf",      "module",     "mul",       "namespace", "noinline",     "normalize", "not",
    "out",        "output",    "partition",  "pass",      "patch",     "pixelshader",  "point",     "pow",
    "precise",    "precision", "property",   "public",    "radians",   "rcp",          "readonly",  "reflect",
    "refract",    "register",  "resource",   "restrict",  "round",     "row_major",    "rsqrt",     "sample",
    "sampler",    "saturate",  "semantic",   "shared",    "short",     "sign",         "sin",       "sinh",
    "sizeof",     "smooth",    "smoothstep", "sqrt",      "static",    "step",         "string",    "struct",
    "subroutine", "superp",    "tan",        "tanh",      "technique", "texture",      "this",      "throws",
    "transpose",  "triangle",  "trunc",      "typealias", "typedef",   "typename",     "uniform",   "union",
    "unsigned",   "using",     "var",        "varying",   "vector",    "vertexshader", "volatile",  "where",
    "writeonly"};

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
