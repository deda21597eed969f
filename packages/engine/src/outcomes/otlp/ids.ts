import { hash } from 'node:crypto'

/**
 * The ids of a session's spans. They depend only on what they identify, so a session that is sent
 * again is the same trace.
 */
export interface Ids {
  readonly trace: string
  readonly agent: (id: string) => string
  readonly call: (id: string) => string
  /** A repeated message id gives another span id. */
  readonly reply: (agent: string, message: string) => string
}

const MOST_NAMES = 100_000

export function createIds(source: string, session: string): Ids {
  const digest = (parts: readonly string[], digits: number) =>
    hash('sha256', JSON.stringify(['panoptes', source, session, ...parts])).slice(0, digits)
  const times = new Map<string, number>()
  return {
    trace: digest(['trace'], 32),
    agent: (id) => digest(['agent', id], 16),
    call: (id) => digest(['call', id], 16),
    reply: (agent, message) => {
      const name = JSON.stringify([agent, message])
      const before = times.get(name) ?? 0
      if (times.size < MOST_NAMES || before > 0) times.set(name, before + 1)
      return digest(['reply', agent, message, ...(before > 0 ? [String(before)] : [])], 16)
    },
  }
}
