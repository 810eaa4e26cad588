# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The constructs that are measured, and how many messages they cost between n nodes.

`least` is what any implementation needs at least, and `why`; `weft` is what Weft takes, exactly, and
tests/openmp_messages holds it to that. None: it depends on who comes first. Both are formulas of n, for
one execution of the construct by a team of n nodes. So is `pages`. Where Weft takes more, `gap` says what for.
"""

import dataclasses


@dataclasses.dataclass
class Construct:
    text: str
    least: str
    why: str
    weft: str = None
    gap: str = ""
    count: int = 200  # executions in a run
    # A construct whose cost is part of this one's and is not its own.
    with_each: str = ""
    pages: str = None  # that one execution brings to other nodes, exactly. None: not checked


REGION = "each other node must be told, and tell that it is done"
BARRIER = "each other node must say that it is there, and be told that all are"
ASKED = "any other node may have flushed, and gone on to wait"
HERE = "is decided and done where the thread is"
HAND_OVER = "the lock is asked for, and given"
FORWARDED = "a manager that has not got the lock sends the request on"
COPIES = "a second barrier, before which the original must stay; its address and itself are pushed"
COUNTED = "the turn is counted at a third node: told, asked for, answered"
TURN = "who is done tells who is next"

SHARED = "nodes that wait get it after some turns of the one that has it; each time as from node to node, below"
MOVED = "idle nodes ask for tasks: an ask, an answer with several, and who they belong to is told that they are done"

CONSTRUCTS = {
    "parallel": Construct("parallel", "2*(n-1)", REGION, "2*(n-1)"),
    "parallel_for": Construct("parallel for", "2*(n-1)", REGION, "2*(n-1)"),
    "parallel_values": Construct("parallel, reading variables", "2*(n-1)", REGION + ", with the values", "2*(n-1)", pages="0"),
    "parallel_private": Construct("parallel private(512 ints)", "2*(n-1)", REGION, "2*(n-1)"),
    "parallel_firstprivate": Construct("parallel firstprivate(512 ints)", "2*(n-1)",
                                       REGION, "2*(n-1)"),
    "parallel_copyin": Construct("parallel copyin(512 ints)", "2*(n-1)", REGION + "; the values come along", "4*(n-1)",
                                 "copyin's barrier"),
    "parallel_reduction": Construct("parallel reduction", "2*(n-1)", REGION + ", with the value", "2*(n-1)"),
    "nested_parallel": Construct("parallel in parallel", "0", HERE, "0"),
    "barrier": Construct("barrier", "2*(n-1)", BARRIER, "2*(n-1)"),
    "for_static": Construct("for static", "2*(n-1)", "the barrier", "2*(n-1)"),
    "for_static_1": Construct("for static,1", "2*(n-1)", "the barrier", "2*(n-1)"),
    "for_static_nowait": Construct("for static nowait", "0", HERE, "0", count=2000),
    "for_dynamic": Construct("for dynamic", "2*(n-1)", "the barrier; and what moves work", None,
                             "a node that has run out asks the others"),
    "for_dynamic_8": Construct("for dynamic,8", "2*(n-1)", "the barrier; and what moves work", None, "as for dynamic"),
    "for_guided": Construct("for guided", "2*(n-1)", "the barrier; and what moves work", None, "as for dynamic"),
    "for_auto": Construct("for auto", "2*(n-1)", "the barrier", "2*(n-1)"),
    "for_reduction": Construct("for reduction", "2*(n-1)", "the barrier, with the value", "2*(n-1)"),
    "single": Construct("single", "2*(n-1)", "the barrier", "2*(n-1)"),
    "single_nowait": Construct("single nowait", "2*(n-1)", "each node must learn whether it is the first", None,
                               "nothing: a node that is late hears of several at once", count=2000),
    "copyprivate": Construct("single copyprivate", "2*(n-1)", "the barrier, with the value", "4*(n-1)", COPIES),
    "copyprivate_array": Construct("single copyprivate(512 ints)", "2*(n-1)", "the barrier, with the values", "4*(n-1)", COPIES),
    "masked": Construct("masked", "0", HERE, "0", count=2000),
    "master": Construct("master", "0", HERE, "0", count=2000),
    "sections": Construct("sections", "2*(n-1)", "the barrier", "2*(n-1)"),
    "critical": Construct("critical, all at once", "0", "a node may do all of its own first", None, SHARED),
    "lock_unlock": Construct("lock and unlock, all at once", "0", "a node may do all of its own first", None, SHARED),
    "atomic": Construct("atomic, all at once", "0", "a node may do all of its own first", None, "nothing, unless it takes more than half a millisecond: updates go with the barrier"),
    "flush": Construct("flush, all at once", "2*n*(n-1)", ASKED, "2*n*(n-1)"),
    "threadprivate": Construct("threadprivate access", "0", HERE, "0", count=2000),
    "task": Construct("task, made by all", "0", HERE, None, MOVED),
    "task_by_one": Construct("task, made by one", "0", "all may be done where they are made", None, MOVED),
    "taskwait": Construct("taskwait", "0", "no children, nothing to wait for", "0", count=2000),
    "taskgroup": Construct("taskgroup", "0", HERE, "0", count=2000),
    "taskloop": Construct("taskloop of 4 tasks", "0", "all may be done where they are made", None, MOVED),
    "ordered": Construct("ordered, an iteration", "1", TURN, "3*(n-1)/n", COUNTED),
    "doacross": Construct("ordered depend(sink, source), an iteration", "1", TURN, None,
                          "asked for first, of the node that has the one before; the answer may tell of several"),
    "critical_by_turns": Construct("critical, from node to node", "2", HAND_OVER, "(3*n-2)/n", FORWARDED, with_each="barrier"),
    "lock_by_turns": Construct("lock and unlock, from node to node", "2", HAND_OVER, "(3*n-2)/n", FORWARDED, with_each="barrier"),
    "flush_by_turns": Construct("flush, from node to node", "2*(n-1)", ASKED, "2*(n-1)", with_each="barrier"),
    "critical_by_one": Construct("critical, one node alone", "0", HERE, "0", count=2000),
    "lock_by_one": Construct("lock and unlock, one node alone", "0", HERE, "0", count=2000),
    "flush_by_one": Construct("flush, one node alone", "2*(n-1)", ASKED, "2*(n-1)"),
    "atomic_elsewhere": Construct("atomic capture on another node's variable", "0", "done in the home's memory", "0"),
}


def evaluate(formula, nodes):
    return float(eval(formula, {"__builtins__": {}}, {"n": nodes}))  # formulas of this file alone
