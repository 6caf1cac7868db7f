#include "tap.h"
#include "tests.h"

int main(int argc, char **argv)
{
	(void)argv;
	test_format();
	if (argc == 1) {
		test_parse();
		test_refused();
	}
	return finish();
}
