# Sourced by scripts: windows are X11's, and drawn by Mesa's software Vulkan driver, where it is here, whatever GPU there
# is. Of several architectures' drivers the loader takes the one that it can load.
lavapipe="$(find /usr/share/vulkan/icd.d -name 'lvp_icd*.json' 2>/dev/null | paste -sd: || true)"
if [[ -n "$lavapipe" ]]; then export VK_DRIVER_FILES="$lavapipe" VK_ICD_FILENAMES="$lavapipe"; fi
unset WAYLAND_DISPLAY
