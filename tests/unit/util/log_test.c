#include "util/log.h"
#include "util/path.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "../../support/scratch.h"

Test(log, writes_lines_from_its_level_on_and_makes_controls_visible)
{
	char directory[] = SCRATCH_TEMPLATE;
	struct ik_buf buf;
	struct stat status;
	char *path;

	path = ik_path_join(scratch_make(directory), "log");
	ik_log(IK_LOG_ERROR, "closed: goes nowhere");
	ik_log_open(path, IK_LOG_INFO);
	cr_assert_eq(access(path, F_OK), -1, "opened lazily");
	ik_log(IK_LOG_DEBUG, "too fine");
	cr_assert_eq(access(path, F_OK), -1);
	ik_log(IK_LOG_INFO, "hello \x1b]0;evil\x07 %s", "two\nlines");
	ik_log(IK_LOG_ERROR, "bad");
	ik_log_close();
	ik_log(IK_LOG_ERROR, "closed again");

	ik_buf_init(&buf, 10000);
	cr_assert_eq(ik_file_read(path, &buf, NULL), IK_OK);
	cr_assert_not_null(strstr(buf.data, " info hello \xe2\x90\x9b]0;evil\xe2\x90\x87 two lines\n"));
	cr_assert_not_null(strstr(buf.data, " error bad\n"));
	cr_assert_null(strstr(buf.data, "fine"));
	cr_assert_null(strstr(buf.data, "closed"));
	cr_assert_eq(stat(path, &status), 0);
	cr_assert_eq(status.st_mode & 07777, 0600);
	ik_buf_done(&buf);
	scratch_remove(directory);
	free(path);
}

Test(log, a_place_that_cannot_be_written_is_no_failure)
{
	ik_log_open("/nonexistent/log", IK_LOG_DEBUG);
	ik_log(IK_LOG_ERROR, "nobody hears");
	ik_log_close();
}

Test(log, waits_for_no_reader_and_follows_no_link)
{
	char directory[] = SCRATCH_TEMPLATE;
	char *path = ik_path_join(scratch_make(directory), "log");
	char *elsewhere = ik_path_join(directory, "elsewhere");
	int reader;

	cr_assert_eq(mkfifo(path, 0600), 0);
	ik_log_open(path, IK_LOG_INFO);
	ik_log(IK_LOG_ERROR, "nobody reads");
	ik_log_close();
	reader = open(path, O_RDONLY | O_NONBLOCK);
	ik_log_open(path, IK_LOG_INFO);
	ik_log(IK_LOG_ERROR, "somebody reads");
	ik_log_close();
	cr_assert_eq(read(reader, (char[1]){ 0 }, 1), 0, "nothing was written");
	close(reader);
	cr_assert_eq(unlink(path), 0);
	cr_assert_eq(symlink(elsewhere, path), 0);
	ik_log_open(path, IK_LOG_INFO);
	ik_log(IK_LOG_ERROR, "away");
	ik_log_close();
	cr_assert_eq(access(elsewhere, F_OK), -1);
	free(elsewhere);
	free(path);
	scratch_remove(directory);
}
