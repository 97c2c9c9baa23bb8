"""spack.py <checkout> <version>: evaluates the recipe in packaging/spack with a stand-in for Spack's language.

It shows that the recipe is Python that Spack can read, that its numbers are those of the build, and that the options that it gives to CMake
are options of ours. It does not show that Spack can build it.
"""
import re
import sys
import types
from pathlib import Path

checkout, version = Path(sys.argv[1]).resolve(), sys.argv[2]
repository = "packaging/spack/spack_repo/petscspmv"
recipe_file = checkout / repository / "packages/petscspmv/package.py"


class Spec:
    """What a recipe asks of a specification, here one with everything."""

    prefix = "/prefix"
    variants = {"cuda_arch": types.SimpleNamespace(value=("90",))}

    def __getitem__(self, name):
        return types.SimpleNamespace(prefix="/prefix/of/" + name)

    def satisfies(self, what):
        return True


class Package:
    cuda_arch_values = ("90",)
    prefix = types.SimpleNamespace(share="/prefix/share")
    spec = Spec()

    def define(self, name, value):
        return name, value

    def define_from_variant(self, name, variant):
        assert variant == "cuda" or variant in said_first("variant"), f"there is no variant {variant}"
        return name, True


class When:
    def __init__(self, condition):
        pass

    def __enter__(self):
        pass

    def __exit__(self, *_):
        pass


said = []  # (directive, arguments, named arguments)


def directive(name):
    return lambda *args, **named: said.append((name, args, named))


def said_first(name):
    return [args[0] for what, args, _ in said if what == name]


def text(name):
    return (checkout / name).read_text()


def number(pattern, name):
    return re.search(pattern, text(name)).group(1)


def module(name, **names):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(names)


words = {name: directive(name) for name in ("license", "version", "variant", "depends_on", "conflicts")}
module("spack")
module("spack.package", when=When, join_path=lambda *parts: "/".join(str(p) for p in parts), **words)
for parent in ("spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
    module(parent)
module("spack_repo.builtin.build_systems.cmake", CMakePackage=Package)
module("spack_repo.builtin.build_systems.cuda", CudaPackage=type("CudaPackage", (), {"cuda_arch_values": ("90",)}))
recipe = {"__file__": str(recipe_file)}
exec(compile(recipe_file.read_text(), "package.py", "exec"), recipe)

assert "namespace: " + Path(repository).name in text(repository + "/repo.yaml"), "Spack 1.0 wants the folder named after the namespace"
tarball = (checkout / "build" / f"petscspmv-{version}.tar.gz").as_uri()
assert recipe["Petscspmv"].url == tarball, f"the sources are to be {tarball}, not {recipe['Petscspmv'].url}"
assert said_first("version") == [version], f"the recipe is for {said_first('version')}, but this is {version}"
needs = said_first("depends_on")
for wanted in (
    "mpi",
    "cmake@" + number(r"cmake_minimum_required\(VERSION ([\d.]+)\)", "CMakeLists.txt") + ":",
    "petsc@{}:{}+mpi+double+shared".format(*(number(rf"set\(_petsc_{end} ([\d.]+)\)", "cmake/FindPETSc.cmake") for end in ("oldest", "newest"))),
    "kokkos@" + number(r"set\(PETSCSPMV_KOKKOS_OLDEST ([\d.]+)\)", "cmake/KokkosDependency.cmake") + ":+serial",
):
    assert wanted in needs, f"{wanted} is not among {needs}"

ours = set(re.findall(r"(?:option\(|set\()(\w+)", text("CMakeLists.txt") + text("cmake/CudaSettings.cmake") + text("cmake/FindPETSc.cmake")))
for name, _ in recipe["Petscspmv"]().cmake_args():
    assert name in ours | {"Kokkos_ROOT"}, f"{name} is no option of ours"

environment = {}
recipe["Petscspmv"]().setup_run_environment(types.SimpleNamespace(set=environment.__setitem__))
assert environment["PETSCSPMV_OPTIONS"].endswith("share/petscspmv/petsc_plugin.conf")
print("the recipe agrees with the build")
