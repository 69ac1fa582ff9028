// Conversion of parameter values to and from QML.
#pragma once

#include <QVariant>

#include "engine/node/declaration.h"

namespace hw::app {

QVariant to_qml(const ParamValue& value);
/// In the parameter's own kind; clamped to its range. Nothing when QML gave something that cannot be a value.
std::optional<ParamValue> from_qml(const ParamDecl& param, const QVariant& value);
/// `value` moved by `steps` drag steps, within the range: even steps, or ratios when the parameter is logarithmic. When
/// it `snaps`, to round values: of logarithmic ones powers of two (whole) or 1, 2, 5, 10, .. ; else ten steps apart.
double scrub(const ParamDecl& param, double value, double steps, bool snaps = false);
/// The next value up (1) or down (−1): whole numbers by one, others by one drag step.
double nudge(const ParamDecl& param, double value, int direction);

}  // namespace hw::app
