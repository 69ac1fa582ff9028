#include <algorithm>
#include <csetjmp>
#include <cstdio>
// clang-format off: jpeglib.h needs FILE
#include <jerror.h>
#include <jpeglib.h>
// clang-format on

#include "engine/io/media/image_bytes.h"
#include "engine/io/media/picture_check.h"

namespace hw {
namespace {

/// The messages of libjpeg about a file. It goes on after warnings; an error ends it.
struct JpegMessages : jpeg_error_mgr {
  std::jmp_buf back;
  int fault = 0;  // the first message by which pixels are missing or wrong; 0: none
  char fault_text[JMSG_LENGTH_MAX] = {};
  bool complete = true;               // all scans came
  bool ended_early = false;           // there is no end-of-image marker
  char remark[JMSG_LENGTH_MAX] = {};  // the first other one
};

void note_message(j_common_ptr info, int level) {
  if (level >= 0) return;  // traces
  auto& messages = *static_cast<JpegMessages*>(info->err);
  switch (messages.msg_code) {
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_MUST_RESYNC:
      if (messages.fault != 0) return;
      messages.fault = messages.msg_code;
      messages.format_message(info, messages.fault_text);
      return;
    case JWRN_JPEG_EOF:
      messages.ended_early = true;
      return;
    default:
      if (!messages.remark[0]) messages.format_message(info, messages.remark);
  }
}

void stop(j_common_ptr info) {
  auto& messages = *static_cast<JpegMessages*>(info->err);
  if (messages.fault == 0) {
    messages.fault = messages.msg_code;
    messages.format_message(info, messages.fault_text);
  }
  std::longjmp(messages.back, 1);
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

/// Reads all scans. Nothing with a destructor lives where longjmp() comes back.
void read_scans(std::string_view bytes, JpegMessages& messages) {
  jpeg_decompress_struct info{};
  info.err = jpeg_std_error(&messages);
  messages.emit_message = note_message;
  messages.error_exit = stop;
  if (setjmp(messages.back) == 0) {
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<unsigned long>(bytes.size()));
    jpeg_read_header(&info, TRUE);
    if (std::max(info.image_width, info.image_height) <= kMaxPictureSide) {  // else it is refused for that
      jpeg_read_coefficients(&info);                                         // all scans
      messages.complete = is_complete(info);
      jpeg_finish_decompress(&info);
    }
  }
  jpeg_destroy_decompress(&info);
}

}  // namespace

PictureCheck check_jpeg(std::string_view bytes) {
  JpegMessages messages;
  read_scans(bytes, messages);
  PictureCheck check;
  if (messages.fault == JERR_OUT_OF_MEMORY) return check;  // the decoder says so
  const bool cut =
      messages.fault == JWRN_HIT_MARKER || messages.fault == JERR_INPUT_EMPTY || messages.fault == JERR_INPUT_EOF;
  if (messages.ended_early && (messages.fault != 0 || !messages.complete))
    check.fault = "is cut short";
  else if (messages.fault != 0)
    check.fault = (cut ? "is cut short: " : "is damaged: ") + std::string(messages.fault_text);
  if (!check.fault.empty()) return check;
  if (!messages.complete)
    check.warnings.emplace_back("its last scans are missing, so that it is coarser, or lacks colours.");
  if (messages.ended_early) check.warnings.emplace_back("its end is missing; all of its pixels are there.");
  if (messages.remark[0]) check.warnings.push_back("libjpeg says: " + std::string(messages.remark) + ".");
  return check;
}

}  // namespace hw
