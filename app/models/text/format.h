// Numbers as text for the user: a unit, sensible digits, no noise.
#pragma once

#include <QString>

namespace hw::app {

/// "0.00012", "1.2e-7", "65504", "NaN", "−∞": about `digits` significant digits.
QString format_number(double value, int digits = 4);
/// A scale of losses or gradients, exactly where it is a power of two: "1024", "2^27".
QString format_scale(double value);
/// "950", "12.6 k", "3.2 M".
QString format_count(double value);
/// "850 µs", "3.2 ms", "1.4 s".
QString format_ms(double ms);
/// "12 s", "3 min 20 s", "2 h 05 min".
QString format_duration(double seconds);
/// "512 B", "3.4 MiB".
QString format_bytes(double bytes);

}  // namespace hw::app
