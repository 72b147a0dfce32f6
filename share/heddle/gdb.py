# gdb.py: the replay of a trace under gdb; `heddle replay TRACE --gdb` loads it. docs/design/world.md says how and why.
#
# The program's threads are coroutines on one kernel thread, so gdb itself knows one thread; gdb_world.py knows the others.
# All that is written to the program is heddle_debug.stop_at, heddle_debug.is_watched and, together, the two numbers of the
# world whose difference is the number of the event: nothing that changes what it does.
import os
import shlex
import sys

import gdb
from gdb.unwinder import register_unwinder

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode, was_written = True, sys.dont_write_bytecode
from gdb_world import *  # noqa: E402,F403
from gdb_commands import CurrentEvent, CurrentThread, ThreadLocal, command, make_thread_commands  # noqa: E402
sys.dont_write_bytecode = was_written

VERSION = 3  # HEDDLE_DEBUG_VERSION
CODE, CODE_DONE, EVENT, FAULT, END, FOUND = 1, 2, 3, 4, 5, 6  # enum heddle_debug_reason
FAULTS = ("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL")
NONE, DIVERGED = 0, 5  # enum heddle_outcome
OUTCOMES = {1: "exit", 2: "signal", 3: "deadlock", 4: "livelock", 5: "diverged", 6: "refused",
            7: "exec", 8: "hang", 10: "stopped at the end of the recording"}


def told(name):
    return os.environ["HEDDLE_GDB_" + name]


class Replay:
    """The replay that runs now, and what was asked for."""

    def __init__(self):
        self.stop_at = self.failure_at = int(told("STOP"))  # an event, 0: none
        self.found_at = int(told("FOUND"))  # how many events there were when detection found it; 0: it is not looked for
        self.goes = False  # heddle-goto: breakpoints of the user's are off until it is there
        self.held = []  # those that are off
        self.forget()

    def forget(self):
        self.pid = 0
        self.reason = 0  # of the stop that we are at; 0: not one of ours
        self.fault_shown = False
        self.result = None  # how it ended: what the channel says

    def hold(self):
        """Takes the user's breakpoints out of the code."""
        for breakpoint in gdb.breakpoints():
            if breakpoint.enabled and breakpoint.number > 0 and breakpoint.type == gdb.BP_BREAKPOINT:
                breakpoint.enabled = False
                self.held.append(breakpoint)

    def release(self):
        held, self.held = self.held, []
        for breakpoint in held:
            if breakpoint.is_valid():
                breakpoint.enabled = True
                leave_entries(breakpoint)

    def begin(self):
        self.forget()
        state.forget()
        self.pid = gdb.selected_inferior().pid
        if debug("version") != VERSION:
            print("heddle: the runtime and gdb.py have different versions")
        quiet("handle " + " ".join(FAULTS) + " nostop noprint pass")
        set_debug("is_watched", 1)
        set_debug("stop_at", self.stop_at)
        skip_runtime()

    def take_result(self):
        channel = world("channel")
        self.result = {name: field("channel", channel, name, size) for name, size in
                       (("outcome", 4), ("status", 4), ("event_count", 8), ("event_hash", 8), ("output_hash", 8))}
        used = field("channel", channel, "report_used", 4)
        text = read_text(channel + places()["channel.report"], min(used, 1 << 16)) if used else ""
        self.result["notes"] = [line[5:] for line in text.split("\n") if line.startswith("note ")]


def quiet(command):
    return gdb.execute(command, to_string=True)


def skip_runtime():
    """Stepping does not go into the runtime, if there is debug information of it."""
    symbol = gdb.lookup_global_symbol("world_slow")
    if symbol is None or not symbol.symtab or skip_runtime.is_done:
        return
    skip_runtime.is_done = True
    source = os.path.dirname(os.path.dirname(symbol.symtab.fullname()))
    for folder in ("world", "rt", "detect"):
        quiet("skip -gfi %s/%s/*.c" % (source, folder))


skip_runtime.is_done = False
replay = Replay()


def is_switched_entry(address):
    """Whether the instruction there is the jump from a function's entry to its clone."""
    code = bytes(gdb.selected_inferior().read_memory(address, 5))
    target = address + 5 + int.from_bytes(code[1:], "little", signed=True)
    return code[0] == 0xe9 and "in section heddle_text" in quiet("info symbol 0x%x" % (target & (1 << 64) - 1))


