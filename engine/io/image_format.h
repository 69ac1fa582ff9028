// What kind of picture some bytes are, and whether they are all there: said by the file's own structure.
#pragma once

#include <string_view>

namespace hw {

/// TGA has no signature: it is `other`.
enum class ImageFormat { png, jpeg, bmp, other };
ImageFormat image_format(std::string_view bytes);
/// "PNG", "JPEG", "BMP", "picture".
std::string_view name(ImageFormat format);
/// Whether the file ends before its own end: a PNG without IEND, a JPEG without EOI, a BMP shorter than it says.
/// Sources: PNG (ISO/IEC 15948) 5.3, JPEG (ITU-T T.81) B.1.1.
bool is_cut_short(std::string_view bytes, ImageFormat format);

}  // namespace hw
