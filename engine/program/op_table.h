// A table with one entry for each op, such as a device's kernels. It does not compile when an op has no row, or two.
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

/// The first op that has not exactly one row; none: the table is complete.
template <class T>
constexpr std::optional<Op> op_without_one_row(std::span<const OpRow<T>> rows) {
  for (size_t i = 0; i < op_table().size(); ++i) {
    int found = 0;
    for (const OpRow<T>& row : rows) found += row.op == static_cast<Op>(i);
    if (found != 1) return static_cast<Op>(i);
  }
  return std::nullopt;
}

/// Declared alone: the compiler's error names the op.
template <Op op>
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

}  // namespace hw
