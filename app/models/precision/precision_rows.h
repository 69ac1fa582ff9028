// A comparison of precisions as rows of a table, in words.
#pragma once

#include <QVariantList>

#include "engine/precision/precision_planner.h"

namespace hw::app {

/// {title, base, changed, change} a row: loss, time, memory, error.
QVariantList precision_rows(const WhatIfReport& report);
QVariantList precision_rows(const PrecisionProposal& proposal, PrecisionBudget::Kind kind);
/// {what, cost, time, verdict} of each config.
QVariantList precision_trials(const PrecisionProposal& proposal, PrecisionBudget::Kind kind);

}  // namespace hw::app
