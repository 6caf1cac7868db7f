TESTS = test/test_clock.sh test/test_list.sh test/test_sum.sh

.PHONY: check check-old tap
check:
	@sh test/all.sh $(TESTS)

check-old:
	@sh test/all.sh test/test_clock.sh test/test_list.sh

tap:
	@sh test/tap.sh test/cases/*.in
