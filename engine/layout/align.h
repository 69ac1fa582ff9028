// Boxes in line, boxes at equal distances, and room for one that is put between others.
#pragma once

#include "engine/layout/layout.h"

namespace hw::layout {

enum class Line : uint8_t { left, right, top, bottom, middle_x, middle_y };

/// Moved along one axis so that these lie in one line: that of the outermost, or the middle between the two outermost.
std::vector<Place> aligned(const std::vector<Box>& boxes, std::vector<Place> places, Line line);

/// Equal gaps along an axis between the two outermost, in the order they have. Where there is too little room, gaps
/// become `least`, from the first on.
std::vector<Place> distributed(const std::vector<Box>& boxes, std::vector<Place> places, bool along_x, int least);

/// Room for `placed`, put into a wire: clear of what it reads, and everything it leads to that lies right of its left
/// edge shifted right together by what is needed for a gap of `gap`, and so is what they would come too near to.
/// Multiples of `grid`.
std::vector<Place> with_room(const std::vector<Box>& boxes, const std::vector<Wire>& wires, std::vector<Place> places,
                             int placed, int gap, int grid);

}  // namespace hw::layout
