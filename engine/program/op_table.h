// Tables with one entry for each op, such as a device's kernels, or for each elementwise function. They do not compile
// when one has no row, or two.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "engine/program/program.h"

namespace hw {

template <class T>
struct OpRow {
  Op op;
  T entry;
};

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
template <class T>
constexpr std::optional<Op> op_without_one_row(std::span<const OpRow<T>> rows) {
  return without_one_row<Op>(rows, op_table().size(), [](const OpRow<T>& row) { return row.op; });
}

/// Declared alone: the compiler's error names the op, or the function.
template <auto key>
struct NotOneRowFor;

/// The entries of `rows`, an array of OpRow with static storage, by op. An error of the build where an op has none.
template <const auto& rows>
consteval auto complete_table() {
  using T = decltype(rows[0].entry);
  constexpr std::optional<Op> wrong = op_without_one_row(std::span<const OpRow<T>>(rows));
  if constexpr (wrong) (void)sizeof(NotOneRowFor<*wrong>);
  std::array<T, op_table().size()> table{};
  for (const auto& row : rows) table[static_cast<size_t>(row.op)] = row.entry;
  return table;
}

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
