// Pictures of which something is missing or damaged: each is refused, or said where no pixel depends on it.
#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "engine/io/media/image_bytes.h"
#include "tests/engine/io_temp.h"
#include "tests/engine/png_files.h"

namespace hw::picture_check_test {
namespace {

using test::big_endian;
using test::png_chunk;
using test::png_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<Image> decode(const std::string& bytes) {
  return decode_image(bytes, "p", Turned::upright, uint64_t{1} << 33);
}

/// Why it is not read; "" where it is.
std::string reason(const std::string& bytes) {
  const auto image = decode(bytes);
  if (!image) {
    EXPECT_EQ(image.error().code, codes::asset_unreadable);
  }
  return image ? "" : image.error().reason;
}

std::vector<int> reds(const Image& image) {
  std::vector<int> all;
  for (size_t i = 0; i < image.rgba.size(); i += 4) all.push_back(image.rgba[i]);
  return all;
}

std::string little(size_t value, int bytes) {
  const std::string big = big_endian(value, bytes);
  return {big.rbegin(), big.rend()};
}

/// All that a file can be cut to are refused; `enough` bytes are not.
void expect_cuts(const std::string& whole, size_t enough) {
  EXPECT_EQ(reason(whole.substr(0, enough)), "");
  for (size_t n = 1; n < enough; ++n) EXPECT_NE(reason(whole.substr(0, n)), "") << n;
  EXPECT_THAT(reason(whole.substr(0, enough - 1)), HasSubstr("cut short"));
}

struct Bmp {
  int width = 3, height = 2;  // negative: the first row is at the top
  int depth = 24;
  std::string palette = {};  // 4 bytes a colour
  size_t colours = 0;        // as it says
  std::string gap = {};      // before the pixels
  std::string rows = {};     // padded to 4 bytes each
};
std::string bmp_of(const Bmp& b) {
  const size_t begin = 54 + b.palette.size() + b.gap.size();
  return "BM" + little(begin + b.rows.size(), 4) + little(0, 4) + little(begin, 4) + little(40, 4) +
         little(static_cast<uint32_t>(b.width), 4) + little(static_cast<uint32_t>(b.height), 4) + little(1, 2) +
         little(static_cast<size_t>(b.depth), 2) + little(0, 16) + little(b.colours, 4) + little(0, 4) + b.palette +
         b.gap + b.rows;
}
/// 3 pixels of 24 bits whose red is given.
std::string row_of(int a, int b, int c) {
  std::string row;
  for (const int red : {a, b, c}) row += std::string(2, '\x7f') + static_cast<char>(red);
  return row + std::string(3, '\0');
}

TEST(DamagedPictures, ABmpHasAllItsPixels) {
  const std::string whole = bmp_of({.rows = row_of(3, 4, 5) + row_of(0, 1, 2)});
  const auto image = decode(whole);
  ASSERT_TRUE(image) << image.error().text();
  EXPECT_THAT(reds(*image), ElementsAre(0, 1, 2, 3, 4, 5));
  expect_cuts(whole, whole.size() - 3) /* the padding behind the last row */;
  const auto from_top = decode(bmp_of({.height = -2, .rows = row_of(0, 1, 2) + row_of(3, 4, 5)}));
  ASSERT_TRUE(from_top) << from_top.error().text();
  EXPECT_EQ(reds(*from_top), reds(*image));
  EXPECT_THAT(reason(bmp_of({.gap = "gap!", .rows = row_of(3, 4, 5) + row_of(0, 1, 2)})), HasSubstr("lies between"));
}

TEST(DamagedPictures, ABmpHasTheColoursThatItsPixelsName) {
  const std::string palette("\0\0\x0a\0\0\0\x14\0\0\0\x1e\0", 12);
  for (const int depth : {4, 8}) {
    const auto rows = [&](int last) {
      if (depth == 4) return std::string("\x01") + static_cast<char>(last << 4) + std::string(2, '\0');
      return std::string("\0\x01", 2) + static_cast<char>(last) + std::string(1, '\0');
    };
    const auto file = [&](int last, size_t colours) {
      return bmp_of({.height = 1, .depth = depth, .palette = palette, .colours = colours, .rows = rows(last)});
    };
    EXPECT_THAT(reds(*decode(file(2, 3))), ElementsAre(10, 20, 30)) << depth;
    EXPECT_EQ(reason(file(2, 0)), "") << "all that fit before the pixels";
    EXPECT_THAT(reason(file(3, 3)), HasSubstr("names colour 3, and its colour table has 3")) << depth;
    EXPECT_THAT(reason(file(2, 2)), HasSubstr("names colour 2")) << depth;
  }
  // OS/2's headers: 12 bytes, colours of 3.
  const std::string os2 = "BM" + little(36, 4) + little(0, 4) + little(32, 4) + little(12, 4) + little(1, 2) +
                          little(1, 2) + little(1, 2) + little(1, 2) + std::string(6, '\x40') + std::string(4, '\0');
  EXPECT_THAT(reason(os2), HasSubstr("OS/2"));
}

struct Tga {
  int kind = 2;          // 1 colour map, 2 colours, 3 grey; 8 more: packed
  std::string map = {};  // 3 bytes a colour
  size_t first = 0;
  int depth = 24, descriptor = 0x20;  // the first row is at the top
  std::string pixels = {};
};
/// 3 × 2 pixels.
std::string tga_of(const Tga& t) {
  return little(t.map.empty() ? 0 : 256, 2) + static_cast<char>(t.kind) + little(t.first, 2) +
         little(t.map.size() / 3, 2) + static_cast<char>(t.map.empty() ? 0 : 24) + little(0, 4) + little(3, 2) +
         little(2, 2) + static_cast<char>(t.depth) + static_cast<char>(t.descriptor) + t.map + t.pixels;
}

TEST(DamagedPictures, ATgaHasAllItsPixels) {
  const std::string colours = row_of(0, 1, 2).substr(0, 9) + row_of(3, 4, 5).substr(0, 9);
  const std::string plain = tga_of({.pixels = colours});
  ASSERT_TRUE(decode(plain)) << decode(plain).error().text();
  EXPECT_THAT(reds(*decode(plain)), ElementsAre(0, 1, 2, 3, 4, 5));
  expect_cuts(plain, plain.size());
  const std::string grey = tga_of({.kind = 3, .depth = 8, .pixels = std::string("\0\1\2\3\4\5", 6)});
  EXPECT_THAT(reds(*decode(grey)), ElementsAre(0, 1, 2, 3, 4, 5));
  expect_cuts(grey, grey.size());
  // 4 of one value, 2 of their own.
  const std::string packed = tga_of({.kind = 11, .depth = 8, .pixels = "\x83\x09\x01\x07\x08"});
  EXPECT_THAT(reds(*decode(packed)), ElementsAre(9, 9, 9, 9, 7, 8));
  expect_cuts(packed, packed.size());
  const std::string map("\0\0\x0a\0\0\x14\0\0\x1e", 9);
  const auto mapped = [&](int last) {
    return tga_of(
        {.kind = 1, .map = map, .depth = 8, .pixels = std::string("\0\1\2\2\1", 5) + static_cast<char>(last)});
  };
  EXPECT_THAT(reds(*decode(mapped(0))), ElementsAre(10, 20, 30, 30, 20, 10));
  expect_cuts(mapped(0), mapped(0).size());
  EXPECT_THAT(reason(mapped(3)), HasSubstr("names colour 3, and its colour map has 3"));
}

// What stb passes over and would be another picture.
TEST(DamagedPictures, ATgaThatIsNotReadAsItIsMeantIsRefused) {
  const std::string grey("\0\1\2\3\4\5", 6);
  EXPECT_EQ(reason(tga_of({.kind = 3, .depth = 8, .descriptor = 0x28, .pixels = grey})), "");
  EXPECT_THAT(reason(tga_of({.kind = 3, .depth = 8, .descriptor = 0x30, .pixels = grey})), HasSubstr("right to left"));
  EXPECT_THAT(reason(tga_of({.kind = 3, .depth = 8, .descriptor = 0x60, .pixels = grey})), HasSubstr("interleaved"));
  EXPECT_THAT(reason(tga_of({.kind = 1, .map = std::string(9, '\x10'), .first = 2, .depth = 8, .pixels = grey})),
              HasSubstr("begins at colour 2"));
}

/// With the last byte of what `type` ends with changed: its checksum.
std::string with_wrong_sum(std::string png, const std::string& type) {
  const size_t at = png.find(type);
  const auto length = static_cast<unsigned char>(png[at - 1]);
  png[at + 4 + length + 3] ^= 1;
  return png;
}

TEST(DamagedPictures, APngsChecksumsAreLookedAt) {
  const std::string chunks = png_chunk("PLTE", "\x01\x02\x03\x0a\x0b\x0c") + png_chunk("tRNS", "\x40") +
                             png_chunk("tEXt", "Author") + png_chunk("eXIf", test::exif(6));
  const std::string png = png_of({.width = 2, .colour = 3, .rows = std::string("\0\0\1", 3), .before_pixels = chunks});
  const auto whole = decode(png);
  ASSERT_TRUE(whole) << whole.error().text();
  EXPECT_THAT(whole->warnings, IsEmpty());
  EXPECT_EQ(whole->height, 2) << "turned";
  for (const std::string type : {"IHDR", "PLTE", "tRNS", "IDAT", "IEND"})
    EXPECT_THAT(reason(with_wrong_sum(png, type)), HasSubstr("the checksum (CRC) of its chunk " + type + " at byte"));
  for (const std::string type : {"tEXt", "eXIf"}) {
    const auto image = decode(with_wrong_sum(png, type));
    ASSERT_TRUE(image) << image.error().text();
    EXPECT_THAT(image->warnings, ElementsAre(HasSubstr("its chunk " + type + " at byte")));
    EXPECT_EQ(image->height, type == "eXIf" ? 1 : 2);
  }
}

TEST(DamagedPictures, APngsPixelsHaveAChecksumOfTheirOwn) {
  const auto with = [](std::string packed) {
    const std::string kind{8, 0, 0, 0, 0};
    return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", big_endian(2) + big_endian(2) + kind) +
           png_chunk("IDAT", packed.substr(0, 5)) + png_chunk("IDAT", packed.substr(5)) + png_chunk("IEND", "");
  };
  const std::string rows("\0\1\2\0\3\4", 6);
  std::string packed(100, '\0');
  uLongf length = packed.size();
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &length, reinterpret_cast<const Bytef*>(rows.data()),
                     rows.size()),
            Z_OK);
  packed.resize(length);
  EXPECT_EQ(reason(with(packed)), "");
  std::string wrong = packed;
  wrong.back() ^= 1;
  EXPECT_THAT(reason(with(wrong)), HasSubstr("the checksum (Adler-32) of its pixels"));
  EXPECT_THAT(reason(with(packed.substr(0, packed.size() - 1))), HasSubstr("cut short"));
}

