// The one place that states tarn's version; CMake and Meson read it from here.
#pragma once

#define TARN_VERSION_MAJOR 0
#define TARN_VERSION_MINOR 1
#define TARN_VERSION_PATCH 0
