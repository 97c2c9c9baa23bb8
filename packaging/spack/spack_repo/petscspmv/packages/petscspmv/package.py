# Copyright (c) 2026, the petscspmv developers
# SPDX-License-Identifier: BSD-2-Clause
"""A recipe for Spack. It goes into a repository of recipes as packages/petscspmv/package.py; from a clone of petscspmv, which has to be of
that version:

    spack repo create my-recipes && spack repo add my-recipes
    mkdir -p my-recipes/packages/petscspmv && cp packaging/spack/package.py my-recipes/packages/petscspmv
    spack dev-build --source-path $PWD petscspmv@0.2.0

tests/install/spack.py compares it with the build, by a stand-in for Spack's language; Spack itself has not built it yet.
"""
from spack.package import *


class Petscspmv(CMakePackage, CudaPackage):
    """Products of sparse matrices with vectors for PETSc, by methods that deal equal work to all threads and lanes. A shared library
    that any PETSc program loads at run time."""

    maintainers = []

    license("BSD-2-Clause")

    version("0.2.0")

    variant("examples", default=False, description="Build the examples")
    variant("bench", default=False, description="Build petscspmv-bench, the measuring instrument")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")

    # One build serves one minor version of PETSc.
    depends_on("petsc@3.18:3.26+mpi+double+shared")
    # PETSc's own Kokkos, if it has one, must be ours, too; otherwise ours is static, so that no other in the process is met.
    depends_on("kokkos@4.6:+openmp~shared cxxstd=20", when="^petsc~kokkos")
    depends_on("kokkos@4.6:", when="^petsc+kokkos")

    depends_on("zlib-api", when="+examples")
    depends_on("zlib-api", when="+bench")
    depends_on("cli11", when="+bench")
    depends_on("nlohmann-json", when="+bench")
    depends_on("eigen", when="+bench")

    with when("+cuda"):
        depends_on("petsc@3.26+cuda")
        depends_on("cuda@13:")
        for _arch in CudaPackage.cuda_arch_values:
            depends_on(f"petsc cuda_arch={_arch}", when=f"cuda_arch={_arch}")
            depends_on(f"kokkos+cuda cuda_arch={_arch}", when=f"cuda_arch={_arch}")
        conflicts("cuda_arch=none", msg="petscspmv+cuda has kernels for one architecture: name it, as in cuda_arch=90")

    conflicts("%gcc@:11", msg="petscspmv is C++20, which GCC has from 12 on")

    def cmake_args(self):
        spec = self.spec
        args = [
            self.define("PETSC_DIR", spec["petsc"].prefix),
            self.define("PETSC_ARCH", ""),
            self.define("Kokkos_ROOT", spec["kokkos"].prefix),
            self.define("PETSCSPMV_BUILD_TESTS", False),
            self.define_from_variant("PETSCSPMV_BUILD_EXAMPLES", "examples"),
            self.define_from_variant("PETSCSPMV_BUILD_BENCH", "bench"),
            self.define_from_variant("PETSCSPMV_CUDA", "cuda"),
        ]
        if spec.satisfies("+cuda"):
            args.append(self.define("PETSCSPMV_CUDA_ARCH", spec.variants["cuda_arch"].value[0]))
        return args

    def setup_run_environment(self, env):
        # For -options_file: $PETSCSPMV_OPTIONS
        env.set("PETSCSPMV_OPTIONS", join_path(self.prefix.share, "petscspmv", "petsc_plugin.conf"))
