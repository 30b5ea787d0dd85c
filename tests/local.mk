# How tests run: tests/run-test makes each print TAP, so that the summary counts
# single tests and names those that were skipped.

LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/run-test
AM_TESTS_ENVIRONMENT = \
	IK_TOP_SRCDIR='$(abs_top_srcdir)'; export IK_TOP_SRCDIR; \
	IK_TOP_BUILDDIR='$(abs_top_builddir)'; export IK_TOP_BUILDDIR;

# What services demand of requests, for programs that check them.
REQUEST_RULES = \
	tests/support/request_rules.c tests/support/request_rules.h \
	tests/support/request_rules_anthropic.c tests/support/request_rules_google.c \
	tests/support/request_rules_models.c tests/support/request_rules_openai.c \
	tests/support/request_rules_private.h tests/support/request_seal.c tests/support/request_seal.h

# Checks of the sources give the same result in every build: SOURCE_CHECKS= skips them.
SOURCE_CHECKS = tests/check-layers tests/check-source tests/check-configure tests/check-docs \
	tests/check-packaging tests/check-po tests/check-stable tests/style
TESTS += $(SOURCE_CHECKS) tests/check-install
EXTRA_DIST += .clang-format tests/style tests/check-layers tests/check-source tests/check-configure tests/check-install \
	tests/check-docs tests/check-packaging tests/check-po tests/check-stable tests/stable \
	tests/check-all tests/run-test \
	tests/stand-in/criterion.c tests/stand-in/criterion/criterion.h \
	tests/leaks.suppressions bootstrap quickstart .ci/run HACKING NEWS LICENSE README

# The store on a server that is started for it; the program is tests/unit/store/store_test.
if HAVE_TESTS
TESTS += tests/store/postgres tests/store/kills tests/store/synced tests/store/programs \
	tests/store/torture tests/store/failover
endif
EXTRA_DIST += tests/store/postgres tests/store/kills tests/store/synced tests/store/programs \
	tests/store/programs.py tests/store/server.sh tests/store/torture tests/store/torture.py \
	tests/store/failover tests/store/failover.py \
	tests/store/chat.screen tests/store/people.screen

if !HAVE_TESTS
check-local:
	@echo "make check needs Criterion and libvterm: see what configure named, or use ./quickstart check" >&2; exit 1
endif

# ikigai's requests against the newest types of the providers' SDKs, which are fetched.
.PHONY: check-types
check-types: tests/unit/provider/provider_test
	@IK_TOP_SRCDIR='$(abs_top_srcdir)' IK_TOP_BUILDDIR='$(abs_top_builddir)' \
		$(SHELL) $(srcdir)/tests/types/check || test $$? = 77
EXTRA_DIST += tests/types/check tests/types/kinds.mjs tests/types/types.ts \
	tests/fixtures/reply_kinds.json

# Format the sources, as tests/style expects them.
.PHONY: format
format:
	cd $(srcdir) && find src tools -name '*.[ch]' | xargs clang-format -i

# Pictures of the screen, as SVG: pictures/COLUMNSxROWS-THEME/SCENE.svg in the build.
PICTURE_SCENES = error languages question turn
PICTURE_SIZES = 80x24 120x40 200x60
PICTURE_THEMES = dark light
.PHONY: pictures
pictures: all tests/screen/harness tests/net/loopback_server
	IK_TOP_SRCDIR='$(abs_top_srcdir)' IK_TOP_BUILDDIR='$(abs_top_builddir)' \
		$(SHELL) $(srcdir)/tests/pictures/draw pictures '$(PICTURE_SIZES)' '$(PICTURE_THEMES)' \
		$(PICTURE_SCENES:%=$(srcdir)/tests/pictures/%.screen)

# Those in the manual's folder.
DOC_PICTURES = first-dark turn-dark turn-light context-light question-dark inspector-dark \
	browser-light help-dark picker-light ja-dark
.PHONY: update-pictures
update-pictures:
	$(MAKE) $(AM_MAKEFLAGS) pictures PICTURE_SIZES=100x40 PICTURE_SCENES='languages question turn'
	for picture in $(DOC_PICTURES); do \
		cp pictures/100x40-$${picture##*-}/$${picture%-*}.svg $(srcdir)/man/pictures/$$picture.svg; \
	done
EXTRA_DIST += man/pictures/README.md $(DOC_PICTURES:%=man/pictures/%.svg)
EXTRA_DIST += tests/pictures/draw tests/pictures/error.screen tests/pictures/languages.screen \
	tests/pictures/question.screen tests/pictures/turn.screen
