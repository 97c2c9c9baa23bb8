# What `cmake --install` (make install PREFIX=...) puts where, and the build tree's own petsc_plugin.conf.

include(CMakePackageConfigHelpers)

set(library_file "${CMAKE_SHARED_LIBRARY_PREFIX}petscspmv${CMAKE_SHARED_LIBRARY_SUFFIX}")
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/petscspmv")
set(share_dir "${CMAKE_INSTALL_DATADIR}/petscspmv")
set(generated_dir "${PROJECT_BINARY_DIR}/install")

# The library and its header.
install(TARGETS petscspmv EXPORT petscspmvTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/include/petscspmv.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

# find_package(petscspmv). FindPETSc.cmake goes along: PETSc has no CMake package of its own.
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/petscspmvConfig.cmake.in" "${generated_dir}/petscspmvConfig.cmake"
  INSTALL_DESTINATION "${package_dir}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${generated_dir}/petscspmvConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES
  "${generated_dir}/petscspmvConfig.cmake"
  "${generated_dir}/petscspmvConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/FindPETSc.cmake"
  DESTINATION "${package_dir}")
install(EXPORT petscspmvTargets NAMESPACE petscspmv:: DESTINATION "${package_dir}")

# pkg-config. The prefix is relative to the file itself, so that the tree can be moved.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" OUTPUT_VARIABLE pc_to_prefix)
configure_file("${PROJECT_SOURCE_DIR}/cmake/petscspmv.pc.in" "${generated_dir}/petscspmv.pc" @ONLY)
install(FILES "${generated_dir}/petscspmv.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# petsc_plugin.conf: one for the build tree, one that is written when the prefix is known for certain.
set(conf_template "${PROJECT_SOURCE_DIR}/cmake/petsc_plugin.conf.in")
set(plugin_path "${PROJECT_BINARY_DIR}/${library_file}")
set(plugin_conf_itself "${PROJECT_BINARY_DIR}/petsc_plugin.conf")
configure_file("${conf_template}" "${plugin_conf_itself}" @ONLY)
configure_file("${PROJECT_SOURCE_DIR}/cmake/install_plugin_conf.cmake.in" "${generated_dir}/install_plugin_conf.cmake" @ONLY)
install(SCRIPT "${generated_dir}/install_plugin_conf.cmake")

# The examples, with a makefile that needs nothing but the installed tree.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples/" DESTINATION "${share_dir}/examples"
  PATTERN "CMakeLists.txt" EXCLUDE
  PATTERN "__pycache__" EXCLUDE)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}/${share_dir}/examples" OUTPUT_VARIABLE share_to_libdir)
configure_file("${PROJECT_SOURCE_DIR}/cmake/examples.makefile.in" "${generated_dir}/examples.makefile" @ONLY)
install(FILES "${generated_dir}/examples.makefile" DESTINATION "${share_dir}/examples" RENAME makefile)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${share_dir}")
