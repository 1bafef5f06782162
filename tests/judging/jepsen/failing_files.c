/* A file layer that fails on command, in front of the C library (LD_PRELOAD): what a full or dying disk does to a
 * store. FAILING_FILES_SWITCH names a file of one line, read anew whenever it changes:
 *
 *   ok                nothing fails
 *   full              whatever makes a file longer fails with ENOSPC, and so does fsync
 *   dying             writes and fsync fail with EIO
 *   nth KIND N ERRNO  the N-th call of KIND (write, sync, any) fails once, counted from the first call under this line
 *   from KIND N ERRNO the N-th and all later ones fail
 *
 * FAILING_FILES_SHADOW names a folder for what would be left if the power went: at each fsync that succeeds, and before
 * it returns, the file is copied there. What was written and never synced is not in it.
 *
 * Only files whose path contains FAILING_FILES_MATCH are touched. Calls are counted in FAILING_FILES_COUNT, a file of
 * two 64-bit numbers (writes, syncs), so that a harness knows how many there are to fail. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { WRITES, SYNCS };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t *counts; /* shared among processes */
static const char *match, *switch_file, *shadow;
static struct timespec seen;
static ino_t seen_inode;
static struct {
  int mode; /* 0 ok, 1 nth, 2 from, 3 full, 4 dying */
  int kind; /* WRITES, SYNCS, 2 any */
  uint64_t n;
  int error;
  uint64_t base[2];
} order;

static ssize_t (*real_pread)(int, void *, size_t, off_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_write)(int, const void *, size_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_ftruncate)(int, off_t);
static int (*real_fallocate)(int, off_t, off_t);

__attribute__((constructor)) static void begin(void) {
  real_pread = dlsym(RTLD_NEXT, "pread64");
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_write = dlsym(RTLD_NEXT, "write");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  real_fallocate = dlsym(RTLD_NEXT, "posix_fallocate64");
  match = getenv("FAILING_FILES_MATCH");
  switch_file = getenv("FAILING_FILES_SWITCH");
  shadow = getenv("FAILING_FILES_SHADOW");
  const char *count = getenv("FAILING_FILES_COUNT");
  static uint64_t own[2];
  counts = own;
  if (count) {
    int fd = open(count, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0 && real_ftruncate(fd, sizeof own) == 0) {
      void *shared = mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      if (shared != MAP_FAILED) counts = shared;
    }
    if (fd >= 0) close(fd);
  }
}

static void read_switch(void) {
  struct stat info;
  if (!switch_file || stat(switch_file, &info) != 0) { order.mode = 0; return; }
  if (info.st_mtim.tv_sec == seen.tv_sec && info.st_mtim.tv_nsec == seen.tv_nsec && info.st_ino == seen_inode) return;
  seen = info.st_mtim;
  seen_inode = info.st_ino;
  char line[128] = "", kind[16] = "";
  int fd = open(switch_file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t got = real_pread(fd, line, sizeof line - 1, 0);
  close(fd);
  line[got > 0 ? got : 0] = 0;
  unsigned long long n = 0;
  order.mode = 0;
  if (sscanf(line, "nth %15s %llu %d", kind, &n, &order.error) == 3) order.mode = 1;
  else if (sscanf(line, "from %15s %llu %d", kind, &n, &order.error) == 3) order.mode = 2;
  else if (strncmp(line, "full", 4) == 0) { order.mode = 3; order.error = ENOSPC; }
  else if (strncmp(line, "dying", 5) == 0) { order.mode = 4; order.error = EIO; }
  order.kind = strcmp(kind, "write") == 0 ? WRITES : strcmp(kind, "sync") == 0 ? SYNCS : 2;
  order.n = n;
  order.base[WRITES] = counts[WRITES];
  order.base[SYNCS] = counts[SYNCS];
}

static int ours(int fd, char *path) {
  char name[64];
  if (!match) return 0;
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(name, path, PATH_MAX - 1);
  if (n <= 0) return 0;
  path[n] = 0;
  return strstr(path, match) != NULL;
}

/* The error that this call is to fail with; 0: none. `grows`: it would take room that the file does not have yet. */
__attribute__((noinline)) static int verdict(int fd, int kind, int grows) {
  char path[PATH_MAX];
  if (!ours(fd, path)) return 0;
  if (strstr(path, "-shm")) return 0; /* shared memory: not written by calls on a real system */
  pthread_mutex_lock(&lock);
  read_switch();
  __atomic_add_fetch(&counts[kind], 1, __ATOMIC_SEQ_CST);
  uint64_t at = order.kind == 2 ? counts[0] + counts[1] - order.base[0] - order.base[1]
                                : counts[order.kind] - order.base[order.kind];
  int concerned = order.kind == 2 || order.kind == kind;
  int fails = (order.mode == 1 && concerned && at == order.n) || (order.mode == 2 && concerned && at >= order.n) ||
              (order.mode == 3 && (grows || kind == SYNCS)) || order.mode == 4;
  int error = fails ? order.error : 0;
  pthread_mutex_unlock(&lock);
  return error;
}

static int beyond(int fd, off_t end) {
  struct stat info;
  return fstat(fd, &info) == 0 && end > info.st_size;
}

ssize_t pwrite64(int fd, const void *data, size_t size, off_t at) {
  int error = verdict(fd, WRITES, beyond(fd, at + (off_t)size));
  if (error) { errno = error; return -1; }
  return real_pwrite(fd, data, size, at);
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) { return pwrite64(fd, data, size, at); }

static int is_regular(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

/* Handlers of signals write to a socket, maybe on a stack of a few kilobytes: nothing large may be put on it, and no lock
 * be waited for. */
ssize_t write(int fd, const void *data, size_t size) {
  int error = fd > 2 && is_regular(fd) ? verdict(fd, WRITES, 1) : 0;
  if (error) { errno = error; return -1; }
  return real_write(fd, data, size);
}

/* Beside its name until it is whole, so that a copy that is cut short replaces nothing. The file is read through the
 * caller's descriptor: to close another one of it would let go of all locks that the process has on it. */
static void survive(int fd) {
  char path[PATH_MAX], made[PATH_MAX + 64], done[PATH_MAX + 64];
  struct stat info;
  if (!shadow || !ours(fd, path) || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return;
  const char *name = strrchr(path, '/') + 1;
  snprintf(made, sizeof made, "%s/.%d-%s", shadow, (int)getpid(), name);
  snprintf(done, sizeof done, "%s/%s", shadow, name);
  int to = open(made, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  off_t at = 0;
  while (to >= 0 && at < info.st_size)
    if (sendfile(to, fd, &at, (size_t)(info.st_size - at)) <= 0) break;
  if (to >= 0) close(to);
  if (at == info.st_size) rename(made, done);
}

static int synced(int fd, int (*really)(int)) {
  int error = verdict(fd, SYNCS, 0);
  if (error) { errno = error; return -1; }
  int result = really(fd);
  if (result == 0) survive(fd);
  return result;
}
int fsync(int fd) { return synced(fd, real_fsync); }
int fdatasync(int fd) { return synced(fd, real_fdatasync); }

int ftruncate64(int fd, off_t size) {
  int error = verdict(fd, WRITES, beyond(fd, size));
  if (error) { errno = error; return -1; }
  return real_ftruncate(fd, size);
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

int posix_fallocate64(int fd, off_t at, off_t size) {
  int error = verdict(fd, WRITES, beyond(fd, at + size));
  return error ? error : real_fallocate(fd, at, size);
}
int posix_fallocate(int fd, off_t at, off_t size) { return posix_fallocate64(fd, at, size); }
