#include "engine/shader/hlsl_text.h"

#include <algorithm>
#include <cctype>

namespace hw::shader {
namespace {

struct Word {
  std::string_view glsl, hlsl, slang = hlsl;
};
constexpr Word kTranslations[] = {{"vec2", "float2"},
                                  {"vec3", "float3"},
                                  {"vec4", "float4"},
                                  {"uvec2", "uint2"},
                                  {"uintBitsToFloat", "asfloat"},
                                  {"floatBitsToUint", "asuint"},
                                  {"packDouble2x32", "double_of"},
                                  {"doubleBitsToUint64", "bits_of_double"},
                                  {"uint64BitsToDouble", "double_of_bits"},
                                  {"roundEven", "round", "rint"},  // round of Slang is any of both at a half
                                  {"fma", "mad", "fma"}};          // fma of HLSL is of doubles alone

// What HLSL lacks.
constexpr std::string_view kDoubles =
    "double double_of(uint2 words) {\n"
    "  return asdouble(words.x, words.y);\n"
    "}\n";
constexpr std::string_view kDoubleBits =
    "\n"
    "uint64_t bits_of_double(double x) {\n"
    "  uint low, high;\n"
    "  asuint(x, low, high);\n"
    "  return (uint64_t(high) << 32) | uint64_t(low);\n"
    "}\n"
    "\n"
    "double double_of_bits(uint64_t bits) {\n"
    "  return asdouble(uint(bits & 0xFFFFFFFFull), uint(bits >> 32));\n"
    "}\n";

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// "1.5lf" → "1.5L", "3ul" → "3ull", "3l" → "3ll".
std::string literal(std::string_view text) {
  if (text.starts_with("0x") && !text.ends_with('l')) return std::string(text);
  if (text.ends_with("lf")) return std::string(text.substr(0, text.size() - 2)) + "L";
  return std::string(text) + (text.ends_with('l') ? "l" : "");
}

class Translator {
 public:
  Translator(std::string_view glsl, HlslDialect dialect) : glsl_(glsl), dialect_(dialect) {}

  std::string run() {
    while (at_ < glsl_.size()) step();
    std::string head;
    if (glsl_.find("packDouble2x32") != std::string_view::npos) head += kDoubles;
    if (glsl_.find("BitsToUint64") != std::string_view::npos || glsl_.find("uint64BitsTo") != std::string_view::npos)
      head += kDoubleBits;
    return head + out_;
  }

 private:
  bool begins(std::string_view text) const { return glsl_.substr(at_).starts_with(text); }

  void step() {
    const bool line_begins = at_ == 0 || glsl_[at_ - 1] == '\n';
    if (begins("//")) {
      take_to(glsl_.find('\n', at_));
    } else if (line_begins && begins("const ")) {
      out_ += "static ";
      take_to(at_ + 6);
    } else if (std::isdigit(static_cast<unsigned char>(glsl_[at_]))) {
      number();
    } else if (is_word(glsl_[at_])) {
      word();
    } else {
      out_ += glsl_[at_++];
    }
  }

  void take_to(size_t end) {
    end = std::min(end, glsl_.size());
    out_ += glsl_.substr(at_, end - at_);
    at_ = end;
  }

  void number() {
    size_t end = at_;
    // "1e-5" is one.
    while (end < glsl_.size() && (is_word(glsl_[end]) || glsl_[end] == '.' ||
                                  ((glsl_[end] == '-' || glsl_[end] == '+') && glsl_[end - 1] == 'e' &&
                                   !glsl_.substr(at_).starts_with("0x"))))
      ++end;
    out_ += literal(glsl_.substr(at_, end - at_));
    at_ = end;
  }

  void word() {
    size_t end = at_;
    while (end < glsl_.size() && is_word(glsl_[end])) ++end;
    const std::string_view found = glsl_.substr(at_, end - at_);
    at_ = end;
    if (begins("[](")) {  // float[](a, b) → {a, b}
      at_ += 3;
      out_ += '{';
      list();
      return;
    }
    if (dialect_ == HlslDialect::hlsl && found == "float" && begins("[") && array_parameter()) return;
    for (const Word& word : kTranslations) {
      if (word.glsl != found) continue;
      out_ += dialect_ == HlslDialect::slang ? word.slang : word.hlsl;
      return;
    }
    out_ += found;
  }

  // "float[5] x" → "float x[5]". Not the type of what a function returns.
  bool array_parameter() {
    const size_t close = glsl_.find("] ", at_), begin = close + 2;
    if (close == std::string_view::npos) return false;
    size_t end = begin;
    while (end < glsl_.size() && is_word(glsl_[end])) ++end;
    if (end == begin || glsl_.substr(end).starts_with("(")) return false;
    out_ += "float " + std::string(glsl_.substr(begin, end - begin));
    take_to(close + 1);
    at_ = end;
    return true;
  }

  // To the ")" of an array's values.
  void list() {
    for (int open = 1; at_ < glsl_.size();) {
      open += glsl_[at_] == '(' ? 1 : glsl_[at_] == ')' ? -1 : 0;
      if (open > 0) {
        step();
        continue;
      }
      out_ += '}';
      ++at_;
      return;
    }
  }

  std::string_view glsl_;
  HlslDialect dialect_;
  size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string hlsl_text(std::string_view glsl, HlslDialect dialect) {
  return Translator(glsl, dialect).run();
}

}  // namespace hw::shader