TEST(DamagedPictures, APngHasTheColoursThatItsPixelsName) {
  const std::string palette = png_chunk("PLTE", "\x01\x02\x03\x0a\x0b\x0c\x14\x15\x16");
  // 3 × 2, filters Sub and Up: 0 1 2 / 0 1 2 + last.
  const auto rows = [](int last) { return std::string("\1\0\1\1\2\0\0", 7) + static_cast<char>(last); };
  const auto png = [&](const std::string& r, uint8_t depth, bool interlaced = false) {
    return png_of({.width = 3,
                   .height = 2,
                   .depth = depth,
                   .colour = 3,
                   .rows = r,
                   .interlaced = interlaced,
                   .before_pixels = palette});
  };
  EXPECT_THAT(reds(*decode(png(rows(0), 8))), ElementsAre(1, 10, 20, 1, 10, 20));
  EXPECT_THAT(reason(png(rows(1), 8)), HasSubstr("names colour 3, and its palette has 3"));
  EXPECT_EQ(reason(png(std::string("\0\x18\0\x18", 4), 2)), "");
  EXPECT_THAT(reason(png(std::string("\0\x18\0\x1c", 4), 2)), HasSubstr("names colour 3"));
  // Passes of 1, 1, 1 (its second row: 3) pixels.
  EXPECT_EQ(reason(png(std::string("\0\0\0\2\0\1\0\0\1\2", 10), 8, true)), "");
  EXPECT_THAT(reason(png(std::string("\0\0\0\2\0\1\0\0\1\3", 10), 8, true)), HasSubstr("names colour 3"));
}

