// Options of textures in .mtl files: taken out of the text, and what they mean.
#include "engine/io/mtl_options.h"

#include <gmock/gmock.h>

namespace hw {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(MtlOptions, AreTakenOutOfTheTextAndKeptByMaterial) {
  MtlTextures textures;
  const std::string text = without_mtl_options(
      "# a comment\n"
      "newmtl plain\nmap_Kd a.png\n"
      "newmtl moved one\r\nKd 1 1 1\n  map_Kd -s 2 3 1 -o 0.5 -0.25 0 my picture.png\r\n"
      "map_Bump -bm 0.2 b.png\n"
      "newmtl short\nmap_Kd -s 2 -o +0.5 -clamp on c.png\n"
      "newmtl negative\nmap_Kd -o -1 -2 d.png",
      textures);
  EXPECT_THAT(text, HasSubstr("map_Kd a.png\n"));
  EXPECT_THAT(text, HasSubstr("map_Kd my picture.png\n"));
  EXPECT_THAT(text, HasSubstr("map_Bump -bm 0.2 b.png\n")) << "no colour: left alone";
  EXPECT_THAT(text, HasSubstr("map_Kd c.png\n"));
  EXPECT_THAT(text, HasSubstr("map_Kd d.png\n"));
  EXPECT_FALSE(textures.contains("plain"));
  EXPECT_THAT(textures.at("moved one").uv(1, 1), ElementsAre(2.5, 2.75));
  EXPECT_EQ(textures.at("moved one").wrap_u, Wrap::repeat);
  EXPECT_THAT(textures.at("short").uv(1, 1), ElementsAre(2.5, 1));
  EXPECT_EQ(textures.at("short").wrap_u, Wrap::clamp);
  EXPECT_EQ(textures.at("short").wrap_v, Wrap::clamp);
  EXPECT_THAT(textures.at("negative").uv(0, 0), ElementsAre(-1, -2));
}

TEST(MtlOptions, WhatChangesThePictureIsNamed) {
  MtlTextures textures;
  const std::string text = without_mtl_options(
      "newmtl a\nmap_Kd -mm 0.1 2 -t 1 1 1 -cc on -blendu off -texres 512 -imfchan l -clamp off x.png\n"
      "newmtl b\nmap_Kd -mm 0 1 -t 0 0 0 -cc off -blendv on y.png\n"
      "newmtl c\nmap_Kd -unheard.png\n",
      textures);
  EXPECT_THAT(text, HasSubstr("map_Kd x.png\n"));
  EXPECT_THAT(text, HasSubstr("map_Kd y.png\n"));
  EXPECT_THAT(text, HasSubstr("map_Kd -unheard.png\n"));
  EXPECT_THAT(textures.at("a").unread,
              ElementsAre(HasSubstr("(-mm)"), HasSubstr("(-t)"), HasSubstr("(-cc)"), HasSubstr("(-imfchan)")));
  EXPECT_EQ(textures.at("a").wrap_u, Wrap::repeat);
  EXPECT_THAT(textures.at("b").unread, ElementsAre());
}

}  // namespace
}  // namespace hw
