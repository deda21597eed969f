import { describe, expect, it } from 'vitest'
import { aggregate } from './aggregate.ts'
import { CATALOGUE } from './catalogue.ts'
import { keptOf } from './kept.ts'

const NEVER = { zone: 'UTC', isWeekend: () => false, isNight: () => false }

/** The best session of two that the ledger kept, each of an agent and with so many messages. */
function best(...sessions: readonly (readonly [source: string, messages: number])[]) {
  const kept = sessions.map(([source, message_count]) => {
    const about = { title: 'A', source: 'cli', model: null, started_at: 1, last_at: 2 }
    const doc = JSON.stringify({ ...about, values: { message_count } })
    return keptOf({ scope: source, source, id: `of ${source}`, fingerprint: '', doc }).contribution
  })
  const { evidence } = aggregate(
    kept.filter((one) => one !== undefined),
    NEVER,
    CATALOGUE,
  )
  return evidence.max_messages_in_session
}

describe('evidence', () => {
  it('says whose session it is', () => {
    expect(best(['codex', 9], ['hermes', 5])).toEqual({
      session_id: 'of codex',
      title: 'A',
      value: 9,
      source: 'codex',
    })
  })

  it('of Hermes has the shape of Hermes', () => {
    expect(best(['codex', 4], ['hermes', 5])).toEqual({ session_id: 'of hermes', title: 'A', value: 5 })
  })
})
