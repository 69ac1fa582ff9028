// How far apart nodes are put that an edit adds.
#pragma once

namespace hw {

/// From card to card, in canvas units.
inline constexpr double kColumn = 296, kRow = 160;

}  // namespace hw
