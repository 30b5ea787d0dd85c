# nix-build packaging/nix, in the sources or an unpacked archive.
{
  pkgs ? import <nixpkgs> { },
}:

pkgs.stdenv.mkDerivation {
  pname = "ikigai";
  version = "1.0.0";
  src = pkgs.lib.cleanSource ../..;

  nativeBuildInputs = with pkgs; [
    autoreconfHook
    gettext
    pkg-config
  ];
  buildInputs = with pkgs; [
    curl
    gd
    libevent
    md4c
    ncurses
    nettle
    pcre2
    postgresql
    sqlite
    utf8proc
  ];

  # libcurl is loaded by its name, with the first request.
  postFixup = ''
    patchelf --add-rpath ${pkgs.lib.getLib pkgs.curl}/lib $out/bin/ikigai
  '';

  doInstallCheck = true;
  installCheckPhase = ''
    HOME=$TMPDIR $out/bin/ikigai exec -p practice help
  '';

  meta = {
    description = "Chat with a language model that acts through tools";
    homepage = "https://example.org/ikigai";
    license = pkgs.lib.licenses.mit;
    platforms = pkgs.lib.platforms.linux;
    mainProgram = "ikigai";
  };
}
