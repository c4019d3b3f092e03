#ifndef CANDLED_PREFETCH_H
#define CANDLED_PREFETCH_H

// Asks the processor for memory that will be written soon, for which Swift has no word. Any address is allowed.
static inline __attribute__((always_inline)) void candled_prefetch(const void *address) {
  __builtin_prefetch(address, 1, 3);
}

#endif
