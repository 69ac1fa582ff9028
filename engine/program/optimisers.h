// The rows of optimisers.def as tables.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "engine/program/program.h"

namespace hw {

struct UpdateRow {
  Op op;
  size_t moments;
  bool counts;
  std::array<std::string_view, 2> states;  // `moments` of them
};
inline constexpr UpdateRow kUpdateRows[] = {
#define HW_UPDATE(name, Body, moments, counts, ...) {Op::name##_update, moments, counts, {__VA_ARGS__}},
#include "engine/program/optimisers.def"
};

/// Whether `op` is the update of an optimiser.
constexpr bool is_optimiser_update(Op op) {
  return std::ranges::find(kUpdateRows, op, &UpdateRow::op) != std::ranges::end(kUpdateRows);
}

/// `op` must be one: is_optimiser_update.
constexpr const UpdateRow& update_row(Op op) {
  return *std::ranges::find(kUpdateRows, op, &UpdateRow::op);
}

struct OptimiserRow {
  std::string_view name;
  Op update;
  bool decoupled;
  std::string_view beta1;
};
inline constexpr OptimiserRow kOptimisers[] = {
#define HW_OPTIMISER(name, update, decoupled, beta1) {#name, Op::update##_update, decoupled, beta1},
#include "engine/program/optimisers.def"
};

/// Null: there is no optimiser with this name.
constexpr const OptimiserRow* find_optimiser(std::string_view name) {
  const auto* row = std::ranges::find(kOptimisers, name, &OptimiserRow::name);
  return row == std::ranges::end(kOptimisers) ? nullptr : row;
}

}  // namespace hw
