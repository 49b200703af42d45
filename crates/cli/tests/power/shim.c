/* A faulty disk for a real process.
 *
 * The test compiles this file and loads it into `tiltyard serve` with LD_PRELOAD. It replaces the
 * functions of the C library that change files. For files below one directory, the shim
 *
 *   - appends every operation with its bytes to a journal, from which the test later builds disk
 *     images, as a loss of power at any moment could have left them;
 *   - lets some operations fail: syncs, writes, and operations that need more space.
 *
 * Order matters, so one mutex is held while an operation is journaled and carried out. The journal
 * comes first: if the process is killed in between, at most the last operation of the journal is
 * missing in the directory, and the test finds out. The journal is written with plain write(2).
 * The kernel keeps it when the process is killed, and the machine itself keeps its power.
 *
 * A sync is journaled twice, when it begins and when it ends, because other threads may write in
 * between. It never reaches the real disk, because only the journal decides what is durable.
 *
 * The shim sees no `writev`, `fallocate`, memory maps and other ways to change a file. SQLite and
 * the server do not use them, except that SQLite maps the file `-shm`, which does not have to
 * survive a crash and is ignored here. The test compares the real directory with the journal after
 * every kill, so an operation that the shim does not see fails the test.
 *
 * Environment:
 *   TILTYARD_POWER_DIRECTORY  the absolute path of the directory
 *   TILTYARD_POWER_JOURNAL    the journal, outside of the directory
 *   TILTYARD_POWER_FAULTS     a file with the current faults (see `struct faults`), read before
 *                             every operation, so that the test can change them
 *   TILTYARD_POWER_SEED       the seed of all random choices here
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* The kinds of journal records; journal.rs reads the same numbers. */
enum kind {
    CREATING = 1,  /* path: a file is about to be created */
    CREATED = 2,   /* path, inode */
    WRITE = 3,     /* inode, offset, bytes; result: 0, or -n if it left out the last n bytes */
    TRUNCATE = 4,  /* inode, new size */
    SYNC_BEGIN = 5,/* inode (of a file or a directory), path, number of the sync */
    SYNC_END = 6,  /* number of the sync; result: 0, -errno, or 1 if it lied */
    RENAME = 7,    /* path, new path as bytes */
    UNLINK = 8,    /* path */
    MKDIR = 9,     /* path */
    FAILED = 10,   /* path: an operation that failed without effect; result: -errno */
};

struct header {
    uint32_t kind, path_length;
    uint64_t data_length, inode, number;
    int64_t result;
};

