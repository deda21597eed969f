import type { Account, StoredEvent } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldEvents } from '../make/index.ts'
import { MAKING } from '../make/make.test-kit.ts'
import { NOON } from '../outcomes.test-kit.ts'
import { carried } from './carried.ts'

const HOUR = 3_600_000
const SESSION = { source: 'custom', session_id: 's' }

const event = (seq: number, kind: string, more: object): StoredEvent =>
  ({
    v: 1,
    key: `k${seq}`,
    seq,
    ts: NOON + seq * HOUR,
    event: kind,
    host: 'here',
    ...SESSION,
    ...more,
  }) as never

interface Looked {
  /** How many events there are by then, and how many of them are gone. */
  readonly told: number
  readonly gone: number
}

/** What comes of it when the log is looked at again and again, while it loses its beginning. */
function followed(
  events: readonly StoredEvent[],
  looks: readonly Looked[],
  makingAt: (look: number) => typeof MAKING = () => MAKING,
): Account {
  let before: { readonly account: Account; readonly to: number } | undefined
  looks.forEach(({ told, gone }, look) => {
    const fold = foldEvents(makingAt(look))
    const left = events.slice(gone, told)
    for (const each of left) if (each.event === 'agent_link') fold.hear(each)
    for (const each of left) fold.hear(each)
    const to = gone > 0 && before !== undefined ? before.to : 0
    const made: Account = { ...SESSION, fingerprint: '', from: 'log', ...fold.account(SESSION, to) }
    const account = to === 0 || before === undefined ? made : carried(before.account, made, fold.since(to))
    before = { account, to: told }
  })
  return before?.account as Account
}

const whole = (events: readonly StoredEvent[]): Account =>
  followed(events, [{ told: events.length, gone: 0 }])

function sums({ cells, agents, claims }: Account) {
  const days = new Map<string, number[]>()
  for (const { day, agent_id, model, replies, tokens_in, tokens_out, cost_micro_usd } of cells) {
    const key = `${day} ${agent_id} ${model}`
    const known = days.get(key) ?? [0, 0, 0, 0]
    days.set(
      key,
      [replies, tokens_in, tokens_out, cost_micro_usd].map((each, n) => each + (known[n] ?? 0)),
    )
  }
  return {
    days: [...days].sort(),
    agents: agents
      .map(({ agent_id, tokens_in, tokens_out, cache_read, cost_micro_usd, cost_unknown, tool_use_count }) =>
        [agent_id, tokens_in, tokens_out, cache_read, cost_micro_usd, cost_unknown, tool_use_count].join(),
      )
      .sort(),
    claims: claims.map(({ message_id, place }) => `${message_id} ${place}`).sort(),
  }
}

const told = fc.oneof(
  fc.record({ kind: fc.constant('usage'), agent: fc.constantFrom('main', 'a'), count: fc.nat(1_000) }),
  fc.record({ kind: fc.constant('unknown'), agent: fc.constantFrom('main', 'a'), count: fc.nat(3) }),
  fc.record({ kind: fc.constant('call'), agent: fc.constantFrom('main', 'a'), count: fc.nat(3) }),
  fc.record({ kind: fc.constant('skill'), agent: fc.constantFrom('main', 'a'), count: fc.nat(3) }),
  fc.record({ kind: fc.constant('claim'), agent: fc.constantFrom('main', 'a'), count: fc.nat(3) }),
)

const eventsOf = (
  rows: readonly { readonly kind: string; readonly agent: string; readonly count: number }[],
) =>
  rows.map(({ kind, agent: agent_id, count }, n) => {
    const seq = n + 1
    const id = `i${seq}`
    if (kind === 'usage')
      return event(seq, 'usage', { id, agent_id, model: 'claude-opus-4-8', input: count, output: 1 })
    if (kind === 'unknown') return event(seq, 'usage', { id, agent_id, model: `nobody-${count}` })
    if (kind === 'call') return event(seq, 'tool_use', { id, agent_id, tool: `T${count}` })
    if (kind === 'skill') return event(seq, 'skill_use', { id, agent_id, skill: `s${count}`, success: true })
    return event(seq, 'claim', {
      agent_id,
      value: '3 s',
      tier: 'REAL',
      pointer: 't1',
      message_id: id,
      place: count,
    })
  })

