// Source: Greg Turk, "The PLY Polygon File Format".
#include "engine/io/mesh/ply_positions.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "engine/io/file/words.h"

namespace hw {
namespace {

struct Property {
  std::string name;
  size_t bytes = 0;  // 0: a list
  bool is_double = false;
};
struct Element {
  std::string name;
  size_t count = 0;
  std::vector<Property> properties;
};
struct Header {
  std::string format;
  std::vector<Element> elements;
};

constexpr std::array<std::string_view, 3> kAxes{"x", "y", "z"};

size_t bytes_of(std::string_view type) {
  struct Type {
    std::string_view name;
    size_t bytes;
  };
  constexpr std::array kTypes{Type{"char", 1},  Type{"int8", 1},    Type{"uchar", 1},  Type{"uint8", 1},
                              Type{"short", 2}, Type{"int16", 2},   Type{"ushort", 2}, Type{"uint16", 2},
                              Type{"int", 4},   Type{"int32", 4},   Type{"uint", 4},   Type{"uint32", 4},
                              Type{"float", 4}, Type{"float32", 4}, Type{"double", 8}, Type{"float64", 8}};
  const auto* found = std::find_if(kTypes.begin(), kTypes.end(), [&](const Type& t) { return t.name == type; });
  return found == kTypes.end() ? 0 : found->bytes;
}

/// `text` is what follows the header then.
std::optional<Header> header_of(std::string_view& text) {
  std::string_view first = next_line(text);
  if (next_word(first) != "ply") return std::nullopt;
  Header header;
  while (!text.empty()) {
    std::string_view rest = next_line(text);
    const std::string_view word = next_word(rest);
    if (word == "end_header") return header;
    if (word == "format") header.format = next_word(rest);
    if (word == "element") {
      const std::string_view name = next_word(rest);
      const auto count = number(next_word(rest));
      if (!count || *count < 0 || *count > 1e10) return std::nullopt;
      header.elements.push_back({std::string(name), static_cast<size_t>(*count), {}});
    }
    if (word != "property") continue;
    const std::string_view type = next_word(rest);
    if (header.elements.empty() || (type != "list" && bytes_of(type) == 0)) return std::nullopt;
    header.elements.back().properties.push_back(
        {std::string(next_word(rest)), bytes_of(type), type == "double" || type == "float64"});
  }
  return std::nullopt;
}

/// The indices of x, y, z among the properties of vertices; none where they have a list, or lack one of the three.
std::optional<std::array<size_t, 3>> axes_of(const Element& vertex) {
  std::array<size_t, 3> axes{};
  for (size_t axis = 0; axis < 3; ++axis) {
    const auto found = std::find_if(vertex.properties.begin(), vertex.properties.end(),
                                    [&](const Property& p) { return p.name == kAxes[axis]; });
    if (found == vertex.properties.end()) return std::nullopt;
    axes[axis] = static_cast<size_t>(found - vertex.properties.begin());
  }
  const auto is_list = [](const Property& p) { return p.bytes == 0; };
  if (std::any_of(vertex.properties.begin(), vertex.properties.end(), is_list)) return std::nullopt;
  // A position is given as parts of the text in their order.
  return axes[0] < axes[1] && axes[1] < axes[2] ? std::optional(axes) : std::nullopt;
}

}  // namespace

bool walk_ply(std::string_view text, const SeePosition& see) {
  const auto header = header_of(text);
  if (!header || header->format != "ascii") return false;
  for (const Element& element : header->elements) {
    const bool is_vertex = element.name == "vertex";
    const auto axes = axes_of(element);
    if (is_vertex && !axes) return false;
    for (size_t i = 0; i < element.count; ++i) {
      std::string_view rest = next_line(text);
      PositionWords words;
      for (size_t k = 0, axis = 0; is_vertex && axis < 3; ++k) {
        const std::string_view word = next_word(rest);
        if (k == (*axes)[axis]) words[axis++] = word;
      }
      if (is_vertex && !see(words)) return false;
    }
    if (is_vertex) return true;
  }
  return false;
}

std::optional<PlyDoubles> ply_doubles(std::string_view bytes) {
  std::string_view rest = bytes;
  const auto header = header_of(rest);
  if (!header || !header->format.starts_with("binary_")) return std::nullopt;
  PlyDoubles out;
  out.big_endian = header->format == "binary_big_endian";
  out.first = bytes.size() - rest.size();
  for (const Element& element : header->elements) {
    size_t stride = 0;
    std::vector<size_t> offsets;
    for (const Property& p : element.properties) {
      if (p.bytes == 0) return std::nullopt;
      offsets.push_back(stride);
      stride += p.bytes;
    }
    if (element.name != "vertex") {
      out.first += element.count * stride;
      continue;
    }
    const auto axes = axes_of(element);
    if (!axes || out.first > bytes.size() || element.count > (bytes.size() - out.first) / stride) return std::nullopt;
    for (size_t axis = 0; axis < 3; ++axis) {
      if (!element.properties[(*axes)[axis]].is_double) return std::nullopt;
      out.at[axis] = offsets[(*axes)[axis]];
    }
    out.count = element.count;
    out.stride = stride;
    return out;
  }
  return std::nullopt;
}

std::array<double, 3> PlyDoubles::read(std::string_view bytes, size_t vertex) const {
  std::array<double, 3> position;
  for (size_t axis = 0; axis < 3; ++axis) {
    std::array<char, 8> raw;
    std::memcpy(raw.data(), bytes.data() + first + vertex * stride + at[axis], raw.size());
    if (big_endian) std::reverse(raw.begin(), raw.end());
    position[axis] = std::bit_cast<double>(raw);
  }
  return position;
}

void PlyDoubles::write(std::string& bytes, size_t vertex, const std::array<double, 3>& position) const {
  for (size_t axis = 0; axis < 3; ++axis) {
    auto raw = std::bit_cast<std::array<char, 8>>(position[axis]);
    if (big_endian) std::reverse(raw.begin(), raw.end());
    std::memcpy(bytes.data() + first + vertex * stride + at[axis], raw.data(), raw.size());
  }
}

}  // namespace hw
