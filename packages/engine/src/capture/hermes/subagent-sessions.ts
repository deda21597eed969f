/** The place of a sub-agent: the session a person sees, and its name in it. */
export interface Kin {
  readonly session: string
  readonly agent: string
}

const MOST = 5_000

/**
 * Hermes gives every sub-agent its own session and reports the parent once, when the sub-agent starts. From
 * then on, events of that session belong to the sub-agent in the session of its parent.
 */
export interface Family {
  /**
   * Records the parent of a session and returns whether events of it were treated as a session of its own
   * until now.
   */
  readonly learn: (childSession: string, kin: Kin) => boolean
  /** Returns the known parent of a session. */
  readonly findKin: (session: string) => Kin | undefined
  /** Returns the actor in a session: `main`, unless the session is known to belong to a sub-agent. */
  readonly of: (session: string) => Kin
  /** Records that the parent reported the end of a sub-agent. */
  readonly end: (childSession: string) => void
  readonly hasEnded: (childSession: string) => boolean
  /** Records that a sub-agent of a person's session began, or that it finished its work. */
  readonly begin: (childSession: string, session: string) => void
  readonly finish: (childSession: string, session: string) => void
  /** Returns true while a sub-agent of this session works. */
  readonly hasWork: (session: string) => boolean
}

export function createFamily(): Family {
  const children = new Map<string, Kin>()
  const own = new Set<string>()
  const ended = new Set<string>()
  const finished = new Set<string>()
  const working = new Map<string, Set<string>>()
  return {
    learn: (childSession, kin) => {
      if (childSession === kin.session) return false
      children.delete(childSession)
      children.set(childSession, kin)
      forgetOldest(children)
      return own.delete(childSession)
    },
    findKin: (session) => children.get(session),
    of: (session) => {
      const kin = children.get(session)
      if (kin !== undefined) return kin
      own.delete(session)
      own.add(session)
      forgetOldest(own)
      return { session, agent: 'main' }
    },
    end: (childSession) => {
      ended.add(childSession)
      forgetOldest(ended)
    },
    hasEnded: (childSession) => ended.has(childSession),
    begin: (childSession, session) => {
      if (finished.has(childSession)) return
      working.set(session, (working.get(session) ?? new Set()).add(childSession))
      forgetOldest(working)
    },
    finish: (childSession, session) => {
      finished.add(childSession)
      forgetOldest(finished)
      working.get(session)?.delete(childSession)
    },
    hasWork: (session) => (working.get(session)?.size ?? 0) > 0,
  }
}

function forgetOldest(names: Map<string, unknown> | Set<string>): void {
  for (const oldest of names.keys()) {
    if (names.size <= MOST) return
    names.delete(oldest)
  }
}
