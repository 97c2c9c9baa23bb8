#include "matrix/source.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "generators/generator.hpp"
#include "matrix/matrix_market.hpp"
#include "matrix/petsc_binary.hpp"

namespace petscspmv::bench {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kEndings = {".mtx.gz", ".mtx", ".petsc.gz", ".petsc", ".bin.gz", ".bin"};

std::string_view known_ending(std::string_view file_name)
{
  for (const std::string_view ending : kEndings)
    if (file_name.ends_with(ending)) return ending;
  return {};
}

/// The kind of a file is told by its first bytes, not by its name.
template <class MatrixMarket, class PetscBinary> auto read_file(const std::string &path, MatrixMarket &&market, PetscBinary &&binary)
{
  std::string first(16, '\0');
  first.resize(open_file(path)->read(first.data(), first.size()));
  const auto source = open_file(path);
  if (is_matrix_market(first)) return market(*source);
  if (is_petsc_binary(first)) return binary(*source);
  if (first.empty()) throw InputError("'" + path + "' is empty.");
  throw InputError("'" + path + "', line 1: expected '%%MatrixMarket' or the first bytes of a PETSc binary matrix, found neither.");
}

MatrixSource file_source(const std::string &path)
{
  const std::string file_name = fs::path(path).filename().string();
  MatrixSource      source;
  source.name    = file_name.substr(0, file_name.size() - known_ending(file_name).size());
  source.origin  = "file";
  source.predict = [path] { return read_file(path, &peek_matrix_market, &peek_petsc_binary); };
  source.make    = [path] { return read_file(path, &read_matrix_market, &read_petsc_binary); };
  return source;
}

void add_folder(const std::string &folder, std::vector<MatrixSource> &sources)
{
  std::vector<std::string> paths;
  for (const auto &entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && !known_ending(entry.path().filename().string()).empty()) paths.push_back(entry.path().string());
  if (paths.empty()) {
    std::string endings;
    for (std::string_view e : kEndings) endings += " " + std::string(e);
    throw InputError("There is no matrix in the folder '" + folder + "'; looked for files that end in" + endings + ".");
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string &path : paths) sources.push_back(file_source(path));
}

MatrixSource generator_source(const std::string &text)
{
  const GeneratorCall call = parse_generator(text);
  call.predict(); // finds what only the generator itself can see, such as the name of a twin
  return {text, "generator", [call] { return call.predict(); }, [call] { return call.generate(); }, ""};
}

} // namespace

std::vector<MatrixSource> find_sources(const std::vector<std::string> &arguments)
{
  std::vector<MatrixSource> sources;
  for (const std::string &argument : arguments) {
    std::error_code   error;
    const std::size_t first = sources.size();
    const bool        there = fs::exists(argument, error);
    if (fs::is_directory(argument, error)) add_folder(argument, sources);
    else if (there) sources.push_back(file_source(argument));
    else if (argument.find('/') != std::string::npos && !is_generator(argument)) throw InputError("There is no file '" + argument + "'.");
    else sources.push_back(generator_source(argument));
    if (there && is_generator(argument))
      sources[first].note =
        "'" + argument + "' is taken from here, where it hides the generator of that name; '" + argument + ",seed=1' is the generator's.";
  }
  return sources;
}

} // namespace petscspmv::bench
