/* server_process: the process behind server_source.h. */
#ifndef IK_TEST_SERVER_PROCESS_H
#define IK_TEST_SERVER_PROCESS_H

/* Serve what is asked over fd to its end, then _exit(). */
void server_process(int fd) __attribute__((noreturn));

#endif