TEST(DamagedPictures, ApplesVariantOfPngIsRefusedByName) {
  std::string png = png_of({.rows = std::string(5, '\0')});
  png.insert(8, png_chunk("CgBI", std::string("\x50\0\x20\x02", 4)));
  EXPECT_THAT(reason(png), HasSubstr("CgBI"));
}

/// A grey JPEG of 32 × 16 pixels, with a restart marker after each third of its 8 blocks.
std::string jpeg_with_restarts() {
  constexpr std::string_view kHex =
      "ffd8ffe000104a46494600010100000100010000ffdb0043001b12141714111b1716171e1c1b2028422b28252528513a3d3042605565645f"
      "555d5b6a7899816a7190735b5d85b586909ea3abadab6780bcc9baa6c799a8aba4ffc0000b080010002001011100ffc40015000101000000"
      "00000000000000000000000506ffc40022100002010402010500000000000000000001020400031131052122337181d1f0ffdd00040003ff"
      "da0008010100003f001e3dad5271ed6a928f6b55ffd043949a38e84597d6b9e36c75d1c6fd87d5051ed6a938f6b55fffd162caaa29772155"
      "464927000a949f2cf2339af852a80054538c851f89f9afffd9";
  std::string bytes;
  for (size_t i = 0; i < kHex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(kHex.substr(i, 2)), nullptr, 16));
  return bytes;
}

