#include "tests/fuzz/fuzz_files.h"

#include <array>
#include <vector>

#include "engine/node/node_type.h"

namespace hw::fuzz {
namespace {

template <size_t N>
std::string pick(Choices& c, const std::array<const char*, N>& from) {
  return from[c.below(N)];
}

std::string id(Choices& c) {
  return pick(c, std::array{"a", "b", "c", "mlp", "x_1", "loss", "a"});
}

std::string type(Choices& c) {
  const auto& known = Registry::instance().all();
  if (!known.empty() && !c.one_in(4))
    return std::next(known.begin(), static_cast<int64_t>(c.below(known.size())))->first;
  return c.one_in(30) ? "" : pick(c, std::array{"unknown", "from_the_future", "../../x", "Linear"});
}

std::string number(Choices& c) {
  if (c.one_in(60)) return pick(c, std::array{"1e999", "NaN", "007", "+1", "0x10", "1."});
  if (c.one_in(2)) return std::to_string(static_cast<int64_t>(c.below(300)) - 20);
  return pick(
      c, std::array{"1e308", "-1e308", "1e-320", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
                    "18446744073709551616", "-0.0", "0.1", "4294967296", "2147483648", "1e18", "65504.0"});
}

std::string text(Choices& c) {
  if (c.one_in(60)) {
    return pick(c, std::array{"\"\\ud800\"", "\"\xc3\x28\"", "\"\xff\xfe\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"",
                              "\"\\x\"", "\"a\nb\"", "\"unterminated"});
  }
  if (c.one_in(3)) return "\"" + id(c) + "\"";
  return pick(c, std::array{"\"\"", "\"\\u0000\"", "\"\\ud83d\\ude00\"", "\"ünï\"", "\"asset:../../etc/passwd\"",
                            "\"relu\"", "\"f16\"", "\"same\""});
}

std::string value(Choices& c, int depth) {
  switch (c.below(depth > 0 ? 7 : 4)) {
    case 0:
    case 1:
      return number(c);
    case 2:
      return text(c);
    case 3:
      if (c.one_in(60)) return pick(c, std::array{"tru", "", "'a'"});
      return pick(c, std::array{"true", "false", "null", "{}", "[]"});
    case 4: {
      std::string list = "[";
      for (uint64_t n = c.below(5), i = 0; i < n; ++i) list += (i ? ", " : "") + value(c, depth - 1);
      return list + "]";
    }
    case 5: {
      std::string object = "{";
      for (uint64_t n = c.below(4), i = 0; i < n; ++i)
        object += (i ? ", \"" : "\"") + id(c) + std::to_string(c.one_in(80) ? 0 : i) + "\": " + value(c, depth - 1);
      return object + "}";
    }
    default: {
      const size_t levels = c.one_in(60) ? 20000 : c.below(c.one_in(20) ? 200 : 50);
      const bool closed = !c.one_in(60);
      return std::string(levels, '[') + (closed ? std::string(levels, ']') : "");
    }
  }
}

/// A parameter of the type, or any name; mostly a number or text.
std::string params(Choices& c, const std::string& type) {
  const NodeType* known = Registry::instance().find(type);
  std::string out = "{";
  for (uint64_t n = c.below(4), i = 0; i < n; ++i) {
    std::string name = id(c) + std::to_string(i);
    if (known && !known->decl.params().empty() && !c.one_in(4))
      name = known->decl.params()[c.below(known->decl.params().size())].id;
    out += (i ? ", \"" : "\"") + name + "\": " + (c.one_in(30) ? value(c, 2) : c.one_in(3) ? text(c) : number(c));
  }
  return out + "}";
}

/// Mostly one that a graph may have.
std::string place(Choices& c) {
  return c.one_in(20) ? number(c) : std::to_string(static_cast<int64_t>(c.below(4000)) - 2000);
}

std::string node(Choices& c, const std::string& name) {
  const std::string what = type(c);
  std::string out = "{\"id\": \"" + (c.one_in(80) ? "Bad Id" : name) + "\", \"type\": \"" + what + "\"";
  if (!c.one_in(3)) out += ", \"params\": " + params(c, what);
  if (c.one_in(3)) out += ", \"at\": [" + place(c) + ", " + place(c) + "]";
  if (c.one_in(6)) out += ", \"label\": " + text(c);
  if (c.one_in(6)) out += ", \"bypassed\": " + pick(c, std::array{"true", "false"});
  if (c.one_in(4)) out += ", \"later\": " + value(c, 3);
  return out + "}";
}

std::string socket(Choices& c, const std::vector<std::string>& names) {
  const std::string at = names.empty() || c.one_in(20) ? "nobody" : names[c.below(names.size())];
  return at + "." + pick(c, std::array{"x", "y", "y", "x", "loss", "features", "a", "b", "mesh", "position", "a.b"});
}

std::string little_endian(uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

struct Dtype {
  const char* name;
  uint64_t size;
};

}  // namespace

Choices::Choices(std::string_view bytes) : bytes_(bytes), state_(1) {
  for (const char b : bytes) state_ = (state_ ^ static_cast<unsigned char>(b)) * 0x100000001b3;  // FNV
}

uint64_t Choices::below(uint64_t n) {
  if (!bytes_.empty()) {
    uint64_t value = 0;
    for (uint64_t reach = n - 1; reach > 0 && !bytes_.empty(); reach >>= 8) {
      value = value << 8 | static_cast<unsigned char>(bytes_[0]);
      bytes_.remove_prefix(1);
    }
    return value % n;
  }
  state_ += 0x9E3779B97F4A7C15;  // SplitMix64
  uint64_t z = state_;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return (z ^ z >> 31) % n;
}

void damage(Choices& c, std::string& bytes) {
  if (bytes.empty()) return;
  const size_t at = c.below(bytes.size()), span = 1 + c.below(40);
  switch (c.below(4)) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << c.below(8)));
      break;
    case 1:
      bytes.erase(at, span);
      break;
    case 2:
      bytes.insert(at, bytes.substr(at, span));
      break;
    default:
      bytes.resize(at);
  }
}

