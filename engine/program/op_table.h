// Tables with one entry for each elementwise function. They do not compile when one has no row, or two.
#pragma once

#include <array>
#include <optional>
#include <type_traits>

namespace hw {

/// The first of the keys 0 to `count` − 1 that has not exactly one row; none: the table is complete. `key_of`: of a
/// row.
template <class Key, class Rows, class KeyOf>
constexpr std::optional<Key> without_one_row(const Rows& rows, size_t count, KeyOf key_of) {
  for (size_t i = 0; i < count; ++i) {
    int found = 0;
    for (const auto& row : rows) found += key_of(row) == static_cast<Key>(i);
    if (found != 1) return static_cast<Key>(i);
  }
  return std::nullopt;
}

/// Declared alone: the compiler's error names the function.
template <auto key>
struct NotOneRowFor;

/// `rows`, each with a function `fn`, by it. An error of the build where one of the `count` functions has none.
template <const auto& rows, size_t count>
consteval auto complete_functions() {
  using Row = std::remove_cvref_t<decltype(rows[0])>;
  using Fn = decltype(Row::fn);
  constexpr std::optional<Fn> wrong = without_one_row<Fn>(rows, count, [](const Row& row) { return row.fn; });
  if constexpr (wrong) (void)sizeof(NotOneRowFor<*wrong>);
  std::array<Row, count> table{};
  for (const Row& row : rows) table[static_cast<size_t>(row.fn)] = row;
  return table;
}

}  // namespace hw
