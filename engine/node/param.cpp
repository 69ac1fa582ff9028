// check_param and parse_param: which values a parameter may have, and the errors that report others.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/core/codes.h"
#include "engine/node/declaration.h"

namespace hw {
namespace {

using Type = ParamDecl::Type;

// A bound, as the parameter's values are written.
std::string bound(const ParamDecl& p, double value) {
  return to_string(p.type == Type::integer ? ParamValue(static_cast<int64_t>(value)) : ParamValue(value));
}

// "from 1 to 32", "at least 1", "above 0 and at most 1"; empty when anything goes.
std::string range_text(const ParamDecl& p) {
  const bool inclusive = !p.min_exclusive && !p.max_exclusive;
  if (p.min && p.max && inclusive) return "from " + bound(p, *p.min) + " to " + bound(p, *p.max);
  std::string text;
  if (p.min) text = (p.min_exclusive ? "above " : "at least ") + bound(p, *p.min);
  if (p.max)
    text += (text.empty() ? "" : " and ") + std::string(p.max_exclusive ? "below " : "at most ") + bound(p, *p.max);
  return text;
}

std::string choices_text(const std::vector<std::string>& choices) {
  std::string text;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) text += i + 1 == choices.size() ? " or " : ", ";
    text += choices[i];
  }
  return text;
}

std::string with_range(std::string what, const ParamDecl& p) {
  const std::string range = range_text(p);
  return range.empty() ? what : what + " " + range;
}

std::string expected(const ParamDecl& p) {
  const std::string unit = p.unit.empty() ? "" : " (" + p.unit + ")";
  switch (p.type) {
    case Type::integer:
      return with_range("a whole number", p) + unit;
    case Type::real:
      return with_range("a number", p) + unit;
    case Type::boolean:
      return "true or false";
    case Type::choice:
    case Type::dtype:
      return choices_text(p.choices);
    case Type::path:
      return "a path";
    case Type::text:
      return "text";
    case Type::vector:
      return (p.vector_size > 0 ? std::to_string(p.vector_size) + " " : "") + with_range("numbers", p) + unit;
  }
  return {};
}

Error refuse(const ParamDecl& p, const std::string& got) {
  const std::string shown = got.empty() ? "nothing" : got;
  const std::string means = p.default_means.empty() ? "" : " (" + p.default_means + ")";
  return {codes::bad_parameter, p.id, "must be " + expected(p) + ", got " + shown + ".",
          "The default is " + to_string(p.value) + means + "."};
}

bool in_range(const ParamDecl& p, double value) {
  if (!std::isfinite(value)) return false;
  if (p.min && (p.min_exclusive ? value <= *p.min : value < *p.min)) return false;
  if (p.max && (p.max_exclusive ? value >= *p.max : value > *p.max)) return false;
  return true;
}

// The same, exact: as a double, 2^53 + 1 is 2^53.
bool in_range(const ParamDecl& p, int64_t value) {
  const auto rounded = static_cast<double>(value);
  if (!in_range(p, rounded)) return false;
  if (p.max && rounded == *p.max && value > static_cast<int64_t>(*p.max)) return false;
  return !p.min || rounded != *p.min || value >= static_cast<int64_t>(*p.min);
}

// A whole number (QML and JSON know doubles alone). From 2^53 on a double may stand for another than was meant.
std::optional<int64_t> as_whole(const ParamValue& value) {
  if (const auto* i = std::get_if<int64_t>(&value)) return *i;
  const auto* r = std::get_if<double>(&value);
  if (!r || !(std::abs(*r) < 0x1p53) || std::trunc(*r) != *r) return std::nullopt;
  return static_cast<int64_t>(*r);
}

std::optional<double> as_real(const ParamValue& value) {
  if (const auto* i = std::get_if<int64_t>(&value)) return static_cast<double>(*i);
  if (const auto* r = std::get_if<double>(&value)) return *r;
  return std::nullopt;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// The whole of `text` as a T, or nothing. Takes "nan" and "inf" for reals: check_param refuses them by name.
template <class T>
std::optional<T> parse_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "[0, 1, 2]", "0,1,2" or "0 1 2".
std::optional<std::vector<double>> parse_vector(std::string_view text) {
  if (text.starts_with('[') != text.ends_with(']')) return std::nullopt;
  if (text.starts_with('[')) text = trim(text.substr(1, text.size() - 2));
  std::vector<double> values;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(", \t"), text.size());
    const auto value = parse_number<double>(text.substr(0, end));
    if (!value) return std::nullopt;
    values.push_back(*value);
    const std::string_view rest = trim(text.substr(end));
    text = rest.starts_with(',') ? trim(rest.substr(1)) : rest;
    if (text.empty() && !rest.empty()) return std::nullopt;  // a comma at the end
  }
  return values;
}

}  // namespace

Result<ParamValue> check_param(const ParamDecl& param, const ParamValue& value) {
  const Error bad = refuse(param, to_string(value));
  switch (param.type) {
    case Type::integer: {
      const auto whole = as_whole(value);
      if (!whole || !in_range(param, *whole)) return bad;
      return ParamValue(*whole);
    }
    case Type::real: {
      const auto real = as_real(value);
      if (!real || !in_range(param, *real)) return bad;
      return ParamValue(*real);
    }
    case Type::boolean:
      if (!std::holds_alternative<bool>(value)) return bad;
      return value;
    case Type::choice:
    case Type::dtype: {
      const auto* text = std::get_if<std::string>(&value);
      if (!text || std::ranges::find(param.choices, *text) == param.choices.end()) return bad;
      return value;
    }
    case Type::path:
    case Type::text:
      if (!std::holds_alternative<std::string>(value)) return bad;
      return value;
    case Type::vector: {
      const auto* list = std::get_if<std::vector<double>>(&value);
      if (!list || (param.vector_size > 0 && list->size() != static_cast<size_t>(param.vector_size))) return bad;
      if (!std::ranges::all_of(*list, [&](double x) { return in_range(param, x); })) return bad;
      return value;
    }
  }
  return bad;
}

Result<ParamValue> parse_param(const ParamDecl& param, std::string_view text) {
  const std::string_view trimmed = trim(text);
  const Error bad = refuse(param, std::string(trimmed));
  switch (param.type) {
    case Type::integer:
      if (const auto whole = parse_number<int64_t>(trimmed)) return check_param(param, *whole);
      if (const auto real = parse_number<double>(trimmed); real && as_whole(*real)) return check_param(param, *real);
      return bad;
    case Type::real:
      if (const auto real = parse_number<double>(trimmed)) return check_param(param, *real);
      return bad;
    case Type::boolean:
      if (trimmed == "true" || trimmed == "on" || trimmed == "yes" || trimmed == "1") return ParamValue(true);
      if (trimmed == "false" || trimmed == "off" || trimmed == "no" || trimmed == "0") return ParamValue(false);
      return bad;
    case Type::vector:
      if (auto list = parse_vector(trimmed)) return check_param(param, std::move(*list));
      return bad;
    case Type::choice:
    case Type::dtype:
      return check_param(param, std::string(trimmed));
    case Type::path:
    case Type::text:
      return check_param(param, std::string(text));
  }
  return bad;
}

}  // namespace hw
