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
  readonly learn: (childSession: string, kin: Kin) => void
  /** Who acts in a session: `main` of its own, unless it is known to be a sub-agent's. */
  readonly of: (session: string) => Kin
}

export function createFamily(): Family {
  const children = new Map<string, Kin>()
  return {
    learn: (childSession, kin) => {
      if (childSession === kin.session) return
      children.delete(childSession)
      children.set(childSession, kin)
      for (const oldest of children.keys()) {
        if (children.size <= MOST) break
        children.delete(oldest)
      }
    },
    of: (session) => children.get(session) ?? { session, agent: 'main' },
  }
}
