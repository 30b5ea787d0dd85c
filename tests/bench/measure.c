#include "measure.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double now_ms(void)
{
	struct timespec time;

	(void)clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int compare(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return (a > b) - (a < b);
}

double median(double *values, size_t count)
{
	if (count == 0)
		return -1;
	qsort(values, count, sizeof *values, compare);
	return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

double cpu_ms(pid_t pid)
{
	char path[300];
	double sum = -1;
	struct dirent *entry;
	DIR *tasks;

	(void)snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks != NULL && (entry = readdir(tasks)) != NULL) {
		unsigned long long ns;
		FILE *stream;

		(void)snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", (int)pid, entry->d_name);
		stream = entry->d_name[0] == '.' ? NULL : fopen(path, "re");
		if (stream == NULL)
			continue;
		if (fscanf(stream, "%llu", &ns) == 1)
			sum = (sum < 0 ? 0 : sum) + (double)ns / 1e6;
		(void)fclose(stream);
	}
	if (tasks != NULL)
		(void)closedir(tasks);
	return sum;
}

/* Return the number after key in a file of /proc/PID, or -1. */
static long proc_number(pid_t pid, const char *file, const char *key)
{
	char path[64], line[256];
	long number = -1;
	FILE *stream;

	(void)snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
	stream = fopen(path, "re");
	while (stream != NULL && fgets(line, sizeof line, stream) != NULL)
		if (strncmp(line, key, strlen(key)) == 0)
			number = strtol(line + strlen(key), NULL, 10);
	if (stream != NULL)
		(void)fclose(stream);
	return number;
}

long pss_kb(pid_t pid)
{
	return proc_number(pid, "smaps_rollup", "Pss:");
}

long context_switches(pid_t pid)
{
	return proc_number(pid, "status", "voluntary_ctxt_switches:");
}

void print_figure(const char *name, const char *unit, double *values, size_t count)
{
	double middle = median(values, count);

	printf("%-44s %10.3f %-3s (%zu runs, %.3f to %.3f)\n", name, middle, unit, count,
		count > 0 ? values[0] : -1, count > 0 ? values[count - 1] : -1);
}
