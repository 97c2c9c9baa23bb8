#pragma once

/// \file plugin.hpp
/// The plugin, loaded as its users load it.

#include <optional>
#include <string>

#include <petscmat.h>

#include "peers/peer.hpp"

namespace petscspmv::bench {

/// Loads the plugin into PETSc. `most_threads` is the greatest number of threads that any competitor will ask for: its
/// parallel runtime cannot grow later. Throws std::runtime_error.
void load_plugin(const std::string &path, int most_threads);

/// PETSCSPMV_PLUGIN of the environment, else beside this program where both are installed, else where the build put it.
std::string default_plugin();

/// Through the plugin's own functions, for matrices of its types only.
void                        set_plugin_option(Mat A, const std::string &key, std::int64_t value);
std::int64_t                plugin_option(Mat A, const std::string &key);
std::optional<ProductBytes> plugin_bytes(Mat A);

} // namespace petscspmv::bench
