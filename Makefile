# Heddle's one Makefile. `make help` lists the targets. Everything is built under build/.
VERSION := 0.1.0
BUILD := build
PREFIX ?= /usr/local
DESTDIR ?=
CC := $(if $(filter default,$(origin CC)),gcc,$(CC))
LLVM_CONFIG ?= llvm-config-19

# Knobs: V=1 shows commands; DEBUG=1; SAN=address,undefined; COV=1.
Q := $(if $(V),,@)
OPT := $(if $(DEBUG),-O0 -g3,-O2 -g)
WARN := -Wall -Wextra -Wmissing-prototypes -Wshadow -Wvla -Wstrict-prototypes -Wswitch-enum -Wframe-larger-than=24576 $(if $(WERROR),-Werror)
CPPFLAGS += -D_GNU_SOURCE -Iinclude -Isrc -DHEDDLE_VERSION='"$(VERSION)"'
BASE_CFLAGS := -std=gnu11 $(WARN) $(OPT) -fno-common
TOOL_CFLAGS = $(BASE_CFLAGS) $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer) $(if $(COV),--coverage) $(CFLAGS)
TOOL_LDFLAGS = $(if $(SAN),-fsanitize=$(SAN)) $(if $(COV),--coverage) $(LDFLAGS)
# The runtime is a guest: no sanitizer, no builtin that could call back into the program, one small set of symbols, and
# no vector registers, which clones do not save round hooks.
RT_CFLAGS := $(BASE_CFLAGS) -fPIC -fvisibility=hidden -ftls-model=initial-exec -fno-builtin -fno-stack-protector \
	-fno-omit-frame-pointer -mgeneral-regs-only -U_FORTIFY_SOURCE
LLVM_CFLAGS = -isystem $(shell $(LLVM_CONFIG) --includedir)
LLVM_LIBS = $(shell $(LLVM_CONFIG) --ldflags) -lLLVM-19

BIN := $(BUILD)/bin
LIB := $(BUILD)/lib/heddle

# The folders of src/ are layers (docs/ARCHITECTURE.md has the table of who may include whom). What the commands share is one
# archive, what needs LLVM another, the runtime a third; unit tests link with them.
files = $(wildcard src/$(1)/*.c src/$(1)/*/*.c)
objects = $(patsubst src/%.c,$(BUILD)/obj/%.o,$(foreach folder,$(1),$(call files,$(folder))))
TOOLS_OBJ := $(call objects,base model trace symbols store launch explore judge narrate learned campaign candidates formats)
ANALYSIS_OBJ := $(call objects,ir analysis)
CC_OBJ := $(call objects,cc)
CMD_OBJ := $(call objects,cmd)
TOOLS := $(BUILD)/obj/tools.a
ANALYSIS := $(BUILD)/obj/analysis.a
WEAVE_MAIN := $(BUILD)/obj/cc/weave_main.o
ANALYSE_MAIN := $(BUILD)/obj/analysis/main.o
# woven.c is the one file of src/rt that is linked into woven objects, not into the runtime.
RT_OBJ := $(filter-out %/woven.o,$(call objects,rt world parallel detect))
RT := $(BUILD)/obj/rt.a

