import { check, type EventInput, eventInputSchema } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countDay, failingHelper, generateDay, generateNewEvents, needsYou, nestedHelpers } from './index.ts'

const lines = (seed: number, events: number): string[] =>
  Array.from(generateDay({ seed, events }), (event) => JSON.stringify(event))

const sizes = (events: readonly EventInput[], field: string): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(events, (event) => event[field])].map(([name, of]) => [name, of.length]))

describe('the demo day', () => {
  it('is identical byte for byte for the same seed', () => {
    expect(lines(7, 3_000)).toEqual(lines(7, 3_000))
  })

  it('differs for another seed', () => {
    expect(lines(7, 50)).not.toEqual(lines(8, 50))
  })

  it('has exactly the requested number of events, with a stable beginning', () => {
    const long = lines(3, 2_000)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_000 }), (events) => {
        expect(lines(3, events)).toEqual(long.slice(0, events))
      }),
      { numRuns: 20 },
    )
  })

  it('fits the vocabulary for any seed', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        for (const event of generateDay({ seed, events: 400 })) {
          expect(check(eventInputSchema(event.event), event)).toEqual({ ok: true, value: event })
        }
      }),
      { numRuns: 10 },
    )
  })

  it('gives every event its own key', () => {
    const keys = new Set(Array.from(generateDay({ seed: 11, events: 60_000 }), (event) => event.key))
    expect(keys.size).toBe(60_000)
  })

  it('starts at the requested time and never goes back', () => {
    const start = Date.UTC(2026, 1, 2, 9)
    const times = Array.from(generateNewEvents({ seed: 5, events: 20_000, start }), (event) => event.ts)
    expect(times[0]).toBe(start)
    expect(times).toEqual([...times].sort((a, b) => a - b))
  })

  it('has events of about 250 bytes and occasionally one of a kilobyte', () => {
    const sizes = lines(2, 20_000).map((line) => Buffer.byteLength(line))
    const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length
    expect(mean).toBeGreaterThan(220)
    expect(mean).toBeLessThan(330)
    expect(Math.max(...sizes)).toBeGreaterThan(900)
    expect(Math.max(...sizes)).toBeLessThan(2_048)
  })

  it('contains every kind of event within 20,000 events', () => {
    const events = [...generateDay({ seed: 1, events: 20_000 })]
    const seen = (has: (event: EventInput) => boolean): boolean => events.some(has)
    const parents = new Set(events.map((event) => event.parent_id))
    expect(new Set(events.map((event) => event.source))).toEqual(
      new Set(['claude-code', 'hermes', 'panoptes', 'custom']),
    )
    expect(new Set(events.map((event) => event.event)).size).toBe(15)
    expect(seen((event) => event.event === 'agent_spawn' && event.background === true)).toBe(true)
    expect(
      seen((event) => event.event === 'agent_spawn' && parents.has(event.id) && event.parent_id !== 'main'),
    ).toBe(true)
    for (const outcome of ['functional', 'partial', 'scaffolding', 'fail']) {
      expect(seen((event) => event.event === 'agent_done' && event.outcome === outcome)).toBe(true)
    }
    for (const tier of ['REAL', 'FROM-JOURNAL', 'ESTIMATE-HTC'])
      expect(seen((event) => event.tier === tier)).toBe(true)
    expect(seen((event) => event.event === 'usage' && event.cost_status === 'unknown')).toBe(true)
    for (const success of [true, false])
      expect(seen((event) => event.event === 'skill_use' && event.success === success)).toBe(true)
    expect(seen(({ follow_ups }) => Array.isArray(follow_ups) && follow_ups.length > 1)).toBe(true)
  })

  it('keeps several agents of several sessions running at once', () => {
    const day = countDay()
    let most = 0
    for (const event of generateDay({ seed: 1, events: 5_000 })) {
      day.add(event)
      most = Math.max(most, day.alive().length)
    }
    expect(most).toBeGreaterThan(15)
    expect(new Set(day.alive().map((name) => name.split(' ')[1])).size).toBeGreaterThan(2)
  })
})

describe('the count of a day', () => {
  it('equals a recount of the finished list', () => {
    const events = [...generateDay({ seed: 9, events: 8_000 })]
    const day = countDay()
    for (const event of events) day.add(event)
    const of = (kind: string): EventInput[] => events.filter((event) => event.event === kind)
    const total = (field: string): number =>
      of('usage').reduce((sum, event) => sum + Number(event[field] ?? 0), 0)
    const helpers = (kind: string) =>
      of(kind).filter(
        (event) => ![event.id, event.agent_id].includes('main') && event.id !== event.session_id,
      )
    const failed = helpers('agent_done').filter((event) => event.outcome === 'fail').length
    const name = ({ source, session_id, id, agent_id }: EventInput) =>
      [source, session_id, id ?? agent_id].join()
    const ended = new Set([...helpers('agent_done'), ...helpers('agent_lost')].map(name))
    const over = new Set(of('session_end').map(({ session_id }) => session_id))
    const cutOff = helpers('agent_spawn').filter(
      (event) => over.has(event.session_id) && !ended.has(name(event)),
    )
    expect(cutOff).not.toHaveLength(0)
    expect(day.counters()).toEqual({
      events: 8_000,
      by_kind: sizes(events, 'event'),
      by_source: sizes(events, 'source'),
      agents_spawned: helpers('agent_spawn').length,
      agents_done: helpers('agent_done').length - failed,
      agents_stopped: helpers('agent_lost').length + cutOff.length,
      agents_failed: failed,
      tool_calls: of('tool_use').length,
      tool_errors: of('tool_done').filter((event) => event.ok === false).length,
      skill_uses: of('skill_use').length,
      skill_successes: of('skill_use').filter((event) => event.success === true).length,
      claims: of('claim').length,
      tokens_in: total('input'),
      tokens_out: total('output'),
      cache_read: total('cache_read'),
      cache_write: total('cache_write'),
      cost_micro_usd: Math.round(total('cost_usd') * 1_000_000),
      cost_unknown: of('usage').filter((event) => event.cost_usd === undefined).length,
    })
  })

  it('lists the agents that are alive at the end of each scenario', () => {
    const aliveAfter = (events: readonly EventInput[]): readonly string[] => {
      const day = countDay()
      for (const event of events) day.add(event)
      return day.alive()
    }
    expect(aliveAfter(nestedHelpers('s1'))).toEqual([])
    expect(aliveAfter(failingHelper('s2'))).toEqual(['claude-code s2 main'])
    expect(aliveAfter(needsYou('s3'))).toEqual([
      'claude-code s3 a1',
      'claude-code s3 a2',
      'claude-code s3 main',
    ])
  })
})
