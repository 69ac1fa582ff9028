// Pictures as their files mean them: 16 bits a channel, turned cameras, grey, palettes, four components.
#include <gmock/gmock.h>

#include "engine/core/codes.h"
#include "engine/core/picture_channels.h"
#include "engine/field/given_input.h"
#include "engine/io/dataset/dataset.h"
#include "engine/io/media/image_bytes.h"
#include "engine/io/media/image_file.h"
#include "engine/io/media/picture_facts.h"
#include "tests/engine/dataset_files.h"
#include "tests/engine/png_files.h"

namespace hw::io_pictures_test {
namespace {

using test::big_endian;
using test::exif;
using test::png_chunk;
using test::png_of;
using test::TempFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<Image> decode(const std::string& bytes, Turned turned = Turned::upright) {
  return decode_image(bytes, "p.png", turned, uint64_t{1} << 33);
}

TEST(Pictures, SixteenBitsStandForTheirValue) {
  const std::vector<size_t> values{0, 1, 255, 256, 511, 32768, 65534, 65535};
  std::string rows(1, '\0');
  for (const size_t value : values) rows += big_endian(value, 2);
  const TempFolder folder;
  test::write_bytes(folder / "grey.png", png_of({.width = 8, .depth = 16, .colour = 0, .rows = rows}));
  const auto image = load_image(folder / "grey.png");
  ASSERT_TRUE(image) << image.error().text();
  ASSERT_EQ(image->deep.size(), 32u);
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(channel_value(*image, i * 4 + c), static_cast<double>(values[i]) / 65535);
      EXPECT_EQ(image->rgba[i * 4 + c], std::lround(static_cast<double>(values[i]) / 257));
    }
    EXPECT_EQ(image->deep[i * 4 + 3], 65535);
  }
  const Shape shape{{"C", 1, ""}, {"H", 1, ""}, {"W", 8, ""}};
  const auto tensor = picture_value(*image, *picture_layout(shape), shape, DType::f32).to_f64();
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(tensor[i], static_cast<double>(values[i]) / 65535, 1e-7);
}

/// 3 × 2 pixels, each red level its own: 0 1 2 / 3 4 5.
std::string six_pixels(uint8_t depth, const std::string& chunks) {
  std::string rows;
  for (int i = 0; i < 6; ++i) {
    if (i % 3 == 0) rows += '\0';
    rows += big_endian(static_cast<size_t>(i), depth / 8) + std::string(size_t{3} * depth / 8, '\x7f');
  }
  return png_of({.width = 3, .height = 2, .depth = depth, .colour = 6, .rows = rows, .before_pixels = chunks});
}

std::vector<int> reds(const Image& image) {
  std::vector<int> all;
  for (size_t i = 0; i < image.rgba.size(); i += 4) all.push_back(image.deep.empty() ? image.rgba[i] : image.deep[i]);
  return all;
}

// What the eight orientations of EXIF (CIPA DC-008, 4.6.4) make of it.
TEST(Pictures, AreTurnedAsTheirOrientationSays) {
  const std::vector<std::vector<int>> upright{{0, 1, 2, 3, 4, 5}, {2, 1, 0, 5, 4, 3}, {5, 4, 3, 2, 1, 0},
                                              {3, 4, 5, 0, 1, 2}, {0, 3, 1, 4, 2, 5}, {3, 0, 4, 1, 5, 2},
                                              {5, 2, 4, 1, 3, 0}, {2, 5, 1, 4, 0, 3}};
  for (const uint8_t depth : {8, 16}) {
    for (int orientation = 1; orientation <= 8; ++orientation) {
      for (const bool little : {false, true}) {
        const std::string bytes = six_pixels(depth, png_chunk("eXIf", exif(orientation, little)));
        const auto image = decode(bytes);
        ASSERT_TRUE(image) << image.error().text();
        EXPECT_EQ(image->width, orientation < 5 ? 3 : 2);
        EXPECT_EQ(image->height, orientation < 5 ? 2 : 3);
        EXPECT_EQ(reds(*image), upright[static_cast<size_t>(orientation - 1)]) << orientation;
        EXPECT_TRUE(image->warnings.empty());
        // Texture coordinates are of the pixels as stored: said, not applied.
        const auto texture = decode(bytes, Turned::as_stored);
        ASSERT_TRUE(texture);
        EXPECT_EQ(texture->width, 3);
        EXPECT_TRUE(texture->deep.empty());
        const bool is_said = std::ranges::any_of(
            texture->warnings, [](const std::string& w) { return w.find("EXIF orientation") != w.npos; });
        EXPECT_EQ(is_said, orientation != 1);
      }
    }
  }
}