/* Probabilities in thousandths, in the order of the file. */
struct faults {
    unsigned sync;   /* a sync fails with EIO */
    unsigned lie;    /* a sync reports success and does nothing */
    unsigned input;  /* a write fails with EIO */
    unsigned partly; /* a write writes only its first bytes */
    unsigned full;   /* a write or a new file that needs more space fails with ENOSPC */
    unsigned delay;  /* not a probability: the most microseconds that a sync takes */
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *directory, *faults_path;
static size_t directory_length;
static int journal = -1;
static uint64_t state, n_syncs;

static void start(void) {
    const char *path = getenv("TILTYARD_POWER_JOURNAL"), *seed = getenv("TILTYARD_POWER_SEED");
    directory = getenv("TILTYARD_POWER_DIRECTORY");
    faults_path = getenv("TILTYARD_POWER_FAULTS");
    if (!path || !seed || !directory || !faults_path) abort();
    directory_length = strlen(directory);
    state = strtoull(seed, NULL, 10);
    journal = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (journal < 0) abort();
}

/* SplitMix64. */
static uint64_t draw(void) {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int happens(unsigned thousandths) { return draw() % 1000 < thousandths; }

static struct faults faults_now(void) {
    struct faults now = {0};
    char text[128];
    int file = syscall(SYS_openat, AT_FDCWD, faults_path, O_RDONLY | O_CLOEXEC, 0);
    if (file < 0) return now;
    ssize_t length = syscall(SYS_read, file, text, sizeof text - 1);
    syscall(SYS_close, file);
    text[length > 0 ? length : 0] = 0;
    sscanf(text, "%u %u %u %u %u %u", &now.sync, &now.lie, &now.input, &now.partly, &now.full,
           &now.delay);
    return now;
}

static void note(enum kind kind, const char *path, uint64_t inode, uint64_t number, int64_t result,
                 const void *data, size_t length) {
    struct header header = {kind, path ? strlen(path) : 0, length, inode, number, result};
    struct iovec parts[] = {
        {&header, sizeof header}, {(void *)path, header.path_length}, {(void *)data, length}};
    ssize_t whole = sizeof header + header.path_length + length;
    if (syscall(SYS_writev, journal, parts, 3) != whole) abort();
}

/* Whether the shim watches the file with this path. */
static int is_ours(const char *path) {
    pthread_once(&once, start);
    size_t length = strlen(path);
    if (strncmp(path, directory, directory_length) != 0) return 0;
    if (path[directory_length] != '/' && path[directory_length] != 0) return 0;
    return length < 4 || strcmp(path + length - 4, "-shm") != 0;
}

/* Whether the shim watches an open file; if so, its path and properties. The path of a deleted
 * file ends in " (deleted)". */
static int is_our_file(int file, char path[4096], struct stat *found) {
    char link[64];
    pthread_once(&once, start);
    if (file < 3 || file == journal) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, 4095);
    if (length < 0) return 0;
    path[length] = 0;
    if (strstr(path, "-shm (deleted)")) return 0;
    return is_ours(path) && fstat(file, found) == 0;
}

static int refuse(const char *path, int error) {
    note(FAILED, path, 0, 0, -error, NULL, 0);
    pthread_mutex_unlock(&mutex);
    errno = error;
    return -1;
}

/* After an operation that is already in the journal: it must have had exactly this result. */
static long must(long result, long expected) {
    if (result != expected) {
        dprintf(2, "shim: the real disk fails: %ld instead of %ld (%s)\n", result, expected,
                strerror(errno));
        abort();
    }
    pthread_mutex_unlock(&mutex);
    return result;
}

static int open_at(int at, const char *path, int flags, mode_t mode) {
    struct stat found;
    if (!is_ours(path) || !(flags & (O_CREAT | O_TRUNC)))
        return syscall(SYS_openat, at, path, flags, mode);
    pthread_mutex_lock(&mutex);
    int is_new = stat(path, &found) != 0;
    if (is_new && (flags & O_CREAT)) {
        if (happens(faults_now().full)) return refuse(path, ENOSPC);
        note(CREATING, path, 0, 0, 0, NULL, 0);
    } else if (!is_new && (flags & O_TRUNC)) {
        note(TRUNCATE, path, found.st_ino, 0, 0, NULL, 0);
    }
    int file = syscall(SYS_openat, at, path, flags, mode);
    if (is_new && file >= 0) {
        if (fstat(file, &found) != 0) abort();
        note(CREATED, path, found.st_ino, 0, 0, NULL, 0);
    }
    pthread_mutex_unlock(&mutex);
    return file;
}

#define OPEN(name, parameters, at)                                        \
    int name parameters {                                                 \
        mode_t mode = 0;                                                  \
        if (flags & O_CREAT) {                                           \
            va_list rest;                                                 \
            va_start(rest, flags);                                        \
            mode = va_arg(rest, mode_t);                                  \
            va_end(rest);                                                 \
        }                                                                 \
        return open_at(at, path, flags, mode);                            \
    }
OPEN(open, (const char *path, int flags, ...), AT_FDCWD)
OPEN(open64, (const char *path, int flags, ...), AT_FDCWD)
OPEN(openat, (int at, const char *path, int flags, ...), at)
OPEN(openat64, (int at, const char *path, int flags, ...), at)

/* Writes at an offset, or where the file is if the offset is negative. */
static ssize_t write_at(int file, const void *data, size_t length, off_t offset) {
    char path[4096];
    struct stat found;
    int is_here = offset < 0;
    if (!is_our_file(file, path, &found) || length == 0)
        return is_here ? syscall(SYS_write, file, data, length)
                       : syscall(SYS_pwrite64, file, data, length, offset);
    pthread_mutex_lock(&mutex);
    if (fstat(file, &found) != 0) abort();
    if (is_here) {
        int appends = fcntl(file, F_GETFL) & O_APPEND;
        offset = appends ? found.st_size : syscall(SYS_lseek, file, 0, SEEK_CUR);
    }
    struct faults now = faults_now();
    if (happens(now.input)) return refuse(path, EIO);
    int needs_space = offset + (off_t)length > found.st_size;
    int is_full = needs_space && happens(now.full);
    if (is_full && (length == 1 || happens(500))) return refuse(path, ENOSPC);
    if (length > 1 && (is_full || happens(now.partly))) {
        size_t less = 1 + draw() % (length - 1);
        note(WRITE, path, found.st_ino, offset, (int64_t)less - (int64_t)length, data, less);
        length = less;
    } else {
        note(WRITE, path, found.st_ino, offset, 0, data, length);
    }
    return must(is_here ? syscall(SYS_write, file, data, length)
                        : syscall(SYS_pwrite64, file, data, length, offset), length);
}

ssize_t write(int file, const void *data, size_t length) {
    return write_at(file, data, length, -1);
}
ssize_t pwrite(int file, const void *data, size_t length, off_t offset) {
    return write_at(file, data, length, offset);
}
ssize_t pwrite64(int file, const void *data, size_t length, off64_t offset) {
    return write_at(file, data, length, offset);
}

static int truncate_to(int file, off_t size) {
    char path[4096];
    struct stat found;
    if (!is_our_file(file, path, &found)) return syscall(SYS_ftruncate, file, size);
    pthread_mutex_lock(&mutex);
    note(TRUNCATE, path, found.st_ino, size, 0, NULL, 0);
    return must(syscall(SYS_ftruncate, file, size), 0);
}

int ftruncate(int file, off_t size) { return truncate_to(file, size); }
int ftruncate64(int file, off64_t size) { return truncate_to(file, size); }

static int sync_file(int file, long real) {
    char path[4096];
    struct stat found;
    if (!is_our_file(file, path, &found)) return syscall(real, file);
    pthread_mutex_lock(&mutex);
    struct faults now = faults_now();
    int result = happens(now.lie) ? 1 : happens(now.sync) ? -EIO : 0;
    uint64_t number = n_syncs++;
    note(SYNC_BEGIN, path, found.st_ino, number, S_ISDIR(found.st_mode), NULL, 0);
    unsigned wait = now.delay ? draw() % now.delay : 0;
    pthread_mutex_unlock(&mutex);
    if (wait) usleep(wait);
    pthread_mutex_lock(&mutex);
    note(SYNC_END, path, found.st_ino, number, result, NULL, 0);
    pthread_mutex_unlock(&mutex);
    errno = EIO;
    return result < 0 ? -1 : 0;
}

int fsync(int file) { return sync_file(file, SYS_fsync); }
int fdatasync(int file) { return sync_file(file, SYS_fdatasync); }

int rename(const char *from, const char *to) {
    struct stat found;
    if (!is_ours(to) || stat(from, &found) != 0)
        return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    pthread_mutex_lock(&mutex);
    if (happens(faults_now().full)) return refuse(to, ENOSPC);
    note(RENAME, from, 0, 0, 0, to, strlen(to));
    return must(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0), 0);
}

int unlink(const char *path) {
    struct stat found;
    if (!is_ours(path) || stat(path, &found) != 0) return syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    pthread_mutex_lock(&mutex);
    note(UNLINK, path, 0, 0, 0, NULL, 0);
    return must(syscall(SYS_unlinkat, AT_FDCWD, path, 0), 0);
}

int mkdir(const char *path, mode_t mode) {
    struct stat found;
    if (!is_ours(path) || stat(path, &found) == 0)
        return syscall(SYS_mkdirat, AT_FDCWD, path, mode);
    pthread_mutex_lock(&mutex);
    if (happens(faults_now().full)) return refuse(path, ENOSPC);
    note(MKDIR, path, 0, 0, 0, NULL, 0);
    return must(syscall(SYS_mkdirat, AT_FDCWD, path, mode), 0);
}
