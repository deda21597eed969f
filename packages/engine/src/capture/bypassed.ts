import type { Bypass } from '@panoptes/engine/stated'
import type { HookEvent, KeyedEvent } from './hook.ts'
import { forgetOldest } from './key.ts'

/** Knows of which sessions no claims or no skills are recorded, because their agent's environment or the daemon's says so. */
export interface Bypassed {
  /** A payload came with this; what says so for the sessions it tells of, so that whoever reads the log knows it too. */
  readonly note: (told: readonly KeyedEvent[], bypass: Bypass) => readonly KeyedEvent[]
  /** A stored event may say so. */
  readonly recall: (event: Readonly<Record<string, unknown>>) => void
  readonly isLeftOut: (event: HookEvent) => boolean
}

export const NO_BYPASS: Bypass = { claims: false, skills: false }
const MOST_SESSIONS = 20_000

/** `always` is what the daemon's own environment says. */
export function createBypassed(always: Bypass): Bypassed {
  const sessions = new Map<string, Bypass>()

  const add = (source: unknown, session: unknown, more: Bypass): void => {
    const name = nameOf(source, session)
    const known = sessions.get(name) ?? NO_BYPASS
    sessions.delete(name)
    sessions.set(name, { claims: known.claims || more.claims, skills: known.skills || more.skills })
    forgetOldest(sessions, MOST_SESSIONS)
  }

  return {
    note: (told, bypass) => {
      if (!bypass.claims && !bypass.skills) return []
      const fresh = new Map(told.map((event) => [nameOf(event.source, event.session_id), event]))
      return [...fresh.values()].flatMap(({ source, session_id, ts }) => {
        add(source, session_id, bypass)
        return KINDS.flatMap(({ kind }) =>
          bypass[kind]
            ? [
                {
                  event: 'bypass',
                  source,
                  session_id,
                  ...(ts === undefined ? {} : { ts }),
                  key: `${source}:${session_id}:bypass:${kind}`,
                  [kind]: true,
                },
              ]
            : [],
        )
      })
    },
    recall: (event) => {
      if (event.event !== 'bypass') return
      add(event.source, event.session_id, { claims: event.claims === true, skills: event.skills === true })
    },
    isLeftOut: ({ event, source, session_id }) => {
      const found = KINDS.find((each) => each.event === event)
      if (found === undefined) return false
      return always[found.kind] || sessions.get(nameOf(source, session_id))?.[found.kind] === true
    },
  }
}

const KINDS = [
  { kind: 'claims', event: 'claim' },
  { kind: 'skills', event: 'skill_use' },
] as const

const nameOf = (source: unknown, session: unknown): string => JSON.stringify([source, session])
