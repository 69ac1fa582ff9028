#include "engine/io/file/json_text.h"

#include <charconv>
#include <cmath>

#include "engine/core/codes.h"

namespace hw {
namespace {

using nlohmann::json;

/// SAX handler that builds the document. Stops at the first error.
class Builder {
 public:
  Builder(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  json take() { return std::move(root_); }
  const Error& error() const { return error_; }

  bool null() { return add(nullptr); }
  bool boolean(bool v) { return add(v); }
  bool number_integer(json::number_integer_t v) { return add(v); }
  bool number_unsigned(json::number_unsigned_t v) { return add(v); }
  bool number_float(json::number_float_t v, const std::string&) { return add(v); }
  bool string(std::string& v) { return add(std::move(v)); }
  bool binary(json::binary_t&) { return false; }  // never in text
  bool key(std::string& k) {
    key_ = k;
    if (stack_.back()->contains(k))
      return fail(path().empty() ? k : path() + "." + k, "this key stands twice in one object.");
    return true;
  }
  bool start_object(size_t) { return open(json::object()); }
  bool start_array(size_t) { return open(json::array()); }
  bool end_object() { return stack_.pop_back(), keys_.pop_back(), true; }
  bool end_array() { return end_object(); }

  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception& e) {
    int line = 1, column = 1;
    for (size_t i = 0; i + 1 < position && i < text_.size(); ++i) {
      if (text_[i] == '\n') {
        ++line, column = 1;
      } else if ((text_[i] & 0xC0) != 0x80) {  // a character, not a byte
        ++column;
      }
    }
    std::string why = e.what();
    if (const size_t close = why.find("] "); close != std::string::npos) why.erase(0, close + 2);
    if (const size_t at = why.find("parse error at "); at == 0) why.erase(0, why.find(": ") + 2);
    if (!text_.empty() && position > text_.size()) why = "the file ends in the middle: " + why;
    error_ = {codes::file_syntax, name_ + ":" + std::to_string(line) + ":" + std::to_string(column), why + ".",
              "Restore the file from a backup or version control, or mend it there in a text editor."};
    return false;
  }

 private:
  bool fail(const std::string& where, const std::string& reason) {
    error_ = {codes::file_syntax, name_ + (where.empty() ? "" : ": " + where), reason, "Mend it in a text editor."};
    return false;
  }
  /// Where the innermost open container is: "nodes[3].params".
  std::string path() const {
    std::string p;
    for (size_t i = 1; i < keys_.size(); ++i) p += keys_[i];
    return p;
  }
  template <class T>
  bool add(T&& v) {
    if (++values_ > kJsonMaxValues) return too_many();
    place(json(std::forward<T>(v)));
    return true;
  }
  json* place(json&& v) {
    if (stack_.empty()) return root_ = std::move(v), &root_;
    json& top = *stack_.back();
    if (top.is_array()) return top.push_back(std::move(v)), &top.back();
    return &(top[key_] = std::move(v));
  }
  bool too_many() {
    return fail(path(), "there are more than " + std::to_string(kJsonMaxValues) + " values in one file.");
  }
  bool open(json&& v) {
    if (++values_ > kJsonMaxValues) return too_many();
    if (stack_.size() >= kJsonMaxDepth)
      return fail(path(), "nested deeper than " + std::to_string(kJsonMaxDepth) + " levels.");
    std::string step;
    if (!stack_.empty())
      step = stack_.back()->is_array() ? "[" + std::to_string(stack_.back()->size()) + "]" : "." + key_;
    if (stack_.size() == 1 && !step.empty() && step[0] == '.') step.erase(0, 1);
    stack_.push_back(place(std::move(v)));
    keys_.push_back(std::move(step));
    return true;
  }

  std::string_view text_;
  const std::string& name_;
  json root_;
  std::vector<json*> stack_;  // children never move while open: only the innermost container grows
  std::vector<std::string> keys_;
  std::string key_;
  size_t values_ = 0;
  Error error_;
};

}  // namespace

Result<json> parse_json(std::string_view text, const std::string& name) {
  Builder builder(text, name);
  if (!json::sax_parse(text.begin(), text.end(), &builder)) return builder.error();
  return builder.take();
}

void append_double(std::string& out, double value) {
  assert(std::isfinite(value));
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  const std::string_view digits(buffer, static_cast<size_t>(end - buffer));
  out += digits;
  if (digits.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void append_quoted(std::string& out, std::string_view text) {
  out += json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

void append_json(std::string& out, const json& value) {
  if (value.is_number_float()) {
    append_double(out, value.get<double>());
  } else if (value.is_object()) {
    out += '{';
    for (auto it = value.begin(); it != value.end(); ++it) {
      if (it != value.begin()) out += ", ";
      append_quoted(out, it.key());
      out += ": ";
      append_json(out, *it);
    }
    out += '}';
  } else if (value.is_array()) {
    out += '[';
    for (size_t i = 0; i < value.size(); ++i) {
      if (i) out += ", ";
      append_json(out, value[i]);
    }
    out += ']';
  } else {
    out += value.dump(-1, ' ', false, json::error_handler_t::replace);
  }
}

std::string_view json_kind(const json& value) {
  switch (value.type()) {
    case json::value_t::null:
      return "null";
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return "a list";
    case json::value_t::string:
      return "text";
    case json::value_t::boolean:
      return "true or false";
    case json::value_t::number_integer:
    case json::value_t::number_unsigned:
      return "a whole number";
    case json::value_t::number_float:
      return "a number";
    default:
      return "something else";
  }
}

}  // namespace hw
