// Whether all of a picture's file is there and sound. stb reads what is missing or damaged as pixels: it checks no
// checksum, and where a file ends it goes on with zeros or with what is in memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hw {

struct PictureCheck {
  std::string fault;                  // "is cut short: …", "is damaged: …", "…, which is not read"; empty: none
  std::vector<std::string> warnings;  // what is damaged and not needed for the pixels, one sentence each
};

/// Checksums of chunks, the compressed pixels with theirs, colours that the palette lacks. What is damaged of a chunk
/// that no pixel needs is a warning. Source: PNG (ISO/IEC 15948).
PictureCheck check_png(std::string_view bytes);
/// All scans by libjpeg, which says where blocks and restart markers are missing or wrong. Not that a file ends right
/// behind its pixels, or says less of them than it could: warnings.
PictureCheck check_jpeg(std::string_view bytes);
/// Headers, colour table and pixels, of the kinds that stb reads. Source: Microsoft, BITMAPINFOHEADER.
PictureCheck check_bmp(std::string_view bytes);
/// The same. Source: Truevision TGA 2.0.
PictureCheck check_tga(std::string_view bytes);

}  // namespace hw
