# packaging: packages of several systems; Debian's are in debian/, where its tools look.
EXTRA_DIST += debian/changelog debian/control debian/copyright debian/ikigai.docs debian/ikigai.install \
	debian/ikigai-postgresql.install debian/rules debian/source/format \
	debian/tests/control debian/tests/postgresql debian/tests/turn \
	packaging/Containerfile packaging/aur/PKGBUILD packaging/build-static packaging/check-debian packaging/check-ports packaging/check-reproducible packaging/nix/default.nix packaging/rpm/ikigai.spec \
	packaging/static packaging/use-debian