GDB := $(patsubst share/heddle/%,$(LIB)/%,$(wildcard share/heddle/*.py))
PROGRAMS := $(BIN)/heddle $(BIN)/heddle-cc $(BIN)/heddle-c++ $(LIB)/heddle-weave $(LIB)/heddle-analyse $(LIB)/libheddle.so $(LIB)/woven.o \
	$(GDB)

# Manual pages, completion of bash, and what has the version in it; its date is theirs.
SHARE := $(BUILD)/share/made

all: $(PROGRAMS) $(SHARE) ## build everything under build/

$(ANALYSIS_OBJ): FLAGS = $(TOOL_CFLAGS) $(LLVM_CFLAGS) -Wno-switch-enum
# Small variables lie together, away from large tables: each page that a schedule writes to is copied for it.
$(RT_OBJ): FLAGS = $(RT_CFLAGS) -fdata-sections
$(BUILD)/obj/rt/woven.o: FLAGS = $(RT_CFLAGS)
FLAGS = $(TOOL_CFLAGS)

$(BUILD)/obj/%.o: src/%.c
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(FLAGS) -MMD -MP -c $< -o $@

$(TOOLS): $(TOOLS_OBJ)
$(ANALYSIS): $(filter-out $(ANALYSE_MAIN),$(ANALYSIS_OBJ))
$(RT): $(RT_OBJ)
$(TOOLS) $(ANALYSIS) $(RT):
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

# The page of the report is in the program.
$(BUILD)/obj/formats/page.o: src/formats/page.html src/formats/page.css src/formats/page.js

$(BIN)/heddle: $(CMD_OBJ) $(TOOLS)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(TOOL_LDFLAGS) $^ -l:libstdc++.so.6 -lzstd -ldw -lelf -lZydis -lsqlite3 -o $@

$(BIN)/heddle-cc: $(filter-out $(WEAVE_MAIN),$(CC_OBJ)) $(TOOLS)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(TOOL_LDFLAGS) $^ -lelf -o $@

$(BIN)/heddle-c++: $(BIN)/heddle-cc
	$(Q)ln -sf heddle-cc $@

$(LIB)/heddle-weave: $(WEAVE_MAIN) $(ANALYSIS) $(TOOLS)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(TOOL_LDFLAGS) $^ $(LLVM_LIBS) -lelf -lzstd -o $@

$(LIB)/heddle-analyse: $(ANALYSE_MAIN) $(ANALYSIS) $(TOOLS)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(TOOL_LDFLAGS) $^ $(LLVM_LIBS) -lelf -lzstd -o $@

# initfirst: our constructor runs before those of every other library, so that their functions are switched too.
$(LIB)/libheddle.so: $(RT_OBJ) src/rt/libheddle.map
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-z,initfirst -Wl,-z,now -Wl,-z,defs -Wl,--version-script=src/rt/libheddle.map \
		-Wl,--sort-section=alignment -Wl,-soname,libheddle.so $(RT_OBJ) -o $@

# What is linked into other people's programs brings no debug information of its own, and no folder of ours.
$(BUILD)/obj/rt/woven.o: RT_CFLAGS += -g0

$(LIB)/woven.o: $(BUILD)/obj/rt/woven.o
	$(Q)mkdir -p $(@D)
	$(Q)cp $< $@

$(LIB)/%.py: share/heddle/%.py
	$(Q)mkdir -p $(@D)
	$(Q)cp $< $@

$(SHARE): Makefile $(BIN)/heddle $(BIN)/heddle-cc mk/share.sh mk/heddle.pc.in cmake/HeddleConfigVersion.cmake.in \
		$(wildcard man/*.roff)
	$(Q)rm -rf $(@D)
	$(Q)sh mk/share.sh $(BIN) $(@D)
	$(Q)sed 's/@VERSION@/$(VERSION)/' mk/heddle.pc.in >$(@D)/heddle.pc
	$(Q)sed 's/@VERSION@/$(VERSION)/' cmake/HeddleConfigVersion.cmake.in >$(@D)/HeddleConfigVersion.cmake
	$(Q)touch $@

-include $(wildcard $(BUILD)/obj/*/*.d $(BUILD)/obj/*/*/*.d)

test: all ## run the whole test suite
	$(Q)tests/run

test-quick: all ## run a subset of the tests in less than three minutes
	$(Q)tests/run --quick

test-long: all ## run campaigns that take too long for every change
	$(Q)tests/run --long

demo: all ## find, explain, replay and prevent the bugs of four small programs
	$(Q)sh mk/demo.sh

bench: all ## measure costs and findings, compared with other tools (takes hours)
	$(Q)bench/run

lint: all ## check what the runtime imports and exports
	$(Q)sh mk/lint.sh

fmt: ## format the sources
	$(Q)clang-format -i $(wildcard src/*/*.[ch] src/*/*/*.[ch] include/heddle/*.h)

# All of it is found relative to bin/, so that it can be moved. What is installed is what is removed: one list, made when
# everything is built.
INSTALLED = bin/heddle bin/heddle-cc bin/heddle-c++ $(shell echo include/heddle/*.h && cd $(BUILD) && \
	echo lib/heddle/* share/man/man1/* share/bash-completion/completions/*) share/pkgconfig/heddle.pc \
	lib/cmake/Heddle/HeddleConfig.cmake lib/cmake/Heddle/HeddleConfigVersion.cmake

install: all ## install under DESTDIR and PREFIX
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,$(sort $(dir $(INSTALLED))))
	install -m 755 $(BIN)/heddle $(BIN)/heddle-cc $(DESTDIR)$(PREFIX)/bin
	ln -sf heddle-cc $(DESTDIR)$(PREFIX)/bin/heddle-c++
	install -m 755 $(LIB)/heddle-weave $(LIB)/heddle-analyse $(DESTDIR)$(PREFIX)/lib/heddle
	install -m 644 $(LIB)/libheddle.so $(LIB)/woven.o $(GDB) $(DESTDIR)$(PREFIX)/lib/heddle
	install -m 644 include/heddle/*.h $(DESTDIR)$(PREFIX)/include/heddle
	install -m 644 $(BUILD)/share/man/man1/*.1 $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 $(BUILD)/share/bash-completion/completions/* $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	install -m 644 cmake/HeddleConfig.cmake $(BUILD)/share/HeddleConfigVersion.cmake $(DESTDIR)$(PREFIX)/lib/cmake/Heddle
	install -m 644 $(BUILD)/share/heddle.pc $(DESTDIR)$(PREFIX)/share/pkgconfig

uninstall: all ## remove the installed files
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,$(INSTALLED))
	-rmdir --ignore-fail-on-non-empty $(addprefix $(DESTDIR)$(PREFIX)/,include/heddle lib/heddle lib/cmake/Heddle)

clean: ## remove build/
	rm -rf $(BUILD)

help: ## print this list
	$(Q)sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 14

.PHONY: all test test-quick test-long demo bench lint fmt install uninstall clean help
.DELETE_ON_ERROR:
