#ifndef CANDLED_ALLOCATION_COUNTER_H
#define CANDLED_ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Allocations of the calling thread since it began. Linked into an executable, this takes the place of the C library's
/// malloc, calloc, realloc, posix_memalign and aligned_alloc, and passes on to it.
uint64_t candled_allocation_count(void);

/// False in builds with a sanitizer, which brings an allocator of its own.
bool candled_counts_allocations(void);

/// For the search after a cause: if set, the calling thread traps at its next allocation, so that a debugger or the
/// crash report shows where it is.
void candled_trap_at_allocation(bool traps);

#endif
