/* The main() of every tool. */
#include "tools/common/program.h"

int main(int argc, char **argv)
{
	return ik_program_main(&ik_program, argc, argv);
}
