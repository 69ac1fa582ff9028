// Which pushes in a row become one undo step: see Document::push.
#pragma once

namespace hw::app {

enum Merge : int { merge_move = 1, merge_nudge, merge_param, merge_resize };

}  // namespace hw::app
