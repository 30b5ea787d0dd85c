/*
 * measure: what the benchmarks share: clocks, medians, figures of a process.
 *
 * May include: libc, util.
 */
#ifndef IK_BENCH_MEASURE_H
#define IK_BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

double now_ms(void);

/* Sorts values. */
double median(double *values, size_t count);

/* CPU milliseconds of a process so far, of all its threads; -1 when it is gone. */
double cpu_ms(pid_t pid);

/* Proportional set size in kB; -1 when it is gone. */
long pss_kb(pid_t pid);

/* Times that its threads went to sleep or were put to sleep. */
long context_switches(pid_t pid);

/* "name  median unit  (n runs, min..max)" on standard output. */
void print_figure(const char *name, const char *unit, double *values, size_t count);

#endif
