import { describe, expect, it } from 'vitest'
import { toSessionKey } from '../live/data/agent-key.ts'
import {
  filterQuery,
  isNarrowed,
  parseSessionKey,
  readSearch,
  toSavedQuery,
  toSearch,
} from './search-params.ts'

describe('the address of the Sessions page', () => {
  it('keeps valid parameters and drops the rest', () => {
    expect(readSearch({ q: 42, since: '7d', errors: true, session: 'a~b', n: 3, more: 'x' })).toEqual({
      q: '42',
      since: '7d',
      errors: true,
      session: 'a~b',
      n: 3,
    })
    expect(readSearch({ q: '', since: '3y', until: {}, errors: 'no', source: { $: 1 }, n: 4 })).toEqual({})
    expect(readSearch({ session: 'a~b', n: -1 })).toEqual({ session: 'a~b' })
  })

  it('requests the filtered sessions from midnight on', () => {
    const now = new Date(2026, 10, 15, 13, 30).getTime()
    const query = new URLSearchParams(filterQuery({ project: 'a b', since: '7d', errors: true }, now))
    expect(query.get('project')).toBe('a b')
    expect(query.get('errors')).toBe('true')
    expect(new Date(query.get('since') ?? '').getTime()).toBe(new Date(2026, 10, 9).getTime())
    expect(filterQuery({ q: 'words', session: 'a~b' }, now)).toBe('')
  })

  it('reads cost, computer, tool and tag filters and rejects invalid costs', () => {
    const search = readSearch({ cost: 0.1, host: 'desk', tool: 'Bash', tag: 'good' })
    expect(search).toEqual({ cost: 0.1, host: 'desk', tool: 'Bash', tag: 'good' })
    expect(Object.fromEntries(new URLSearchParams(filterQuery(search, 0)))).toEqual({
      host: 'desk',
      tool: 'Bash',
      tag: 'good',
      min_cost_micro_usd: '100000',
    })
    for (const cost of [0, -1, 'x', Number.NaN, 1e9, null]) expect(readSearch({ cost })).toEqual({})
  })

  it('is saved without the open session and restored unchanged', () => {
    const filter = { project: 'a', since: '7d', errors: true, cost: 5, q: 'words' } as const
    const saved = toSavedQuery({ ...filter, session: 'a~b', n: 3 })
    expect(saved).toEqual({
      project: 'a',
      since: '7d',
      errors: true,
      min_cost_micro_usd: 5_000_000,
      q: 'words',
    })
    expect(toSearch(saved)).toEqual(filter)
    const time = '2026-11-01T00:00:00.000Z'
    expect(toSearch({ since: Date.parse(time), until: Date.parse(time) })).toEqual({
      since: time,
      until: time,
    })
    expect(toSavedQuery({ since: time, until: time })).toEqual({
      since: Date.parse(time),
      until: Date.parse(time),
    })
    expect(filterQuery({ until: time }, 0)).toBe(`until=${encodeURIComponent(time)}`)
    expect(filterQuery({ since: time }, 0)).toBe(`since=${encodeURIComponent(time)}`)
  })

  it('counts only filters, not the search text, as narrowing', () => {
    expect(isNarrowed({ q: 'x', session: 'a~b' })).toBe(false)
    const text = 'x'
    const filters = ['source', 'project', 'host', 'model', 'tool', 'tag', 'since', 'until'] as const
    for (const name of filters) expect(isNarrowed({ [name]: text })).toBe(true)
    expect([isNarrowed({ errors: true }), isNarrowed({ cost: 1 })]).toEqual([true, true])
  })

  it('encodes any session id in a key', () => {
    const key = toSessionKey({ source: 'claude-code', session_id: 'a~b/c d' })
    expect(parseSessionKey(key)).toEqual({ source: 'claude-code', id: 'a~b/c d' })
    for (const text of ['', 'one', 'a~b~c', '%E0~x']) expect(parseSessionKey(text)).toBeNull()
  })
})