def leave_entries(breakpoint):
    """A breakpoint that is in both copies of a function stops once a call, in the clone."""
    try:
        locations = breakpoint.locations  # since gdb 13
        entries = [one for one in locations if one.enabled and one.address and is_switched_entry(one.address)]
        if len(entries) < len(locations):
            for one in entries:
                one.enabled = False
    except (AttributeError, gdb.error):
        pass


def on_breakpoint(breakpoint):
    if is_alive() and breakpoint.is_valid() and breakpoint.number > 0 and breakpoint.type == gdb.BP_BREAKPOINT:
        leave_entries(breakpoint)


class Stop(gdb.Breakpoint):
    """In heddle_debug_stop, where the runtime comes by for us."""

    def __init__(self):
        super().__init__("heddle_debug_stop", internal=True)
        self.silent = True

    def stop(self):
        reason = debug("reason")
        if reason == CODE:
            if replay.pid != gdb.selected_inferior().pid:
                replay.begin()
            replay.hold()
        elif reason == CODE_DONE:
            if not replay.goes:
                replay.release()
        elif reason == FAULT:
            # The instruction is about to fault again, with nothing of ours in between: gdb shows it as ever.
            quiet("handle " + " ".join(FAULTS) + " stop print pass")
            replay.fault_shown = True
        elif reason == END:
            replay.take_result()
            quiet("handle " + " ".join(FAULTS) + " nostop noprint pass")
        elif reason == FOUND and (replay.goes or event_now() != replay.found_at):
            return False
        replay.reason = reason
        return reason in (EVENT, FOUND) or (reason == END and not replay.fault_shown)


def say_thread():
    thread = current()
    name = thread.name()
    return "thread %d%s" % (thread.index, " (%s)" % name if name else "")


def show_here():
    look_at(current())
    select_own()
    gdb.execute("frame")


def show_caller():
    """A fault inside a library is the fault of the program that called it: that frame is selected; bt has all of them."""
    frame = own_frame()
    if frame and is_own(frame) and frame.level() > 0:
        frame.select()
        gdb.execute("frame")


def end_words(result):
    outcome, status = result["outcome"], result["status"]
    if outcome == int(told("OUTCOME")) and status == int(told("STATUS")):
        return told("ENDS")
    words = OUTCOMES.get(outcome, "outcome %d" % outcome)
    return "%s %d" % (words, status) if outcome in (1, 2) else words


def is_at(event, kind):
    return isinstance(event, gdb.BreakpointEvent) and any(isinstance(one, kind) for one in event.breakpoints)


def on_stop(event):
    state.view = None
    if not is_alive() or not state.places and replay.pid != gdb.selected_inferior().pid:
        return
    replay.goes = False
    replay.release()
    is_ours = is_at(event, Stop)
    try:
        if is_ours and replay.reason == EVENT:
            print("heddle: %s, before event %d of %s" % (say_thread(), event_now(), told("EVENTS")))
            show_here()
        elif is_ours and replay.reason == FOUND:
            print("heddle: %s, just before the reported operation, after the start of event %d of %s" %
                  (say_thread(), event_now(), told("EVENTS")))
            show_here()
        elif is_ours and replay.reason == END:
            print("heddle: the run ends: %s, after %d events; %s ran" %
                  (end_words(replay.result), replay.result["event_count"], say_thread()))
            for note in replay.result["notes"]:
                if not note.startswith("signal "):
                    print("heddle: " + note)
            show_here()
        elif is_at(event, Arrival):
            print("heddle: %s, event %d of %s" % (say_thread(), event_now(), told("EVENTS")))
            gdb.execute("frame")
        else:
            replay.reason = END if replay.fault_shown else 0
            if isinstance(event, (gdb.BreakpointEvent, gdb.SignalEvent)):
                print("heddle: %s, event %d of %s" % (say_thread(), event_now(), told("EVENTS")))
            if isinstance(event, gdb.SignalEvent) and replay.fault_shown:
                show_caller()
            if isinstance(event, gdb.SignalEvent) and event.stop_signal == "SIGTRAP":
                print("heddle: the program trapped; use `signal SIGTRAP` to continue as in the recorded run")
    except (gdb.error, gdb.GdbError) as fault:
        print("heddle: %s" % fault)


