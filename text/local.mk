# SPDX-License-Identifier: MIT
# text/ - growing text, UTF-8, JSON and whole files: what the library and the command-line tools share. It includes
# nothing of the tree, and each of them compiles it into itself.

text_sources = \
	text/json.c \
	text/json.h \
	text/text.c \
	text/text.h \
	text/utf8.c \
	text/utf8.h \
	text/whole_file.c \
	text/whole_file.h
