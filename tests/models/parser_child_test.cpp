// Pictures and sounds are parsed in a child that reaches nothing: what a parser that was taken over can do, what
// becomes of crashes and hangs, and damaged files of every kind.
#include "engine/io/media/parser_child.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <regex>
#include <thread>

#include "engine/core/codes.h"
#include "engine/io/asset/assets.h"
#include "engine/io/child/confine.h"
#include "engine/io/media/image_file.h"
#include "engine/io/mesh/model.h"
#include "tests/engine/io_temp.h"
#include "tests/engine/png_files.h"
#include "tests/engine/wav_files.h"
#include "tests/models/damage.h"
#include "tests/models/planted.h"
#include "tests/models/planted_actions.h"

namespace hw {
namespace {

using test::Planted;
using test::TempFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string child_of(const Result<Image>& image) {
  return image ? image->warnings.at(0) : image.error().text();
}

#if defined(__x86_64__) || defined(__aarch64__)
TEST(ParserChild, ATakenOverParserReachesNothing) {
  const Planted planted;
  EXPECT_THAT(test::succeeded_actions(planted.secret, planted.folder()), ::testing::SizeIs(10))
      << "what the kernel allows to this process";
  const auto image = load_image(planted / "act.png");
  ASSERT_TRUE(image) << image.error().text();
  EXPECT_THAT(image->warnings, IsEmpty());
  // The model's child opens files: those of the model, and no others.
  const auto model = load_model(planted / "act.obj", Reach());
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().reason, "read the model");
}
#endif

TEST(ParserChild, OneChildReadsOneFileAfterTheOther) {
  const Planted planted;
  const std::string first = child_of(load_image(planted / "0.png"));
  EXPECT_GT(std::stoi(first), 0);
  for (int i = 1; i < 50; ++i) EXPECT_EQ(child_of(load_image(planted / (std::to_string(i) + ".png"))), first);
}

TEST(ParserChild, ACrashOrAHangNamesItsFileAndTheNextIsRead) {
  const Planted planted;
  ASSERT_TRUE(load_image(planted / "good.png"));
  for (const auto& [name, reason] :
       {std::pair("crash.png", "the library that reads pictures failed on this one (Aborted)"),
        {"spin.png", "s of processor time"},
        {"memory.png", "takes more than 6500 MB"},
        {"leave.png", "handed over something else"},
        {"huge.png", "handed over something else"}}) {
    const auto image = load_image(planted / name);
    ASSERT_FALSE(image) << name;
    EXPECT_EQ(image.error().code, codes::asset_costly) << image.error().text();
    EXPECT_THAT(image.error().where, HasSubstr(name));
    EXPECT_THAT(image.error().reason, HasSubstr(reason));
    EXPECT_FALSE(image.error().remedy.empty());
    EXPECT_TRUE(load_image(planted / "good.png")) << "after " << name;
  }
  EXPECT_TRUE(load_sound(planted / "a.wav", {2, 10}));
  const auto cut = load_sound(planted / "short.wav", {2, 10});
  ASSERT_FALSE(cut);
  EXPECT_THAT(cut.error().reason, HasSubstr("handed over something else"));
}

// A file that leaves a parser broken is not the next one's fault.
TEST(ParserChild, WhatAnEarlierFileBrokeIsNotBlamedOnTheNext) {
  const Planted planted;
  ASSERT_TRUE(load_image(planted / "poison.png"));
  const auto next = load_image(planted / "good.png");
  EXPECT_TRUE(next) << next.error().text();
}

TEST(ParserChild, ManyThreadsAskAtOnce) {
  const TempFolder folder;
  test::write_bytes(folder / "p.png", test::png_of({.colour = 0, .rows = std::string("\0\x33", 2)}));
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 20; ++k) {
        const auto image = load_image(folder / "p.png");
        ASSERT_TRUE(image) << image.error().text();
        EXPECT_THAT(image->rgba, ElementsAre(0x33, 0x33, 0x33, 255));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(ParserChild, WithoutItsProgramNothingIsReadHere) {
  const TempFolder folder;
  test::write_bytes(folder / "p.png", test::png_of({.colour = 0, .rows = std::string("\0\x33", 2)}));
  ::setenv("HALFWIRE_IMPORTER", (folder / "none").c_str(), 1);
  const auto missing = load_image(folder / "p.png");
  ::unsetenv("HALFWIRE_IMPORTER");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, codes::importer_missing);
  EXPECT_TRUE(load_image(folder / "p.png"));
}

TEST(ParserChild, DamagedPicturesAndSoundsAreReadOrNamed) {
  const TempFolder folder;
  std::string rows;
  for (int y = 0; y < 24; ++y)
    rows += std::string(1, static_cast<char>(y % 5)) + std::string(24 * 4, static_cast<char>(y * 9));
  std::string tga(18, '\0');
  tga[2] = 10, tga[12] = 16, tga[14] = 16, tga[16] = 32;
  for (int i = 0; i < 32; ++i) tga += "\x87\x11\x22\x33\x44";
  std::string bmp = "BM" + std::string(52, '\0');
  bmp[2] = 54, bmp[3] = 1, bmp[10] = 54, bmp[14] = 40, bmp[18] = 8, bmp[22] = 8, bmp[26] = 1, bmp[28] = 32;
  bmp += std::string(256, '\x5a');
  std::vector<int16_t> samples(400);
  for (size_t i = 0; i < samples.size(); ++i) samples[i] = static_cast<int16_t>(i * 163);
  const std::pair<std::string, std::string> files[]{
      {"p.png",
       test::png_of(
           {.width = 24, .height = 24, .rows = rows, .before_pixels = test::png_chunk("eXIf", test::exif(6))})},
      {"p.jpg", test::read_bytes("/usr/share/assimp/models/OBJ/wal67ar_small.jpg")},
      {"p.tga", tga},
      {"p.bmp", bmp},
      {"s.wav", test::wav(samples, 8000, 2)}};
  std::mt19937 random(7);
  int read = 0, refused = 0;
  for (const auto& [name, whole] : files) {
    for (int round = 0; round < 150; ++round) {
      std::string bytes = whole;
      for (uint32_t k = 0; round > 0 && k <= random() % 4 && !bytes.empty(); ++k) test::damage(bytes, random);
      test::write_bytes(folder / name, bytes);
      Status outcome = ok();
      if (name == "s.wav") {
        const auto sound = load_sound(folder / name, {1, 300});
        if (!sound) outcome = sound.error();
      } else {
        const auto image = load_image(folder / name);
        if (!image) outcome = image.error();
      }
      EXPECT_TRUE(outcome || round > 0) << name << " as it was: " << outcome.error().text();
      ++(outcome ? read : refused);
      if (outcome) continue;
      EXPECT_THAT(outcome.error().where, HasSubstr(name));
      EXPECT_FALSE(outcome.error().reason.empty());
      EXPECT_FALSE(outcome.error().remedy.empty());
      EXPECT_NE(outcome.error().code, codes::importer_missing) << outcome.error().text();
    }
  }
  EXPECT_GT(read, 50);
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace hw