def on_continue(event):
    state.view = None
    replay.reason = 0


def differences(result):
    if int(told("OUTCOME")) == NONE:  # ended from outside: it goes as far as the log does
        if result["event_count"] < int(told("EVENTS")):
            yield "the number of events is %d, not %s" % (result["event_count"], told("EVENTS"))
        return
    if result["outcome"] != int(told("OUTCOME")) or result["status"] != int(told("STATUS")):
        yield "the outcome is %s, not %s" % (end_words(result), told("ENDS"))
    if result["event_count"] != int(told("EVENTS")):
        yield "the number of events is %d, not %s" % (result["event_count"], told("EVENTS"))
    for name, key, words in (("event_hash", "HASH", "the event hash"), ("output_hash", "OUTPUT", "the output hash")):
        if result[name] != int(told(key)):
            yield "%s is %016x, not %016x" % (words, result[name], int(told(key)))


def on_exit(event):
    if not replay.goes:  # it may be the one before that is ended for another start
        replay.release()
    state.forget()
    result = replay.result
    replay.forget()
    if result is None:
        return
    difference = next(differences(result), None)
    if difference:
        print("heddle: the replay differs from the recorded run: " + difference)
    else:
        print("heddle: the replay matches the recorded run: %d events, event hash %016x" %
              (result["event_count"], result["event_hash"]))


def on_objfile(event):
    # Not before: gdb would say that there is no such function.
    if on_objfile.stop is None and os.path.basename(event.new_objfile.filename or "") == "libheddle.so":
        on_objfile.stop = Stop()


on_objfile.stop = None


def run_again():
    confirm = gdb.parameter("confirm")
    quiet("set confirm off")
    try:
        gdb.execute("run")
    finally:
        if confirm:
            quiet("set confirm on")


def number(text, what):
    words = text.split()
    if len(words) == 2 and words[1] in ("event", "events"):
        words.pop()
    if len(words) != 1 or not words[0].isdigit():
        raise gdb.GdbError(what)
    return int(words[0])


def go_to(event):
    last = int(told("EVENTS"))
    if not 1 <= event <= last:
        raise gdb.GdbError("The run has events 1 to %d." % last)
    now = event_now() if is_alive() and replay.pid else 0
    is_ahead = now and event > now and replay.result is None and replay.reason != END
    replay.goes = True
    try:
        if is_ahead:
            base = places()["tally"]
            set_debug("stop_at", event)
            # Less is left until the next decision; the number of the event stays.
            if event - now - 1 < min(tally("countdown"), 1 << 62):
                write(base + places()["tally.horizon"], event - 1, 8)
                write(base + places()["tally.countdown"], event - now - 1, 8)
            replay.hold()
            gdb.execute("continue")
        else:
            replay.stop_at = event
            run_again()
    finally:
        replay.goes = False
        replay.stop_at = replay.failure_at
        replay.release()


def say_where(argument):
    is_before = replay.reason == EVENT
    print("thread %d, %s event %d of %s" % (current().index, "before" if is_before else "after the start of", event_now(),
                                            told("EVENTS")))


