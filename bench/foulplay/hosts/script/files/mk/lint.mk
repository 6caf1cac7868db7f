.PHONY: lint
lint:
	@for file in bin/hours lib/*.sh test/*.sh; do sh -n "$$file" || exit 1; done
