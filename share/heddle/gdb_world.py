# gdb_world.py: the threads of a controlled program, for gdb.py: what the runtime's tables say of them, and their frames.
#
# An unwinder continues the frame that runs with the frames of another thread when that is to be seen. No register and no
# memory of the program is changed for it: there is nothing to be put back, whatever the user does next.
import os
import re

import gdb
from gdb.unwinder import Unwinder

DEBUG = {"version": (0, 4), "is_watched": (4, 4), "reason": (8, 4), "place_count": (12, 4), "stop_at": (16, 8),
         "places": (24, 8), "world": (32, 8)}  # struct heddle_debug
PLACE_NAME, PLACE_BYTES = 24, 32  # struct heddle_debug_place
SYSTEM = ("/lib", "/usr/lib")  # libraries there are not the program's own
FRAMES_MOST = 500
FIRST_ID = 5000001  # of threads: WORLD_PID
NO_DEADLINE = (1 << 64) - 1
BLOCKED, ENDED = 1, 2  # enum thread_state
FUTEX, SLEEP, SIGNAL = 1, 2, 5  # enum wait_kind
# Of enum heddle_event_kind: what is waited for.
JOIN, MUTEX, COND_WAIT = 7, 12, 15
WHATS = {7: "thread", 11: "sleep", 12: "mutex", 13: "mutex", 14: "mutex", 15: "condition variable", 16: "condition variable",
         17: "condition variable", 18: "read-write lock", 19: "read-write lock", 20: "read-write lock", 21: "spin lock",
         22: "spin lock", 23: "barrier", 24: "semaphore", 26: "once", 27: "futex", 28: "system call"}
# How far from the object's address the words are that libc waits with.
REACHES = {7: 4096, 12: 40, 15: 48, 16: 48, 17: 48, 18: 56, 19: 56, 20: 56, 23: 32, 24: 32, 26: 4}
# Where glibc keeps the thread id of who has it.
OWNERS = {12: 8, 13: 8, 14: 8, 18: 24, 19: 24, 20: 24}
SWITCHED = ("r15", "r14", "r13", "r12", "rbx", "rbp", "rip")  # on the stack of a thread that does not run, from 8 on
CALLED = SWITCHED + ("r11", "r10", "r9", "r8", "rax", "rcx", "rdx", "rsi", "rdi", "rsp")


class State:
    """What is known of the program that runs now."""

    def __init__(self):
        self.places = None  # name -> offset
        self.view = None  # the thread that is looked at, with its registers

    def forget(self):
        self.__init__()


state = State()


def is_alive():
    return gdb.selected_inferior().pid != 0


def read(address, size):
    return int.from_bytes(bytes(gdb.selected_inferior().read_memory(address, size)), "little")


def write(address, value, size):
    gdb.selected_inferior().write_memory(address, value.to_bytes(size, "little"))


def read_text(address, size):
    text = bytes(gdb.selected_inferior().read_memory(address, size))
    return text.split(b"\0")[0].decode("utf-8", "replace")


def debug_address():
    return int(gdb.parse_and_eval("(unsigned long)&heddle_debug"))


def debug(name):
    offset, size = DEBUG[name]
    return read(debug_address() + offset, size)


def set_debug(name, value):
    offset, size = DEBUG[name]
    write(debug_address() + offset, value, size)


def places():
    if not is_alive():
        raise gdb.GdbError("The program is not running; start it with run or heddle-run.")
    if state.places is None:
        try:
            start, count = debug("places"), debug("place_count")
        except gdb.error:
            count = 0
        if not count:
            raise gdb.GdbError("The program has not reached the start of the replay yet.")
        found = {}
        for i in range(count):
            at = start + i * PLACE_BYTES
            found[read_text(at, PLACE_NAME)] = read(at + PLACE_NAME, 8)
        state.places = found
    return state.places


def field(structure, address, name, size=8):
    return read(address + places()[structure + "." + name], size)


def world(name, size=8):
    return field("world", debug("world"), name, size)


