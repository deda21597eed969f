import type { ServerResponse } from 'node:http'
import type { Standing } from '../authenticate.ts'

type Outgoing = Pick<ServerResponse, 'headersSent' | 'closed' | 'once' | 'destroy'>

/** Responses that are still being sent, each with the check whether its caller may still have it. */
export interface UnderWay {
  readonly add: (outgoing: Outgoing, standing: Standing) => void
  /**
   * Ends the responses whose callers lost access. Cutting the connection stops the work too, as if the client had
   * hung up.
   */
  readonly recheck: () => void
}

interface One {
  readonly outgoing: Outgoing
  readonly standing: Standing
  readonly since: number
}

/**
 * `patienceMs` protects a response that has not begun yet: somebody who revokes their own token should still get
 * the answer to that request.
 */
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