// An end that was put behind what was cut is none: stb makes grey of the rest.
TEST(DamagedPictures, AJpegHasAllItsBlocks) {
  const std::string end = "\xff\xd9";
  for (const char* file : {"", "wal67ar_small.jpg", "engineflare1.jpg"}) {  // with restarts, baseline, progressive
    SCOPED_TRACE(file);
    const std::string whole =
        *file ? test::read_bytes(std::string("/usr/share/assimp/models/OBJ/") + file) : jpeg_with_restarts();
    ASSERT_GT(whole.size(), 200u);
    const auto image = decode(whole);
    ASSERT_TRUE(image) << image.error().text();
    EXPECT_THAT(image->warnings, IsEmpty());
    for (size_t n = 3; n + 3 < whole.size(); n += 1 + whole.size() / 200) {
      EXPECT_NE(reason(whole.substr(0, n)), "") << n;
      const auto cut = decode(whole.substr(0, n) + end);
      EXPECT_TRUE(!cut || !cut->warnings.empty()) << n;
    }
  }
  EXPECT_THAT(reason(jpeg_with_restarts().substr(0, 200)), HasSubstr("the JPEG file is cut short"));
  EXPECT_THAT(reason(jpeg_with_restarts().substr(0, 200) + end), HasSubstr("is cut short: Corrupt JPEG data"));
}

TEST(DamagedPictures, AJpegHasAllItsRestartMarkers) {
  std::string jpeg = jpeg_with_restarts();
  const size_t first = jpeg.find("\xff\xd0"), second = jpeg.find("\xff\xd1");
  std::string swapped = jpeg;
  swapped.replace(first, 2, "\xff\xd1");
  EXPECT_THAT(reason(swapped), HasSubstr("instead of RST"));
  EXPECT_NE(reason(jpeg.erase(first, second - first)), "") << "an interval is missing";
}

}  // namespace
}  // namespace hw::picture_check_test