def tally(name):
    return field("tally", places()["tally"], name)


def event_now():
    return (tally("horizon") - tally("countdown")) % (1 << 64)


class Thread:
    def __init__(self, address):
        self.address = address
        self.index = self.get("index", 4)
        self.state = self.get("state", 4)
        self.kind = self.get("kind", 4)
        self.is_current = address == world("current")

    def get(self, name, size=8):
        return field("thread", self.address, name, size)

    def name(self):
        own = read_text(self.address + places()["thread.name"], 16)
        if own != read_text(debug("world") + places()["world.program_name"], 16):
            return own
        return "main" if self.index == 1 else ""

    def obstacle(self):
        """What it waits for, its address and the index of who has it: as sync_obstacle in src/world/sync/sync.c."""
        kind, at = self.kind, self.get("object")
        word = self.get("wait.object")
        if self.get("wait.kind", 4) == FUTEX and not 0 <= word - at < REACHES.get(kind, 0):
            kind, at = (MUTEX if kind == COND_WAIT else 27), word
        owner = 0
        if kind in OWNERS:
            owner = read(at + OWNERS[kind], 4) - FIRST_ID + 1
        elif kind == JOIN:
            owner = next((t.index for t in threads() if t.fs_base() == at), 0)
        return WHATS.get(kind, "memory"), at, max(owner, 0)

    def fs_base(self):
        if self.is_current:
            return int(gdb.newest_frame().read_register("fs_base"))
        return self.get("fs_base")

    def is_new(self):
        return self.kind == 0 and not self.is_current

    def describe(self):
        if self.is_new():
            return "has not started"
        if self.state != BLOCKED:
            return "runs" if self.is_current else "can run"
        wait = self.get("wait.kind", 4)
        if wait == SLEEP:
            return "sleeps"
        if wait == SIGNAL:
            return "waits for a signal"
        try:
            what, at, owner = self.obstacle()
        except gdb.MemoryError:
            return "waits"
        if what == "system call":
            call = self.get("call")
            return "waits in system call %d" % (field("registers", call, "number") if call else at)
        if what == "thread" and owner:
            return "waits for the end of thread %d" % owner
        text = "waits for %s %s" % (what, symbol_at(at))
        if owner:
            text += ", held by thread %d" % owner
        return text + (" (with a time-out)" if self.get("wait.deadline_ns") != NO_DEADLINE else "")

    def registers(self):
        """Where it stands: at its system call if it is in one, else where it was switched away from."""
        call = self.get("call")
        if call:
            found = {name: field("registers", call, name) for name in CALLED}
        elif self.is_new():
            # world/switch.c: where it will begin is behind what switch_stacks takes.
            start = read(self.get("stack_pointer") + 40, 8)
            found = {name: field("registers", start, name) for name in CALLED}
        else:
            stack = self.get("stack_pointer")
            found = {name: read(stack + 8 + 8 * i, 8) for i, name in enumerate(SWITCHED)}
            found["rsp"] = stack + 64
        found["fs_base"] = self.get("fs_base")
        return found


def threads():
    start, count = world("live"), world("live_count", 4)
    return sorted((Thread(read(start + 8 * i, 8)) for i in range(count)), key=lambda t: t.index)


def current():
    return Thread(world("current"))


def find_thread(text):
    for thread in threads():
        if str(thread.index) == text.strip():
            return thread
    raise gdb.GdbError('There is no thread "%s"; heddle-threads lists them.' % text.strip())


def symbol_at(address):
    said = gdb.execute("info symbol 0x%x" % address, to_string=True)
    match = re.match(r"(.+?)(?: in section| in .*|$)", said.strip())
    if not match or said.startswith("No symbol"):
        return "0x%x" % address
    return match.group(1)


def is_runtime(pc):
    """Code of libheddle.so."""
    name = gdb.solib_name(pc)
    return bool(name) and os.path.basename(name) == "libheddle.so"


# Looking at a thread that does not run.


