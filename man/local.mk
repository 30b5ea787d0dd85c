# Manual pages.
EXTRA_DIST += man/key-tables
dist_man_MANS += man/ikigai.1 man/ikigai-acp.1 man/ikigai-tool.1 man/ikigai-session.1 man/ikigai-mcp.1 man/ikigai-hooks.7 man/ikigai-postgresql.7 man/ikigai-skills.7 man/ikigai-store.7 man/ikigai-tools.7 man/ikigai-writing-tools.7
dist_man_MANS += man/ikigai-stability.7

# The theme "light" as a file, to copy.
dist_doc_DATA += man/paper.json
