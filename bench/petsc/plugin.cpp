#include "petsc/plugin.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "petsc/check.hpp"

namespace petscspmv::bench {

namespace {

std::string &loaded_path()
{
  static std::string path;
  return path;
}

template <class Function> Function *plugin_function(const char *name)
{
  void *symbol = nullptr;
  check_petsc(PetscDLLibrarySym(PETSC_COMM_SELF, &PetscDLLibrariesLoaded, loaded_path().c_str(), name, &symbol));
  if (!symbol) throw std::runtime_error("The plugin '" + loaded_path() + "' has no function " + name + "; build it again.");
  return reinterpret_cast<Function *>(symbol);
}

/// One product with a matrix of one entry, so that the runtime begins with as many threads as will ever be needed.
void start_runtime(int threads)
{
  Mat A;
  Vec x, y;
  check_petsc(MatCreate(PETSC_COMM_SELF, &A));
  check_petsc(MatSetSizes(A, 1, 1, 1, 1));
  check_petsc(MatSetType(A, "aijspec"));
  check_petsc(MatSetUp(A));
  check_petsc(MatSetValue(A, 0, 0, 1.0, INSERT_VALUES));
  check_petsc(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  check_petsc(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  set_plugin_option(A, "threads", threads);
  check_petsc(MatCreateVecs(A, &x, &y));
  check_petsc(MatMult(A, x, y));
  check_petsc(VecDestroy(&x));
  check_petsc(VecDestroy(&y));
  check_petsc(MatDestroy(&A));
}

} // namespace

std::string default_plugin()
{
  if (const char *given = std::getenv("PETSCSPMV_PLUGIN")) return given;
  std::error_code error;
  const auto      program   = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto      installed = program.parent_path().parent_path() / "lib" / "libpetscspmv.so";
  return !error && std::filesystem::exists(installed) ? installed.string() : PETSCSPMV_BENCH_PLUGIN;
}

void load_plugin(const std::string &path, int most_threads)
{
  if (!std::filesystem::exists(path))
    throw std::runtime_error("The plugin '" + path + "' is not there. Build it (make), or give its path with --plugin.");
  check_petsc(PetscDLLibraryAppend(PETSC_COMM_WORLD, &PetscDLLibrariesLoaded, path.c_str()));
  loaded_path() = path;
  if (most_threads > 1) start_runtime(most_threads);
}

void set_plugin_option(Mat A, const std::string &key, std::int64_t value)
{
  static auto *const set = plugin_function<PetscErrorCode(Mat, const char *, PetscInt)>("MatSpMVSetOption");
  check_petsc(set(A, key.c_str(), PetscInt(value)));
}

std::int64_t plugin_option(Mat A, const std::string &key)
{
  static auto *const get = plugin_function<PetscErrorCode(Mat, const char *, PetscInt *)>("MatSpMVGetOption");
  PetscInt           value;
  check_petsc(get(A, key.c_str(), &value));
  return value;
}

std::optional<ProductBytes> plugin_bytes(Mat A)
{
  static auto *const get = plugin_function<PetscErrorCode(Mat, PetscLogDouble *, PetscLogDouble *)>("MatSpMVGetFootprint");
  PetscLogDouble     owned, borrowed;
  check_petsc(get(A, &owned, &borrowed));
  return ProductBytes{std::int64_t(owned + borrowed), std::int64_t(owned)};
}

} // namespace petscspmv::bench
