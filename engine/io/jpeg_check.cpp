#include <algorithm>
#include <csetjmp>
#include <cstdio>
// clang-format off: jpeglib.h needs FILE
#include <jerror.h>
#include <jpeglib.h>
// clang-format on

#include "engine/io/image_bytes.h"
#include "engine/io/picture_check.h"

namespace hw {
namespace {

/// The messages of libjpeg about a file. It goes on after warnings; an error ends it.
struct Heard : jpeg_error_mgr {
  std::jmp_buf back;
  int fault = 0;  // the first message by which pixels are missing or wrong; 0: none
  char fault_text[JMSG_LENGTH_MAX] = {};
  bool complete = true;               // all scans came
  bool ended_early = false;           // there is no end-of-image marker
  char remark[JMSG_LENGTH_MAX] = {};  // the first other one
};

void hear(j_common_ptr info, int level) {
  if (level >= 0) return;  // traces
  auto& heard = *static_cast<Heard*>(info->err);
  switch (heard.msg_code) {
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
      if (heard.fault != 0) return;
      heard.fault = heard.msg_code;
      heard.format_message(info, heard.fault_text);
      return;
    case JWRN_JPEG_EOF:
      heard.ended_early = true;
      return;
    default:
      if (!heard.remark[0]) heard.format_message(info, heard.remark);
  }
}

void stop(j_common_ptr info) {
  auto& heard = *static_cast<Heard*>(info->err);
  if (heard.fault == 0) {
    heard.fault = heard.msg_code;
    heard.format_message(info, heard.fault_text);
  }
  std::longjmp(heard.back, 1);
}

/// Whether a scan of each component came, and of a progressive JPEG every bit of every coefficient.
bool is_complete(const jpeg_decompress_struct& info) {
  for (int component = 0; component < info.num_components; ++component)
    if (!info.comp_info[component].quant_table) return false;
  if (!info.progressive_mode || !info.coef_bits) return true;
  for (int component = 0; component < info.num_components; ++component)
    for (int k = 0; k < DCTSIZE2; ++k)
      if (info.coef_bits[component][k] != 0) return false;
  return true;
}

}  // namespace

PictureCheck check_jpeg(std::string_view bytes) {
  Heard heard;
  jpeg_decompress_struct info{};
  info.err = jpeg_std_error(&heard);
  heard.emit_message = hear;
  heard.error_exit = stop;
  if (setjmp(heard.back) == 0) {
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<unsigned long>(bytes.size()));
    jpeg_read_header(&info, TRUE);
    if (std::max(info.image_width, info.image_height) <= kMaxPictureSide) {  // else it is refused for that
      jpeg_read_coefficients(&info);                                         // all scans
      heard.complete = is_complete(info);
      jpeg_finish_decompress(&info);
    }
  }
  jpeg_destroy_decompress(&info);
  PictureCheck check;
  if (heard.fault == JERR_OUT_OF_MEMORY) return check;  // the decoder says so
  const bool cut = heard.fault == JWRN_HIT_MARKER || heard.fault == JERR_INPUT_EMPTY || heard.fault == JERR_INPUT_EOF;
  if (heard.ended_early && (heard.fault != 0 || !heard.complete))
    check.fault = "is cut short";
  else if (heard.fault != 0)
    check.fault = (cut ? "is cut short: " : "is damaged: ") + std::string(heard.fault_text);
  if (!check.fault.empty()) return check;
  if (!heard.complete)
    check.warnings.emplace_back("its last scans are missing, so that it is coarser, or lacks colours.");
  if (heard.ended_early) check.warnings.emplace_back("its end is missing; all of its pixels are there.");
  if (heard.remark[0]) check.warnings.push_back("libjpeg says: " + std::string(heard.remark) + ".");
  return check;
}

}  // namespace hw
