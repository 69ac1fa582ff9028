// Metadata of a picture file beside its pixels: how the camera was held, whether there are more frames, what a
// JPEG's components are.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/core/mesh.h"
#include "engine/io/media/image_format.h"

namespace hw {

struct PictureFacts {
  int orientation = 1;  // EXIF: 1 to 8; 1: as stored
  uint32_t frames = 1;  // of an animated PNG
  int components = 0;   // of a JPEG; 0: not said
  int adobe = -1;       // the transform of a JPEG's Adobe marker: 0 none, 1 YCbCr, 2 YCCK; −1: no marker
};
/// Nothing in `bytes` is trusted; what is damaged is passed over. Sources: EXIF 2.32 (CIPA DC-008), TIFF 6.0, PNG
/// (ISO/IEC 15948) with its eXIf and acTL chunks, JPEG (ITU-T T.81), Adobe Technical Note 5116.
PictureFacts picture_facts(std::string_view bytes, ImageFormat format);

/// The picture as EXIF orientation 1 to 8 says it is to be seen: mirrored, turned, or both.
Image upright(Image stored, int orientation);

}  // namespace hw
