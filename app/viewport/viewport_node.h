// Where the viewport's Vulkan meets Qt Quick's scene graph. Render thread.
#pragma once

#include <QQuickWindow>
#include <QSGSimpleTextureNode>

#include "app/viewport/device.h"

namespace hw::viewport {

/// Qt's own device for a window whose scene graph is ready. HW-V013 when Qt Quick does not draw with Vulkan.
Result<Device> qt_device(QQuickWindow* window);

/// Shows a VkImage that stays the renderer's own; one texel is one device pixel.
class ViewportNode : public QSGSimpleTextureNode {
 public:
  ViewportNode();
  void show(QQuickWindow* window, VkImage image, VkExtent2D size, bool redrawn);

 private:
  VkImage image_ = VK_NULL_HANDLE;
};

}  // namespace hw::viewport
