#include "allocation_counter.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

static _Thread_local uint64_t count __attribute__((tls_model("initial-exec")));
static _Thread_local bool trapping __attribute__((tls_model("initial-exec")));

uint64_t candled_allocation_count(void) { return count; }

void candled_trap_at_allocation(bool traps) { trapping = traps; }

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_OWN_ALLOCATOR 1
#endif
#endif

#if defined(HAS_OWN_ALLOCATOR) || !defined(__GLIBC__)

bool candled_counts_allocations(void) { return false; }

#else

bool candled_counts_allocations(void) { return true; }

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t number, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static inline void note(void) {
  count += 1;
  if (trapping) {
    trapping = false;
    __builtin_trap();
  }
}

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  note();
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  note();
  return __libc_realloc(memory, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
  note();
  void *result = __libc_memalign(alignment, size);
  if (result == NULL) return ENOMEM;
  *memory = result;
  return 0;
}

void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

#endif