describe('account of a log-only session after retention', () => {
  it('keeps every counted token by day, wherever and however often the log is cut', () => {
    fc.assert(
      fc.property(
        fc.array(told, { minLength: 1, maxLength: 60 }),
        fc.array(fc.tuple(fc.nat(20), fc.nat(20)), { maxLength: 8 }),
        (rows, steps) => {
          const events = eventsOf(rows)
          const looks: Looked[] = []
          let at = 0
          let gone = 0
          for (const [more, cut] of steps) {
            at = Math.min(events.length, at + more)
            looks.push({ told: at, gone })
            // Only what was counted may go.
            gone = Math.min(at, gone + cut)
          }
          looks.push({ told: events.length, gone })
          expect(sums(followed(events, looks))).toEqual(sums(whole(events)))
        },
      ),
    )
  })

  it('counts each reply once after a change of the time zone', () => {
    const events = eventsOf(Array.from({ length: 20 }, () => ({ kind: 'usage', agent: 'main', count: 100 })))
    const later = { ...MAKING, dayOf: (ts: number) => MAKING.dayOf(ts + 14 * HOUR) }
    const looks = [
      { told: 10, gone: 0 },
      { told: 15, gone: 6 },
      { told: 20, gone: 12 },
    ]
    const { cells, agents } = followed(events, looks, (look) => (look === 0 ? MAKING : later))
    expect(cells.reduce((sum, { tokens_in }) => sum + tokens_in, 0)).toBe(2_000)
    expect(agents).toMatchObject([{ tokens_in: 2_000, tokens_out: 20 }])
  })

  it('moves deleted usage to the agent that a later link identifies', () => {
    const events = [
      ...eventsOf(Array.from({ length: 10 }, () => ({ kind: 'usage', agent: 'a', count: 100 }))),
      event(11, 'agent_link', { id: 'main', tool_use_id: 'a' }),
      event(12, 'usage', { id: 'x', model: 'claude-opus-4-8', input: 5 }),
    ]
    const looks = [
      { told: 10, gone: 0 },
      { told: 12, gone: 6 },
    ]
    expect(sums(followed(events, looks))).toEqual(sums(whole(events)))
    expect(followed(events, looks).agents).toMatchObject([{ agent_id: 'main', tokens_in: 1_005 }])
  })

  it('counts each reply once after a late event assigns it to another skill', () => {
    const events = [
      ...eventsOf(Array.from({ length: 10 }, () => ({ kind: 'usage', agent: 'main', count: 100 }))),
      event(11, 'skill_use', { id: 's', skill: 'tidy', success: true, ts: NOON }),
      event(12, 'usage', { id: 'x', model: 'claude-opus-4-8', input: 5 }),
    ]
    const looks = [
      { told: 10, gone: 0 },
      { told: 12, gone: 6 },
    ]
    expect(sums(followed(events, looks))).toEqual(sums(whole(events)))
  })

  it('subtracts usage and claims that a nested span reports as well', () => {
    const back = { agent_id: 'main', model: null }
    const rows = Array.from({ length: 10 }, (_, n) => ({
      kind: n % 2 === 0 ? 'usage' : 'claim',
      agent: 'main',
      count: 100,
    }))
    const events = [
      ...eventsOf(rows),
      event(11, 'taken_back', { ...back, of: 'usage', id: 'i9', input: 100, output: 1 }),
      event(12, 'taken_back', { ...back, of: 'claim', message_id: 'i10', claims: 1 }),
    ]
    const looks = [
      { told: 10, gone: 0 },
      { told: 12, gone: 6 },
    ]
    const account = followed(events, looks)
    expect(sums(account)).toEqual(sums(whole(events)))
    expect(account.agents).toMatchObject([{ tokens_in: 400 }])
    expect(account.claims).toHaveLength(4)
  })

  it('counts a call and its failure once if its end arrives after its start was deleted', () => {
    const events = [
      ...eventsOf(Array.from({ length: 4 }, () => ({ kind: 'call', agent: 'main', count: 1 }))),
      event(5, 'tool_done', { id: 'i1', tool: 'T1', ok: false }),
      event(6, 'tool_done', { id: 'i4', tool: 'T1', ok: false }),
    ]
    const looks = [
      { told: 4, gone: 0 },
      { told: 6, gone: 2 },
    ]
    expect(followed(events, looks).agents).toMatchObject([{ tool_use_count: 4, errors: 2 }])
  })
})