class Goto(gdb.Command):
    """Go to just before an event: heddle-goto 120. Going back restarts the replay."""

    def __init__(self):
        super().__init__("heddle-goto", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        go_to(number(argument, "Specify an event, for example: heddle-goto 120"))


class Back(gdb.Command):
    """Go back by N events: heddle-back 5 events. The replay restarts and stops there."""

    def __init__(self):
        super().__init__("heddle-back", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        places()
        now, count = event_now(), number(argument or "1", "Specify a number of events, for example: heddle-back 5 events")
        if count < 1 or count >= now:
            raise gdb.GdbError("This is event %d: heddle-back takes 1 to %d." % (now, now - 1))
        go_to(now - count)


class Arrival(gdb.Breakpoint):
    """Where a frame goes on. gdb's own for that does not know frames of inlined functions."""

    def __init__(self, frame):
        super().__init__("*0x%x" % frame.pc(), internal=True)
        self.silent = True
        self.stack = int(frame.read_register("rsp"))
        self.is_met = False

    def stop(self):
        self.is_met = int(gdb.newest_frame().read_register("rsp")) == self.stack
        return self.is_met


def finish():
    """Goes on until the program's own code continues. Returns whether it came there."""
    places()
    look_at(None)
    frame = own_frame()
    if replay.result is not None or replay.fault_shown:
        raise gdb.GdbError("The run ends here; continue lets it end, run restarts it.")
    if not frame:
        raise gdb.GdbError("The thread has not reached the program's own code yet; set a breakpoint there.")
    if frame.level() == 0:
        raise gdb.GdbError("The thread is in the program's own code.")
    arrival = Arrival(frame)
    try:
        gdb.execute("continue")
    finally:
        if arrival.is_valid():
            arrival.delete()
    return arrival.is_met


BEFORE_STEP = "maintenance heddle-before-step"


class BeforeStep(gdb.Command):
    """Steps are for the program's own code: from an event they begin where that goes on. It is there for the hooks of
    step, next and until alone, and so among the commands that gdb keeps for maintenance."""

    def __init__(self):
        super().__init__(BEFORE_STEP, gdb.COMMAND_MAINTENANCE)

    def invoke(self, argument, from_tty):
        is_ended = replay.result is not None or replay.fault_shown
        if is_alive() and replay.pid and (is_ended or is_runtime(gdb.newest_frame().pc())) and not finish():
            raise gdb.GdbError("The program stopped before the step.")


class Finish(gdb.Command):
    """Continue until the thread returns to the program's own code, from an event or from a library."""

    def __init__(self):
        super().__init__("heddle-finish", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        finish()


class Run(gdb.Command):
    """Restart the replay, up to the failure or a breakpoint, without asking."""

    def __init__(self):
        super().__init__("heddle-run", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        run_again()


OVERVIEW = """The replay of a recorded run. It is the same however often it is started.

run, heddle-run        restart, up to the failure or a breakpoint
heddle-goto EVENT      go to just before an event; going back restarts the replay
heddle-back [N]        go back by N events
heddle-finish          continue until the thread returns to the program's own code
step, next, until      as usual; from an event they start where the program's own code continues
heddle-where           show the running thread and the number of the event
info threads           list all threads and what they wait for; also heddle-threads
thread N               select a thread for bt, up and info locals; also heddle-thread N
thread apply all bt    apply a command to all threads
$heddle_thread(), $heddle_event() and $heddle_tls("NAME") are for conditions and print.

For more information, see help heddle-goto and so on."""


def set_up():
    words = [told("COMMAND"), "replay", "--exec", told("TRACE")] + (["--hang", told("HANG")] if told("HANG") != "0" else []) \
        + (["--trust"] if told("TRUST") == "1" else [])
    wrapper = " ".join(shlex.quote(word) for word in words + ["--"])
    for setting in ("exec-wrapper " + wrapper, "startup-with-shell on", "disable-randomization on", "detach-on-fork on",
                    "follow-fork-mode parent", "follow-exec-mode same", "libthread-db-search-path /dev/null",
                    "print thread-events off", "unwindonsignal on"):
        quiet("set " + setting)
    # Signals of the program come from the log; what the kernel sends is for the runtime, or the end.
    quiet("handle all nostop noprint pass")
    register_unwinder(None, View(), replace=True)
    HideRuntime()
    gdb.events.stop.connect(on_stop)
    gdb.events.cont.connect(on_continue)
    gdb.events.exited.connect(on_exit)
    gdb.events.new_objfile.connect(on_objfile)
    gdb.events.breakpoint_created.connect(on_breakpoint)
    for step in ("step", "next", "until"):
        gdb.execute("define hook-%s\n%s\nend" % (step, BEFORE_STEP))
    make_thread_commands()
    gdb.execute("define heddle\nhelp heddle\nend\ndocument heddle\n%s\nend" % OVERVIEW)
    command("heddle-where", gdb.COMMAND_STATUS, "Show the running thread and the number of the event.")(say_where)
    for made in (BeforeStep, Goto, Back, Finish, Run, CurrentThread, CurrentEvent, ThreadLocal):
        made()


set_up()
print("heddle: info threads, thread N and thread apply show the program's threads; gdb itself sees only one and warns\n"
      "heddle: about libthread_db. For more information: help heddle")
gdb.execute("run")