TEST(Pictures, DamagedExifTurnsNothing) {
  const std::string whole = exif(6);
  for (size_t length = 0; length < whole.size() - 6; ++length)
    EXPECT_EQ(reds(*decode(six_pixels(8, png_chunk("eXIf", whole.substr(0, length))))),
              (std::vector<int>{0, 1, 2, 3, 4, 5}))
        << length;
  for (const int none : {0, 9, 200}) EXPECT_EQ(decode(six_pixels(8, png_chunk("eXIf", exif(none))))->width, 3) << none;
  std::string far = whole;
  far.replace(4, 4, "\xff\xff\xff\xf0");
  EXPECT_EQ(decode(six_pixels(8, png_chunk("eXIf", far)))->width, 3);
}

TEST(Pictures, AJpegsOrientationIsInItsApp1) {
  const TempFolder folder;
  const std::string plain = test::read_bytes("/usr/share/assimp/models/OBJ/wal67ar_small.jpg");
  const auto stored = decode(plain);
  ASSERT_TRUE(stored) << stored.error().text();
  const std::string content = std::string("Exif\0\0", 6) + exif(6, true);
  const std::string marker = "\xff\xe1" + big_endian(content.size() + 2, 2) + content;
  const auto turned = decode(plain.substr(0, 2) + marker + plain.substr(2));
  ASSERT_TRUE(turned) << turned.error().text();
  EXPECT_EQ(turned->width, stored->height);
  EXPECT_EQ(turned->rgba, upright(*stored, 6).rgba);
}

TEST(Pictures, GreyPaletteAndOpacity) {
  const auto grey = decode(png_of({.width = 2, .colour = 4, .rows = std::string("\0\x10\x80\x20\xff", 5)}));
  ASSERT_TRUE(grey) << grey.error().text();
  EXPECT_THAT(grey->rgba, ElementsAre(16, 16, 16, 128, 32, 32, 32, 255));
  const std::string palette = png_chunk("PLTE", "\x01\x02\x03\x0a\x0b\x0c") + png_chunk("tRNS", "\x40");
  const auto indexed =
      decode(png_of({.width = 2, .colour = 3, .rows = std::string("\0\0\1", 3), .before_pixels = palette}));
  ASSERT_TRUE(indexed) << indexed.error().text();
  EXPECT_THAT(indexed->rgba, ElementsAre(1, 2, 3, 64, 10, 11, 12, 255));
}

TEST(Pictures, OfAnAnimationTheFirstFrameIsReadAndSaid) {
  const auto image = decode(six_pixels(8, png_chunk("acTL", big_endian(7) + big_endian(0))));
  ASSERT_TRUE(image);
  EXPECT_THAT(image->warnings, ElementsAre(HasSubstr("animation of 7 frames")));
}

