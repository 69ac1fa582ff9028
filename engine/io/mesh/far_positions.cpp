#include "engine/io/mesh/far_positions.h"

#include <algorithm>
#include <functional>

#include "engine/io/file/file_bytes.h"
#include "engine/io/file/words.h"
#include "engine/io/mesh/ply_positions.h"

namespace hw {
namespace {

constexpr uint64_t kMaxBytes = uint64_t{256} << 20;

/// The next three words; `rest` is what follows.
PositionWords three(std::string_view& rest) {
  PositionWords words;
  for (std::string_view& word : words) word = next_word(rest);
  return words;
}

bool walk_obj(std::string_view text, const SeePosition& see) {
  while (!text.empty()) {
    std::string_view rest = next_line(text);
    if (next_word(rest) != "v") continue;
    if (rest.find('\\') != std::string_view::npos || !see(three(rest))) return false;  // a line that goes on
    const std::string_view fourth = next_word(rest);
    if (!fourth.empty() && next_word(rest).empty() && number(fourth) != 1.0) return false;  // a weight
  }
  return true;
}

bool walk_stl(std::string_view text, const SeePosition& see) {
  if (!text.starts_with("solid")) return false;
  while (!text.empty()) {
    std::string_view rest = next_line(text);
    if (next_word(rest) == "vertex" && !see(three(rest))) return false;
  }
  return true;
}

/// The next line that is neither empty nor a comment.
std::string_view next_full_line(std::string_view& text) {
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    std::string_view rest = line;
    const std::string_view word = next_word(rest);
    if (!word.empty() && !word.starts_with('#')) return line;
  }
  return {};
}

bool walk_off(std::string_view text, const SeePosition& see) {
  std::string_view rest = next_full_line(text);
  const std::string_view kind = next_word(rest);
  if (kind != "OFF" && kind != "COFF" && kind != "NOFF") return false;
  if (trimmed(rest).empty()) rest = next_full_line(text);
  const auto count = number(next_word(rest));
  for (double i = 0; count && i < *count; ++i) {
    rest = next_full_line(text);
    if (rest.empty() || !see(three(rest))) return false;
  }
  return count.has_value();
}

using Walk = bool (*)(std::string_view text, const SeePosition& see);

void append_shortest(std::string& out, auto value) {
  char digits[40];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// `text` with each position replaced by what `change` appends for a coordinate and its axis.
std::string rewritten(std::string_view text, Walk walk,
                      const std::function<void(std::string&, double, size_t)>& change) {
  std::string out;
  out.reserve(text.size());
  const char* done = text.data();
  walk(text, [&](const PositionWords& words) {
    for (size_t axis = 0; axis < 3; ++axis) {
      const auto value = number(words[axis]);
      if (!value) return false;
      out.append(done, words[axis].data());
      change(out, *value, axis);
      done = words[axis].data() + words[axis].size();
    }
    return true;
  });
  return out.append(done, text.data() + text.size());
}

std::optional<NearModel> near_text(std::string_view text, Walk walk) {
  SpaceBox box;
  const bool sound = walk(text, [&](const PositionWords& words) {
    Point p{};
    for (size_t axis = 0; axis < 3; ++axis) {
      const auto value = number(words[axis]);
      if (!value) return false;
      p[axis] = *value;
    }
    box.add(p);
    return true;
  });
  const Point origin = origin_to_take(box);
  if (!sound || origin == Point{}) return std::nullopt;
  return NearModel{rewritten(text, walk,
                             [&](std::string& out, double value, size_t axis) {
                               append_shortest(out, static_cast<float>(value - origin[axis]));
                             }),
                   origin};
}

}  // namespace

std::optional<NearModel> bring_near(const std::filesystem::path& file) {
  const std::string ending = ending_of(file);
  const Walk walk = ending == ".obj"   ? walk_obj
                    : ending == ".stl" ? walk_stl
                    : ending == ".off" ? walk_off
                    : ending == ".ply" ? walk_ply
                                       : nullptr;
  if (!walk) return std::nullopt;
  auto bytes = read_file_bytes(file, kMaxBytes);
  if (!bytes) return std::nullopt;
  const auto doubles = ending == ".ply" ? ply_doubles(*bytes) : std::nullopt;
  if (!doubles) return near_text(*bytes, walk);
  SpaceBox box;
  for (size_t i = 0; i < doubles->count; ++i) box.add(doubles->read(*bytes, i));
  const Point origin = origin_to_take(box);
  if (origin == Point{}) return std::nullopt;
  for (size_t i = 0; i < doubles->count; ++i) {
    Point p = doubles->read(*bytes, i);
    for (size_t axis = 0; axis < 3; ++axis) p[axis] -= origin[axis];
    doubles->write(*bytes, i, p);
  }
  return NearModel{std::move(*bytes), origin};
}

std::string put_back(std::string_view obj, const Point& origin) {
  return rewritten(obj, walk_obj, [&](std::string& out, double value, size_t axis) {
    // The shortest decimals of an f32 are meant: 0.8, not 0.800000012.
    std::string near;
    append_shortest(near, static_cast<float>(value));
    append_shortest(out, number(near).value_or(value) + origin[axis]);
  });
}

}  // namespace hw
