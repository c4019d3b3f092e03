/* Preloaded: adds to CLOCK_REALTIME the milliseconds that stand in the file CANDLED_CLOCK (eight bytes of this machine). */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static volatile int64_t *offset;

__attribute__((constructor)) static void begin(void) {
  const char *name = getenv("CANDLED_CLOCK");
  int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) abort();
  offset = mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
  if (offset == MAP_FAILED) abort();
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
  int result = real(clock, time);
  if (result == 0 && clock == CLOCK_REALTIME && offset) {
    int64_t nanoseconds = (int64_t)time->tv_nsec + *offset % 1000 * 1000000;
    time->tv_sec += *offset / 1000 + (nanoseconds < 0 ? -1 : nanoseconds / 1000000000);
    time->tv_nsec = nanoseconds < 0 ? nanoseconds + 1000000000 : nanoseconds % 1000000000;
  }
  return result;
}
