// Render passes: attachments, layouts, and the dependencies that order them against Qt's work on the same queue.
#pragma once

#include "app/viewport/gpu_memory.h"

namespace hw::viewport {

/// Position, normal, albedo and depth, all cleared; colours end ready for copying.
Result<UniqueRenderPass> create_gbuffer_pass(const Device& device);
/// The picture; ends ready for sampling by a fragment shader or for copying.
Result<UniqueRenderPass> create_compose_pass(const Device& device);

}  // namespace hw::viewport
