// The test program's main. Every test file of sources.txt is linked with it into one executable, so each public header
// is included by several translation units of one program: what a header defines twice fails to link.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
