// Where the positions of a .ply stand: words of its text, or doubles among its bytes.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace hw {

/// The words of one position, parts of a file's text.
using PositionWords = std::array<std::string_view, 3>;
/// Called with each position in the order of the file. False: stop, it is no position.
using SeePosition = std::function<bool(const PositionWords&)>;

/// Every position of a .ply in text. False: it is none, or its vertices hold lists.
bool walk_ply(std::string_view text, const SeePosition& see);

/// The positions of a binary .ply.
struct PlyDoubles {
  size_t count = 0, first = 0, stride = 0;  // vertices; the first one's byte; bytes from one to the next
  std::array<size_t, 3> at{};               // of x, y, z within a vertex
  bool big_endian = false;

  std::array<double, 3> read(std::string_view bytes, size_t vertex) const;
  void write(std::string& bytes, size_t vertex, const std::array<double, 3>& position) const;
};
/// None where they are no doubles, where lists come before them, or where the file is cut short.
std::optional<PlyDoubles> ply_doubles(std::string_view bytes);

}  // namespace hw
