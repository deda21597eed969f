import type { ServerResponse } from 'node:http'
import type { Standing } from '../callers.ts'

type Outgoing = Pick<ServerResponse, 'headersSent' | 'closed' | 'once' | 'destroy'>

/** Answers that are not whole yet, each with what says whether who asked may still have it. */
export interface UnderWay {
  readonly add: (outgoing: Outgoing, standing: Standing) => void
  /** Ends those that nobody may have any more: the connection is cut, as by who hangs up, and what works for it stops. */
  readonly recheck: () => void
}

interface One {
  readonly outgoing: Outgoing
  readonly standing: Standing
  readonly since: number
}

/** `patienceMs`: so long an answer is not begun, it is left alone: whoever ends their own token is to hear of it. */
export function createUnderWay(patienceMs: number, now = () => performance.now()): UnderWay {
  const all = new Set<One>()
  const look = async (one: One) => {
    if (!one.outgoing.headersSent && now() - one.since < patienceMs) return
    if (!(await one.standing())) one.outgoing.destroy()
  }
  return {
    add: (outgoing, standing) => {
      if (outgoing.closed) return
      const one = { outgoing, standing, since: now() }
      all.add(one)
      outgoing.once('close', () => all.delete(one))
    },
    recheck: () => {
      for (const one of all) void look(one)
    },
  }
}
