# Translations, made by msgfmt and installed by these rules: no second Makefile.
# PO_LANGUAGES lists them; `make update-po` updates their files.

PO_LANGUAGES = de es fr ja zh_CN
PO_FILES = $(PO_LANGUAGES:%=po/%.po)
MO_FILES = $(PO_LANGUAGES:%=locale/%/LC_MESSAGES/ikigai.mo)
EXTRA_DIST += $(PO_FILES)
CLEANFILES += $(MO_FILES)

all-local: $(MO_FILES)

locale/%/LC_MESSAGES/ikigai.mo: po/%.po
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(MSGFMT) --check -o $@ $<

install-data-local: $(MO_FILES)
	@for language in $(PO_LANGUAGES); do \
	  directory="$(DESTDIR)$(localedir)/$$language/LC_MESSAGES"; \
	  $(MKDIR_P) "$$directory" && \
	  $(INSTALL_DATA) locale/$$language/LC_MESSAGES/ikigai.mo "$$directory/ikigai.mo" || exit 1; \
	done

uninstall-local:
	@for language in $(PO_LANGUAGES); do \
	  rm -f "$(DESTDIR)$(localedir)/$$language/LC_MESSAGES/ikigai.mo"; \
	done

# All texts of the program, in the order of its files.  tests/check-po calls this
# with another POT.  There is no date, which would cause merge conflicts.
POT = po/ikigai.pot
.PHONY: update-po ikigai.pot
ikigai.pot:
	cd $(srcdir) && find src tools -name '*.c' | LC_ALL=C sort | \
	$(XGETTEXT) --from-code=UTF-8 --keyword=_ --keyword=N_ --keyword=ngettext:1,2 \
	  --package-name=ikigai --add-comments=Translators: --add-location=file -o - -f - | \
	sed '/^"POT-Creation-Date:/d' >$(POT)
update-po: ikigai.pot
	cd $(srcdir) && for language in $(PO_LANGUAGES); do \
	  $(MSGMERGE) --quiet --update --backup=none po/$$language.po po/ikigai.pot || exit 1; done
