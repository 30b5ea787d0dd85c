# src/completions: what completes ikigai's command line in bash, zsh and fish.
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_bashcompletion_DATA = src/completions/ikigai.bash
dist_zshcompletion_DATA = src/completions/_ikigai
dist_fishcompletion_DATA = src/completions/ikigai.fish