class View(Unwinder):
    """The caller of the innermost frame is what the thread that is looked at stands in."""

    def __init__(self):
        super().__init__("heddle")

    def __call__(self, pending):
        view = state.view
        if not view or view["pc"] != int(pending.read_register("rip")) or view["sp"] != int(pending.read_register("rsp")):
            return None
        # An inner frame's id must be below: gdb takes anything else for a corrupt stack.
        identity = FrameIdentity(view["registers"]["rsp"] - 16, view["pc"])
        info = pending.create_unwind_info(identity)
        for name, value in view["registers"].items():
            info.add_saved_register(name, gdb.Value(value).cast(pending.read_register(name).type))
        return info


class FrameIdentity:
    def __init__(self, sp, pc):
        self.sp = gdb.Value(sp)
        self.pc = gdb.Value(pc)


def look_at(thread):
    """Lets the frames be those of this thread; of None, what gdb finds by itself."""
    gdb.invalidate_cached_frames()
    state.view = None
    frame = gdb.newest_frame()
    # Of a system call that the runtime serves just now all registers are known.
    if thread and (not thread.is_current or (is_runtime(frame.pc()) and thread.get("call"))):
        state.view = {"index": thread.index, "registers": thread.registers(), "pc": frame.pc(),
                      "sp": int(frame.read_register("rsp"))}
    gdb.invalidate_cached_frames()


def looked_at():
    return state.view["index"] if state.view else current().index


def visible(frame):
    view = state.view
    if view and frame.pc() == view["pc"] and int(frame.read_register("rsp")) == view["sp"]:
        return False
    return not is_runtime(frame.pc())


def is_own(frame):
    symtab = frame.find_sal().symtab
    return bool(symtab) and not (gdb.solib_name(frame.pc()) or "").startswith(SYSTEM) and \
        not os.path.normpath(symtab.fullname()).startswith(("/usr/include/", "/usr/lib/"))


def visible_frames():
    frame = gdb.newest_frame()
    for _ in range(FRAMES_MOST):
        if frame is None:
            return
        if visible(frame):
            yield frame
        try:
            frame = frame.older()
        except gdb.error:  # a stack that is overwritten
            return


def own_frame():
    """The innermost frame with a line that is the program's own; else the innermost that is not Heddle's, or None."""
    first = None
    for frame in visible_frames():
        if is_own(frame):
            return frame
        first = first or frame
    return first


def began_in():
    """The function that the thread began in: the outermost one that is the program's own."""
    names = [frame.name() for frame in visible_frames() if is_own(frame)]
    return names[-1] or "" if names else ""


def select_own():
    (own_frame() or gdb.newest_frame()).select()


def place_of(frame):
    """Code that the optimiser made of several lines has line 0; where its function is declared is better than that."""
    sal = frame.find_sal()
    if not sal.symtab:
        return ""
    file = os.path.basename(sal.symtab.filename)
    if sal.line:
        return "%s:%d" % (file, sal.line)
    function = frame.function()
    return "%s near line %d" % (file, function.line) if function is not None and function.line else file


def where(frame):
    if frame is None:
        return "?"
    text = frame.name() or "0x%x" % frame.pc()
    place = place_of(frame)
    return "%s (%s)" % (text, place) if place else text


def with_views(action):
    """Calls action(thread) for each thread, with its frames to be seen; then all is as it was."""
    was, level = state.view, gdb.selected_frame().level()
    try:
        for thread in threads():
            look_at(thread)
            select_own()
            action(thread)
    finally:
        gdb.invalidate_cached_frames()
        state.view = was
        gdb.invalidate_cached_frames()
        frame = gdb.newest_frame()
        while frame.level() < level and frame.older():
            frame = frame.older()
        frame.select()


class HideRuntime:
    """Frames of the runtime are not the program's. `bt -no-filters` shows them."""

    def __init__(self):
        self.name, self.priority, self.enabled = "heddle", 50, True
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        for decorator in frames:
            frame = decorator.inferior_frame()
            try:
                if frame is not None and not visible(frame):
                    continue
            except gdb.error:
                pass
            yield decorator
