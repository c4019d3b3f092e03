#ifndef CANDLED_PREFETCH_H
#define CANDLED_PREFETCH_H

// Swift has no word for it: asks the processor for memory that will be written soon. Any address is allowed.
static inline __attribute__((always_inline)) void candled_prefetch(const void *address) {
  __builtin_prefetch(address, 1, 3);
}

#endif
