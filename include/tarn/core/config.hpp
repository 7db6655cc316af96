// What the build environment offers. All of tarn's macros are here and in version.hpp; everything else is C++.
// Each TARN_HAS_* can be set by the user before the first include; it must then be the same in the whole program,
// and whatever changes a layout or a function body is part of the inline namespace, so that a mix-up fails to link
// instead of misbehaving.
#pragma once

#include "../version.hpp"

// 1: `.value()` on an error throws tarn::failure. 0: it prints the error and aborts.
#ifndef TARN_HAS_EXCEPTIONS
#if defined(__cpp_exceptions)
#define TARN_HAS_EXCEPTIONS 1
#else
#define TARN_HAS_EXCEPTIONS 0
#endif
#endif

// 1: POSIX files, clock and entropy are there: `file_store` and `system_environment` exist.
#ifndef TARN_HAS_POSIX
#if defined(__unix__) || defined(__APPLE__)
#define TARN_HAS_POSIX 1
#else
#define TARN_HAS_POSIX 0
#endif
#endif

// 1: stores lock. 0: a program of one thread, which then needs no threading library.
#ifndef TARN_HAS_THREADS
#define TARN_HAS_THREADS TARN_HAS_POSIX
#endif

// A note on `template <class = void>`, which stands before functions and classes all over tarn: they are templates over
// nothing. A file that includes tarn then only parses them, and compiles those that it uses. What compilers look at
// even then is kept cheap too: operators are friends of their classes (an overload for the namespace is tried,
// conversions and all, on everything that is compared in it), literals go through `append_text` (std::string's own
// functions check each length of literal anew), and some small types swap by hand (std::swap and std::exchange ask ten
// traits a type).

#define TARN_CONCATENATE_EXPANDED(a, b, c, d, e) a##b##_##c##_e##d##_t##e
#define TARN_CONCATENATE(a, b, c, d, e) TARN_CONCATENATE_EXPANDED(a, b, c, d, e)
#define TARN_ABI TARN_CONCATENATE(v, TARN_VERSION_MAJOR, TARN_VERSION_MINOR, TARN_HAS_EXCEPTIONS, TARN_HAS_THREADS)
