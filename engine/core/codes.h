// Every stable diagnostic code of Halfwire, with its meaning. A code is never reused.
#pragma once

namespace hw::codes {

// D: dtypes on wires and parameters
inline constexpr char dtype_mismatch[] = "HW-D001";  // the wire's dtype does not fit the socket
inline constexpr char weight_dtype[] = "HW-D003";    // a parameter's dtype is not the one its node computes with
// K: kinds of wire
inline constexpr char kind_mismatch[] = "HW-K001";  // a mesh wire in a tensor socket, say
// S: shapes
inline constexpr char rank_mismatch[] = "HW-S001";
inline constexpr char size_mismatch[] = "HW-S002";
inline constexpr char no_broadcast[] = "HW-S003";
// G: the graph itself
inline constexpr char missing_input[] = "HW-G001";
inline constexpr char cycle[] = "HW-G002";
inline constexpr char unknown_node[] = "HW-G003";
inline constexpr char unknown_socket[] = "HW-G004";
inline constexpr char duplicate_link[] = "HW-G005";  // two links into one input
inline constexpr char no_trainer[] = "HW-G006";
inline constexpr char not_a_field[] = "HW-G007";    // a viewer needs a value that does not exist at its own positions
inline constexpr char no_bypass[] = "HW-G008";      // a bypassed node has nothing to hand through to an output
inline constexpr char bad_tie[] = "HW-G009";        // the node whose parameters are shared does not fit
inline constexpr char bad_group[] = "HW-G010";      // a group that contains itself, or is too large
inline constexpr char not_upstream[] = "HW-G011";   // a gradient is wanted by a value that no gradient reaches
inline constexpr char no_shortcut[] = "HW-G012";    // many layers behind one another, no way past any of them
inline constexpr char no_classifier[] = "HW-G013";  // features are given where scores of classes are usual
// P: parameters
inline constexpr char bad_parameter[] = "HW-P001";  // not a number, out of range, wrong kind
inline constexpr char unknown_parameter[] = "HW-P002";
inline constexpr char idle_bias[] = "HW-P003";        // a bias that a batch norm takes away again
inline constexpr char other_optimiser[] = "HW-P004";  // an optimiser with another's settings
// A: assets
inline constexpr char asset_missing[] = "HW-A001";
inline constexpr char asset_unreadable[] = "HW-A002";
inline constexpr char asset_lacks[] = "HW-A003";   // the mesh has no texture, no uvs, no area …
inline constexpr char asset_costly[] = "HW-A004";  // reading it crashed, or took more time or memory than is allowed
inline constexpr char importer_missing[] = "HW-A005";  // the program that reads models cannot be run
inline constexpr char asset_refused[] = "HW-A006";     // it lies where the graph may not read
// F: files
inline constexpr char file_unreadable[] = "HW-F001";
inline constexpr char file_unwritable[] = "HW-F002";
inline constexpr char file_syntax[] = "HW-F003";  // not JSON, cut short, wrong structure
inline constexpr char file_future[] = "HW-F004";  // made by a newer version
inline constexpr char weights_mismatch[] = "HW-F005";
// R: running
inline constexpr char out_of_memory[] = "HW-R001";
inline constexpr char unsupported[] = "HW-R002";  // a device has no kernel for an op and dtype
inline constexpr char not_finite[] = "HW-R003";   // the loss became NaN or Inf
inline constexpr char cancelled[] = "HW-R004";
inline constexpr char gpu_failed[] = "HW-R005";  // a CUDA call
inline constexpr char no_gpu[] = "HW-R006";      // no GPU, no driver or an old one, or a build without CUDA
inline constexpr char no_device[] = "HW-R007";   // a node's own device is not on this machine, or cannot be used
inline constexpr char no_shader[] = "HW-R008";   // a function, or something in its body, that no shader can have
// T: tests of a graph
inline constexpr char wrong_gradient[] = "HW-T001";   // an adjoint is not what differences of the loss give
inline constexpr char dead_gradient[] = "HW-T002";    // always zero: what it belongs to is not trained
inline constexpr char devices_diverge[] = "HW-T003";  // two devices make different values of the same inputs
inline constexpr char dump_diverges[] = "HW-T004";    // a wire is not what another program wrote of it
// V: viewport
inline constexpr char no_vulkan[] = "HW-V001";
inline constexpr char no_vulkan_device[] = "HW-V002";  // nothing that can draw
inline constexpr char gpu_out_of_memory[] = "HW-V003";
inline constexpr char gpu_lost[] = "HW-V004";
inline constexpr char vulkan_failed[] = "HW-V005";  // any other failure
inline constexpr char picture_size[] = "HW-V006";
inline constexpr char mesh_empty[] = "HW-V007";
inline constexpr char mesh_broken[] = "HW-V008";         // indices or texture that do not fit
inline constexpr char bad_camera[] = "HW-V010";          // camera text
inline constexpr char wrong_colour_count[] = "HW-V011";  // the field gave more or fewer values than positions
inline constexpr char picture_cancelled[] = "HW-V012";   // never shown
inline constexpr char window_not_vulkan[] = "HW-V013";
// X: expressions
inline constexpr char expression_syntax[] = "HW-X001";  // a word that does not belong there
inline constexpr char expression_name[] = "HW-X002";    // an unknown name, or one that is taken
inline constexpr char expression_type[] = "HW-X003";    // types that do not go together
inline constexpr char expression_unset[] = "HW-X004";   // a value that is read, or goes out, before it is set
inline constexpr char expression_size[] = "HW-X005";    // too long, too deep, or out of range
// C: command line
inline constexpr char bad_usage[] = "HW-C001";

}  // namespace hw::codes
