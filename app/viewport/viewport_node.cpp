#include "app/viewport/viewport_node.h"

#include <QSGRendererInterface>
#include <QSGTexture>

#include "engine/core/codes.h"

namespace hw::viewport {

Result<Device> qt_device(QQuickWindow* window) {
  const QSGRendererInterface* rhi = window->rendererInterface();
  if (rhi->graphicsApi() != QSGRendererInterface::Vulkan)
    return Error{codes::window_not_vulkan, "", "The window is not drawn with Vulkan.",
                 "Start without QT_QUICK_BACKEND and with QSG_RHI_BACKEND=vulkan."};
  using R = QSGRendererInterface::Resource;
  const auto* physical = static_cast<VkPhysicalDevice*>(rhi->getResource(window, R::PhysicalDeviceResource));
  const auto* device = static_cast<VkDevice*>(rhi->getResource(window, R::DeviceResource));
  const auto* queue = static_cast<VkQueue*>(rhi->getResource(window, R::CommandQueueResource));
  if (!physical || !device || !queue)
    return Error{codes::window_not_vulkan, "", "Qt gives no access to its Vulkan device.",
                 "Update Qt to 6.4 or later."};
  HW_TRY(const uint32_t family, Device::graphics_family(*physical));
  return Device::from(*physical, *device, *queue, family);
}

ViewportNode::ViewportNode() {
  setOwnsTexture(true);
  setFiltering(QSGTexture::Nearest);
}

void ViewportNode::show(QQuickWindow* window, VkImage image, VkExtent2D size, bool redrawn) {
  const QSize pixels(static_cast<int>(size.width), static_cast<int>(size.height));
  if (image != image_ || !texture() || texture()->textureSize() != pixels) {
    image_ = image;
    setTexture(QNativeInterface::QSGVulkanTexture::fromNative(image, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, window,
                                                              pixels));
  }
  const qreal ratio = window->effectiveDevicePixelRatio();
  setRect(0, 0, pixels.width() / ratio, pixels.height() / ratio);
  if (redrawn) markDirty(QSGNode::DirtyMaterial);  // the texture is the same, its content is not
}

}  // namespace hw::viewport
