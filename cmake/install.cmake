# Installs the headers, a CMake package and a pkg-config file. Nothing in them names the prefix or the machine, so that
# an installed tree can be moved, and one tree serves every architecture.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_directory ${CMAKE_INSTALL_DATADIR}/cmake/tarn)

install(DIRECTORY include/tarn TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp")
install(TARGETS tarn EXPORT tarn_targets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(
  EXPORT tarn_targets
  NAMESPACE tarn::
  FILE tarn-config.cmake # the targets are all that a consumer needs: tarn depends on nothing
  DESTINATION ${package_directory}
)

# Until 1.0 a minor version may change what a program sees, as it changes the inline namespace.
write_basic_package_version_file(
  ${CMAKE_CURRENT_BINARY_DIR}/tarn-config-version.cmake COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT
)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tarn-config-version.cmake DESTINATION ${package_directory})

file(RELATIVE_PATH prefix_from_pkgconfig /${CMAKE_INSTALL_DATADIR}/pkgconfig /)
configure_file(cmake/tarn.pc.in tarn.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tarn.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
