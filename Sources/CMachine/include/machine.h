#ifndef CANDLED_MACHINE_H
#define CANDLED_MACHINE_H

// The settings of the allocator, which Swift's Glibc leaves out.
#include <malloc.h>

// Asks the processor for memory that will be written soon. Any address is allowed.
static inline __attribute__((always_inline)) void candled_prefetch(const void *address) {
  __builtin_prefetch(address, 1, 3);
}

#endif
