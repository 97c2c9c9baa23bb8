# Copyright (c) 2026, the petscspmv developers
# SPDX-License-Identifier: BSD-2-Clause
"""petscspmv for Spack 1.0 and newer: packaging/spack/README.md says how to install it, and what was tried."""
from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage

from spack.package import *


class Petscspmv(CMakePackage, CudaPackage):
    """Products of sparse matrices with vectors for PETSc, by methods that deal equal work to all threads and lanes. A shared library
    that any PETSc program loads at run time."""

    # What `make dist` makes of the checkout in which this file lies.
    url = (Path(__file__).resolve().parents[6] / "build" / "petscspmv-0.3.0.tar.gz").as_uri()

    license("BSD-2-Clause")

    version("0.3.0")

    variant("bench", default=False, description="Build petscspmv-bench, the measuring instrument")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")

    # One build serves one minor version of PETSc.
    depends_on("petsc@3.18:3.26+mpi+double+shared")
    # PETSc's own Kokkos, if it has one, must be ours, too; otherwise ours is static, so that no other in the process is met.
    depends_on("kokkos@4.6:+serial")
    depends_on("kokkos+openmp~shared+pic cxxstd=20", when="^petsc~kokkos")

    with when("+bench"):
        depends_on("petsc~complex")
        depends_on("zlib-api")
        depends_on("cli11")
        depends_on("nlohmann-json")
        depends_on("eigen")

    with when("+cuda"):
        depends_on("petsc@3.26:+cuda")
        depends_on("cuda@13:")
        depends_on("kokkos+cmake_lang", when="^petsc~kokkos")
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
            self.define("PETSCSPMV_BUILD_EXAMPLES", False),  # their sources are installed, and a makefile
            self.define_from_variant("PETSCSPMV_BUILD_BENCH", "bench"),
            self.define_from_variant("PETSCSPMV_CUDA", "cuda"),
        ]
        if spec.satisfies("+cuda"):
            args.append(self.define("PETSCSPMV_CUDA_ARCH", spec.variants["cuda_arch"].value[0]))
        return args

    def setup_run_environment(self, env):
        # For -options_file: $PETSCSPMV_OPTIONS
        env.set("PETSCSPMV_OPTIONS", join_path(self.prefix.share, "petscspmv", "petsc_plugin.conf"))
