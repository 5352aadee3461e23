#include <libpq-fe.h>
// Waiting on libpq's sockets: not part of Swift's Glibc module.
#include <sys/epoll.h>
#include <sys/eventfd.h>

// What glibc declares under _GNU_SOURCE alone, which Swift's own module of it does not set: needed to start server programs that
// inherit nothing of ours.
#include <spawn.h>
extern int pipe2(int ends[2], int flags);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);
