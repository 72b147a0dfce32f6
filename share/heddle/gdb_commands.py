# gdb_commands.py: what users type, for gdb.py.
import re

import gdb
from gdb_world import *  # noqa: F403


def list_threads():
    looked, rows = looked_at(), []

    def add(thread):
        rows.append(("*" if thread.index == looked else " ", thread.index, thread.name() or began_in(), where(own_frame()),
                     thread.describe()))

    with_views(add)
    wide = max(len(row[2]) for row in rows), max(len(row[3]) for row in rows)
    for row in rows:
        print("%s %-4d %-*s  %-*s  %s" % (row[0], row[1], wide[0], row[2], wide[1], row[3], row[4]))


def apply_to(command, wanted, is_quiet=False):
    """wanted: indexes, or None for all."""
    if not command:
        raise gdb.GdbError("Specify a command, for example: thread apply all bt")

    def one(thread):
        if wanted is not None and thread.index not in wanted:
            return
        try:
            said = gdb.execute(command, to_string=True)
        except gdb.error as fault:
            said = "" if is_quiet else "%s\n" % fault
        if said or not is_quiet:
            name = thread.name()
            print("\nThread %d%s, %s:" % (thread.index, " (%s)" % name if name else "", thread.describe()))
            gdb.write(said)

    with_views(one)


def show_thread(text):
    thread = find_thread(text)
    look_at(thread)
    select_own()
    name = thread.name()
    print("[Switched to thread %d%s, which %s]" % (thread.index, " (%s)" % name if name else "", thread.describe()))
    gdb.execute("frame")


def parse_ids(text):
    """The indexes at the beginning ("1 3-5") and what follows."""
    ids, words = set(), text.split()
    while words:
        first, dash, last = words[0].partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            break
        ids.update(range(int(first), int(last if dash else first) + 1))
        words.pop(0)
    return ids, " ".join(words)


def drop_flags(text):
    """Flags of gdb's own `thread apply`, and whether one of them asks for silence about failures."""
    words, is_quiet = text.split(" "), False
    while words and words[0] in ("-q", "-c", "-s", "-ascending", ""):
        is_quiet = is_quiet or words[0] == "-s"
        words.pop(0)
    return " ".join(words), is_quiet


def command(name, kind, help_text, prefix=False):
    """Makes the function the command of that name."""

    def make(function):
        class Made(gdb.Command):
            __doc__ = help_text

            def __init__(self):
                super().__init__(name, kind, prefix=prefix)

            def invoke(self, argument, from_tty):
                places()
                try:
                    function(argument)
                except gdb.MemoryError as fault:
                    raise gdb.GdbError("The runtime's tables cannot be read: %s" % fault)

        Made()
        return function

    return make


def make_thread_commands():
    for name in ("heddle-threads", "info threads"):
        command(name, gdb.COMMAND_STATUS, "List the program's threads: index, name, place, and what each one waits for.")(
            lambda argument: list_threads())
    for name in ("heddle-apply-all", "thread apply all"):
        if name.startswith("thread"):
            command("thread", gdb.COMMAND_RUNNING, "Select the thread with this index: thread 2.\n"
                    "Its frames are shown until the program continues or another thread is selected.", prefix=True)(
                lambda argument: show_thread(argument or str(looked_at())))
            command("thread apply", gdb.COMMAND_RUNNING, "Apply a command to some threads: thread apply 1 3-4 bt.",
                    prefix=True)(lambda argument: apply_to(drop_flags(parse_ids(argument)[1])[0], parse_ids(argument)[0]))
        command(name, gdb.COMMAND_RUNNING, "Apply a command to all threads: %s bt." % name)(
            lambda argument: apply_to(drop_flags(argument)[0], None, drop_flags(argument)[1]))
    command("heddle-thread", gdb.COMMAND_RUNNING, "Select the thread with this index: heddle-thread 2.\n"
            "Its frames are shown until the program continues or another thread is selected.")(
        lambda argument: show_thread(argument or str(looked_at())))


class CurrentThread(gdb.Function):
    """$heddle_thread(): the index of the running thread, for conditions: break work if $heddle_thread() == 2."""

    def __init__(self):
        super().__init__("heddle_thread")

    def invoke(self):
        return current().index


class CurrentEvent(gdb.Function):
    """$heddle_event(): the number of the last event."""

    def __init__(self):
        super().__init__("heddle_event")

    def invoke(self):
        return event_now()


class ThreadLocal(gdb.Function):
    """$heddle_tls("NAME"): a thread-local variable of the program, in the selected thread."""

    def __init__(self):
        super().__init__("heddle_tls")

    def invoke(self, name):
        name = name.string()
        symbol = gdb.lookup_symbol(name)[0]
        said = gdb.execute("info address " + name, to_string=True)
        match = re.search(r"at offset 0x([0-9a-f]+) in the thread-local storage for `(.*)'", said)
        if not symbol or not match:
            raise gdb.GdbError('"%s" is not a thread-local variable in scope here.' % name)
        if match.group(2) != gdb.current_progspace().filename:
            raise gdb.GdbError('"%s" belongs to a library; such variables cannot be located.' % name)
        # The program's own are those of the first entry in the thread's table (dtv), for which glibc keeps a place at 8.
        block = read(read(int(gdb.selected_frame().read_register("fs_base")) + 8, 8) + 16, 8)
        return gdb.Value(block + int(match.group(1), 16)).cast(symbol.type.pointer()).dereference()
