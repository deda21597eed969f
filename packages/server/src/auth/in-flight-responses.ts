import type { ServerResponse } from 'node:http'
import type { AccessCheck } from '../authenticate.ts'

type Outgoing = Pick<ServerResponse, 'headersSent' | 'closed' | 'once' | 'destroy'>

/** Responses that are still being sent, each with the check whether its caller may still have it. */
export interface InFlightResponses {
  readonly add: (outgoing: Outgoing, checkAccess: AccessCheck) => void
  /**
   * Ends the responses whose callers lost access. Cutting the connection stops the work too, as if the client had
   * hung up.
   */
  readonly recheck: () => void
}

interface InFlightResponse {
  readonly outgoing: Outgoing
  readonly checkAccess: AccessCheck
  readonly since: number
}

/**
 * `graceMs` protects a response that has not begun yet: somebody who revokes their own token should still get
 * the answer to that request.
 */
export function createInFlightResponses(graceMs: number, now = () => performance.now()): InFlightResponses {
  const all = new Set<InFlightResponse>()
  const recheckOne = async (one: InFlightResponse) => {
    if (!one.outgoing.headersSent && now() - one.since < graceMs) return
    if (!(await one.checkAccess())) one.outgoing.destroy()
  }
  return {
    add: (outgoing, checkAccess) => {
      if (outgoing.closed) return
      const one = { outgoing, checkAccess, since: now() }
      all.add(one)
      outgoing.once('close', () => all.delete(one))
    },
    recheck: () => {
      for (const one of all) void recheckOne(one)
    },
  }
}
