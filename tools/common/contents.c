#include "tools/common/contents.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/limits.h"
#include "util/path.h"

/* From this size on, mapping is cheaper than copying. */
#define MAP_MIN IK_MIB(1)

/* The current map, for the signal handler. */
static char *map_start;
static size_t map_length;
static volatile sig_atomic_t map_lost;

/* The file ends before this page by now: map zeros there. */
static void take_bus_error(int number, siginfo_t *info, void *context)
{
	size_t offset = (size_t)((uintptr_t)info->si_addr - (uintptr_t)map_start);

	(void)context;
	if (map_start && (char *)info->si_addr >= map_start && offset < map_length) {
		offset &= ~((size_t)sysconf(_SC_PAGESIZE) - 1);
		if (mmap(map_start + offset, map_length - offset, PROT_READ,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED) {
			map_lost = 1;
			return;
		}
	}
	signal(number, SIG_DFL);
}

/* Map the file; false if that is impossible. */
static bool map(struct ik_contents *contents, const struct stat *status)
{
	struct sigaction action = { .sa_sigaction = take_bus_error, .sa_flags = SA_SIGINFO };
	size_t length = (size_t)status->st_size;
	char *start = mmap(NULL, length, PROT_READ, MAP_PRIVATE, contents->fd, 0);

	if (start == MAP_FAILED)
		return false;
	map_start = start;
	map_length = length;
	map_lost = 0;
	sigaction(SIGBUS, &action, NULL);
	contents->data = start;
	contents->length = length;
	contents->mapped = true;
	contents->sparse = status->st_blocks < status->st_size / 512;
	return true;
}

int ik_contents_open(struct ik_contents *contents, int fd, const struct stat *status)
{
	*contents = (struct ik_contents){ .fd = fd };
	ik_buf_init(&contents->copy, SIZE_MAX / 2);
	if (S_ISREG(status->st_mode) && (uintmax_t)status->st_size >= MAP_MIN &&
		(uintmax_t)status->st_size < SIZE_MAX / 2 && map(contents, status))
		return 0;
	/* Read one byte more than expected, to see the end of the file. */
	int number = ik_read_all(fd, &contents->copy, (size_t)status->st_size + 1);

	if (number == 0 && ik_buf_status(&contents->copy) != IK_OK)
		number = ENOMEM;
	contents->data = contents->copy.data;
	contents->length = contents->copy.length;
	return number;
}

bool ik_contents_data(const struct ik_contents *contents, size_t offset, size_t *ret_from,
	size_t *ret_to)
{
	if (offset >= contents->length)
		return false;
	off_t from = contents->sparse ? lseek(contents->fd, (off_t)offset, SEEK_DATA) : -1;
	/* ENXIO: only a hole is left. With any other error, holes cannot be found. */
	if (from < 0 && contents->sparse && errno == ENXIO)
		return false;
	off_t to = from < 0 ? -1 : lseek(contents->fd, from, SEEK_HOLE);

	if (from < 0 || to < 0) {
		*ret_from = offset;
		*ret_to = contents->length;
		return true;
	}
	*ret_from = (size_t)from;
	*ret_to = (size_t)to < contents->length ? (size_t)to : contents->length;
	return *ret_from < *ret_to;
}

bool ik_contents_lost(const struct ik_contents *contents)
{
	return contents->mapped && map_lost != 0;
}

void ik_contents_close(struct ik_contents *contents)
{
	if (contents->mapped) {
		map_start = NULL;
		munmap(contents->data, contents->length);
	}
	ik_buf_done(&contents->copy);
	*contents = (struct ik_contents){ .fd = -1 };
}