// The headers alone of a JPEG with four components: what its marker of Adobe says decides.
TEST(Pictures, FourComponentsWithoutAMarkerAreRefused) {
  const std::string frame = std::string("\xff\xc0\0\x14\x08\0\x08\0\x08\x04", 10) + "\1\x11" + '\0' + "\2\x11" + '\0' +
                            "\3\x11" + '\0' + "\4\x11" + '\0';
  const std::string adobe = std::string("\xff\xee\0\x0e", 4) + "Adobe" + std::string("\0\x64\0\0\0\0\2", 7);
  const auto jpeg = [&](const std::string& markers) { return "\xff\xd8" + markers + frame + "\xff\xd9"; };
  const auto bare = decode(jpeg(""));
  ASSERT_FALSE(bare);
  EXPECT_THAT(bare.error().reason, HasSubstr("four components"));
  const auto marked = decode(jpeg(adobe));  // without a scan
  ASSERT_FALSE(marked);
  EXPECT_THAT(marked.error().reason, HasSubstr("missing SOS marker"));
  EXPECT_EQ(picture_facts(jpeg(adobe), ImageFormat::jpeg).adobe, 2);
}

// One picture with 16 bits makes the whole set f32, so that training and test are on one scale.
TEST(Pictures, OfADataSetKeepSixteenBits) {
  const TempFolder folder;
  for (const char* place : {"train/a", "train/b", "test/a"}) std::filesystem::create_directories(folder / place);
  const auto grey = [](uint8_t depth, size_t value) {
    return png_of({.depth = depth, .colour = 0, .rows = std::string(1, '\0') + big_endian(value, depth / 8)});
  };
  test::write_bytes(folder / "train/a/1.png", grey(8, 255));
  test::write_bytes(folder / "train/b/1.png", grey(8, 51));
  test::write_bytes(folder / "test/a/1.png", grey(8, 51));
  const auto bytes = test::load(folder.path(), {{1, 1, 1}, 2});
  ASSERT_TRUE(bytes) << bytes.error().text();
  EXPECT_EQ((*bytes)->train.x.dtype(), DType::u8);
  EXPECT_EQ((*bytes)->train.x.as<uint8_t>()[1], 51);
  test::write_bytes(folder / "test/a/2.png", grey(16, 1000));
  const auto deep = test::load(folder.path(), {{1, 1, 1}, 2});
  ASSERT_TRUE(deep) << deep.error().text();
  ASSERT_EQ((*deep)->train.x.dtype(), DType::f32);
  EXPECT_EQ((*deep)->train.x.as<float>()[1], 0.2f);
  ASSERT_EQ((*deep)->test.x.dtype(), DType::f32);
  EXPECT_EQ((*deep)->test.x.as<float>()[0], 0.2f);
  EXPECT_FLOAT_EQ((*deep)->test.x.as<float>()[1], 1000.0f / 65535);
  EXPECT_EQ((*deep)->test.sample_bytes(), 2 * sizeof(float));
}

TEST(Pictures, GreyForTrainingAndColoursForTestAreSaid) {
  const TempFolder folder;
  for (const char* place : {"train/a", "train/b", "test/a"}) std::filesystem::create_directories(folder / place);
  const std::string grey = png_of({.colour = 0, .rows = std::string(2, '\0')});
  const std::string coloured = png_of({.colour = 2, .rows = std::string(4, '\0')});
  const auto warnings = [&](const std::string& train, const std::string& test, int64_t channels) {
    for (const char* file : {"train/a/1.png", "train/b/1.png"}) test::write_bytes(folder / file, train);
    test::write_bytes(folder / "test/a/1.png", test);
    const auto data = test::load(folder.path(), {{channels, 1, 1}, 2});
    EXPECT_TRUE(data) << data.error().text();
    return (*data)->warnings;
  };
  EXPECT_THAT(warnings(grey, coloured, 3), ElementsAre(HasSubstr("training pictures are grey")));
  EXPECT_THAT(warnings(coloured, grey, 3), ElementsAre(HasSubstr("test pictures grey")));
  EXPECT_THAT(warnings(coloured, coloured, 3), ElementsAre());
  EXPECT_THAT(warnings(grey, coloured, 1), ElementsAre());
}

}  // namespace
}  // namespace hw::io_pictures_test
