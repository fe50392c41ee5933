/*
 * fuzz: what every tests/fuzz/NAME_fuzz.c defines. libFuzzer calls it with inputs that it invents,
 * replay.c with those that are kept in tests/fuzz/corpus/NAME/.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0. A property that does not hold ends the program: assert. The name is libFuzzer's. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
