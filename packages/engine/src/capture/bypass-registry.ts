import type { Bypass } from '@panoptes/engine/markers'
import type { HookEvent, KeyedEvent } from './hook.ts'
import { forgetOldest } from './idempotency-key.ts'

/**
 * Tracks the sessions whose claims or skills must not be recorded, because the environment of their agent or
 * of the daemon says so.
 */
export interface Bypassed {
  /**
   * Records the bypass of a payload and returns events that store it in the log, so that later readers know
   * it too.
   */
  readonly note: (events: readonly KeyedEvent[], bypass: Bypass) => readonly KeyedEvent[]
  /** Restores a bypass from a stored event. */
  readonly recall: (event: Readonly<Record<string, unknown>>) => void
  readonly isLeftOut: (event: HookEvent) => boolean
}

export const NO_BYPASS: Bypass = { claims: false, skills: false }
const MOST_SESSIONS = 20_000

/** `always` is the bypass from the daemon's own environment. */
export function createBypassed(always: Bypass): Bypassed {
  const sessions = new Map<string, Bypass>()

  const add = (source: unknown, session: unknown, more: Bypass): void => {
    const name = sessionKey(source, session)
    const previous = sessions.get(name) ?? NO_BYPASS
    sessions.delete(name)
    sessions.set(name, { claims: previous.claims || more.claims, skills: previous.skills || more.skills })
    forgetOldest(sessions, MOST_SESSIONS)
  }

  return {
    note: (events, bypass) => {
      if (!bypass.claims && !bypass.skills) return []
      const fresh = new Map(events.map((event) => [sessionKey(event.source, event.session_id), event]))
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
      return always[found.kind] || sessions.get(sessionKey(source, session_id))?.[found.kind] === true
    },
  }
}

const KINDS = [
  { kind: 'claims', event: 'claim' },
  { kind: 'skills', event: 'skill_use' },
] as const

const sessionKey = (source: unknown, session: unknown): string => JSON.stringify([source, session])
