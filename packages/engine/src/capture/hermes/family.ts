/** Where a sub-agent belongs: the session a person sees, and its name in it. */
export interface Kin {
  readonly session: string
  readonly agent: string
}

const MOST = 5_000

/**
 * Hermes gives every sub-agent a session of its own. Which session that is, and whose, is told once, when it starts; from then
 * on what happens in it is the sub-agent's, in the session of the one who asked for it.
 */
export interface Family {
  /** Whether something in that session was taken for its own until now. */
  readonly learn: (childSession: string, kin: Kin) => boolean
  /** Whose a session is known to be. */
  readonly known: (session: string) => Kin | undefined
  /** Who acts in a session: `main` of its own, unless it is known to be a sub-agent's. */
  readonly of: (session: string) => Kin
}

export function createFamily(): Family {
  const children = new Map<string, Kin>()
  const own = new Set<string>()
  return {
    learn: (childSession, kin) => {
      if (childSession === kin.session) return false
      children.delete(childSession)
      children.set(childSession, kin)
      forgetOldest(children)
      return own.delete(childSession)
    },
    known: (session) => children.get(session),
    of: (session) => {
      const kin = children.get(session)
      if (kin !== undefined) return kin
      own.delete(session)
      own.add(session)
      forgetOldest(own)
      return { session, agent: 'main' }
    },
  }
}

function forgetOldest(names: Map<string, unknown> | Set<string>): void {
  for (const oldest of names.keys()) {
    if (names.size <= MOST) return
    names.delete(oldest)
  }
}
