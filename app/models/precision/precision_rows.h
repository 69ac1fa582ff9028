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
/// "−12.3 %", "+0.4 % ± 0.2 %" of a ratio; "failed" where it is not finite.
QString share_text(double ratio, double noise = 1);

}  // namespace hw::app
