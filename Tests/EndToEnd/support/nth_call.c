// Makes one system call on files below a folder fail, or cut short: the CANDLED_NTH-th of those named below, counted over
// the whole process. CANDLED_WAY: fail (ENOSPC for writes, EIO else), short (half of a write), stop (the process ends
// right before the call, as a crash would). Loaded with LD_PRELOAD; for tests only.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;
static long wanted;
static int way;  // 0 fail, 1 short, 2 stop
static const char *folder;

__attribute__((constructor)) static void begin(void) {
  const char *nth = getenv("CANDLED_NTH");
  const char *name = getenv("CANDLED_WAY");
  folder = getenv("CANDLED_FOLDER");
  wanted = nth ? atol(nth) : 0;
  way = name && !strcmp(name, "short") ? 1 : name && !strcmp(name, "stop") ? 2 : 0;
}

static int below(const char *path) { return folder && path && strncmp(path, folder, strlen(folder)) == 0; }

static int ours(int descriptor) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return below(path) && !strstr(path, ".log");
}

// 0: go on; 1: fail; 2: cut short.
static int turn(const char *what) {
  long number = atomic_fetch_add(&calls, 1) + 1;
  const char *count = getenv("CANDLED_COUNT");
  if (count && wanted == 0) {
    FILE *file = fopen(count, "w");
    if (file) {
      fprintf(file, "%ld\n", number);
      fclose(file);
    }
  }
  if (number != wanted) return 0;
  fprintf(stderr, "nth_call: %s number %ld\n", what, number);
  if (way == 2) raise(SIGKILL);
  return way == 1 ? 2 : 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (ours(descriptor)) {
    int answer = turn("write");
    if (answer == 1) { errno = ENOSPC; return -1; }
    if (answer == 2) count = count / 2;
  }
  return REAL(write)(descriptor, bytes, count);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  if (ours(descriptor)) {
    int answer = turn("pwrite");
    if (answer == 1) { errno = ENOSPC; return -1; }
    if (answer == 2) count = count / 2;
  }
  return REAL(pwrite64)(descriptor, bytes, count, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

#define FAILING(name, declaration, arguments, check) \
  int name declaration { \
    if (check && turn(#name)) { errno = EIO; return -1; } \
    return REAL(name) arguments; \
  }

FAILING(fsync, (int descriptor), (descriptor), ours(descriptor))
FAILING(fdatasync, (int descriptor), (descriptor), ours(descriptor))
FAILING(ftruncate64, (int descriptor, off64_t length), (descriptor, length), ours(descriptor))
FAILING(ftruncate, (int descriptor, off_t length), (descriptor, length), ours(descriptor))
FAILING(rename, (const char *from, const char *to), (from, to), below(from) || below(to))
FAILING(unlink, (const char *path), (path), below(path))
FAILING(fallocate64, (int descriptor, int mode, off64_t offset, off64_t length), (descriptor, mode, offset, length), ours(descriptor))
FAILING(fallocate, (int descriptor, int mode, off_t offset, off_t length), (descriptor, mode, offset, length), ours(descriptor))
FAILING(msync, (void *start, size_t length, int flags), (start, length, flags), 1)

// Returns its error.
int posix_fallocate64(int descriptor, off64_t offset, off64_t length) {
  if (ours(descriptor) && turn("posix_fallocate")) return ENOSPC;
  return REAL(posix_fallocate64)(descriptor, offset, length);
}

int posix_fallocate(int descriptor, off_t offset, off_t length) { return posix_fallocate64(descriptor, offset, length); }
