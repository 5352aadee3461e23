#include <libpq-fe.h>
// Waiting on libpq's sockets: not part of Swift's Glibc module.
#include <sys/epoll.h>
#include <sys/eventfd.h>
