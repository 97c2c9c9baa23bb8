#pragma once

/// \file source.hpp
/// What the user names on the command line, files, folders and generators, as a list of matrices to come.

#include <functional>
#include <string>
#include <vector>

#include "matrix/csr.hpp"

namespace petscspmv::bench {

/// A matrix that can be made. Nothing large has been read yet.
struct MatrixSource {
  std::string                name;   ///< "cant" of /data/cant.mtx.gz; the text itself of a generator
  std::string                origin; ///< "file" or "generator"
  std::function<Size()>      predict;
  std::function<CsrMatrix()> make;
  std::string                note; ///< a sentence on what the user may not have meant; empty for most
};

/// Turns file names, folders (all matrices in them, by name) and generators into sources, in the order given.
/// Throws InputError for what is none of these.
std::vector<MatrixSource> find_sources(const std::vector<std::string> &arguments);

} // namespace petscspmv::bench
