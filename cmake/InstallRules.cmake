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

# pkg-config: one for the build tree, and one whose prefix is relative to the file itself, so that the installed tree can be moved.
set(pc_template "${PROJECT_SOURCE_DIR}/cmake/petscspmv.pc.in")
set(pc_prefix "${PROJECT_BINARY_DIR}")
set(pc_libdir "\${prefix}")
set(pc_includedir "${PROJECT_SOURCE_DIR}/include")
set(pc_plugin_conf "\${prefix}/petsc_plugin.conf")
configure_file("${pc_template}" "${PROJECT_BINARY_DIR}/pkgconfig/petscspmv.pc" @ONLY)

cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" OUTPUT_VARIABLE pc_to_prefix)
set(pc_prefix "\${pcfiledir}/${pc_to_prefix}")
set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
set(pc_plugin_conf "\${prefix}/${share_dir}/petsc_plugin.conf")
configure_file("${pc_template}" "${generated_dir}/petscspmv.pc" @ONLY)
install(FILES "${generated_dir}/petscspmv.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# petsc_plugin.conf: one for the build tree, one that is written when the prefix is known for certain.
set(conf_template "${PROJECT_SOURCE_DIR}/cmake/petsc_plugin.conf.in")
set(plugin_path "${PROJECT_BINARY_DIR}/${library_file}")
set(plugin_conf_itself "${PROJECT_BINARY_DIR}/petsc_plugin.conf")
configure_file("${conf_template}" "${plugin_conf_itself}" @ONLY)
configure_file("${PROJECT_SOURCE_DIR}/cmake/install_plugin_conf.cmake.in" "${generated_dir}/install_plugin_conf.cmake" @ONLY)
install(SCRIPT "${generated_dir}/install_plugin_conf.cmake")

# The examples, with their makefile. What may have been built in the source folder stays there.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples/" DESTINATION "${share_dir}/examples"
  FILES_MATCHING
  PATTERN "*.[ch]" PATTERN "*.py" PATTERN "makefile" PATTERN "data/*"
  PATTERN "__pycache__" EXCLUDE)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${share_dir}")