std::string make_graph(Choices& c) {
  std::string out = "{\n  \"halfwire\": " + (c.one_in(20) ? number(c) : "1") + ",\n  \"nodes\": [";
  std::vector<std::string> names;
  for (uint64_t n = c.below(12), i = 0; i < n; ++i) {
    std::string name = id(c) + (c.one_in(80) ? "" : std::to_string(i));
    out += (i ? ",\n    " : "\n    ") + (c.one_in(80) ? value(c, 2) : node(c, name));
    names.push_back(std::move(name));
  }
  out += "],\n  \"links\": [";
  for (uint64_t n = c.below(14), i = 0; i < n; ++i) {
    out += (i ? ",\n    " : "\n    ");
    out += c.one_in(60) ? value(c, 2) : "[\"" + socket(c, names) + "\", \"" + socket(c, names) + "\"]";
  }
  out += "]";
  if (c.one_in(3)) out += ",\n  \"frames\": [{\"id\": \"f\", \"title\": " + text(c) + ", \"size\": [1, 2]}]";
  if (c.one_in(3)) out += ",\n  \"subgraphs\": " + value(c, 4);
  if (c.one_in(3)) out += ",\n  \"later\": " + value(c, 4);
  out += "\n}\n";
  if (c.one_in(4)) damage(c, out);
  return out;
}

std::string make_weights(Choices& c) {
  constexpr std::array<Dtype, 8> dtypes{
      {{"F32", 4}, {"F64", 8}, {"F16", 2}, {"BF16", 2}, {"F8_E4M3", 1}, {"I64", 8}, {"BOOL", 1}, {"C64", 8}}};
  std::string header = "{";
  uint64_t at = 0;
  for (uint64_t n = c.below(6), i = 0; i < n; ++i) {
    const Dtype& dtype = dtypes[c.below(c.one_in(20) ? 8 : 7)];
    uint64_t bytes = dtype.size;
    std::string shape;
    for (uint64_t rank = c.below(4), d = 0; d < rank; ++d) {
      const uint64_t size = c.below(5);
      bytes *= size;
      shape += (d ? ", " : "") + (c.one_in(30) ? number(c) : std::to_string(size));
    }
    std::string begin = std::to_string(at), end = std::to_string(at + bytes);
    if (c.one_in(30)) begin = number(c);
    if (c.one_in(30)) end = number(c);
    at += bytes;
    const std::string name = "t" + std::to_string(c.one_in(40) ? 0 : i);
    header += (i ? ", \"" : "\"") + name + "\": ";
    header += c.one_in(60) ? value(c, 3)
                           : "{\"dtype\": \"" + std::string(dtype.name) + "\", \"shape\": [" + shape +
                                 "], \"data_offsets\": [" + begin + ", " + end + "]}";
  }
  if (c.one_in(4)) header += std::string(at ? ", " : "") + "\"__metadata__\": {\"k\": " + text(c) + "}";
  header += "}";
  if (c.one_in(10)) damage(c, header);
  uint64_t length = header.size();
  if (c.one_in(20)) length = std::array<uint64_t, 5>{0, ~0ull, 1ull << 62, 100'000'001, length + 1}[c.below(5)];
  std::string data(static_cast<size_t>(at), '\0');
  for (char& b : data) b = static_cast<char>(c.below(256));
  std::string file = little_endian(length) + header + data;
  if (c.one_in(10)) damage(c, file);
  return file;
}

}  // namespace hw::fuzz
