import { describe, expect, it } from 'vitest'
import { sessionKeyOf } from '../live/data/key.ts'
import { filterQuery, isNarrowed, readSearch, savedOf, searchOf, sessionOf } from './search.ts'

describe('the address of the Sessions page', () => {
  it('is read as far as it can be trusted', () => {
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

  it('asks the server for what is filtered, from midnight on', () => {
    const now = new Date(2026, 10, 15, 13, 30).getTime()
    const query = new URLSearchParams(filterQuery({ project: 'a b', since: '7d', errors: true }, now))
    expect(query.get('project')).toBe('a b')
    expect(query.get('errors')).toBe('true')
    expect(new Date(query.get('since') ?? '').getTime()).toBe(new Date(2026, 10, 9).getTime())
    expect(filterQuery({ q: 'words', session: 'a~b' }, now)).toBe('')
  })

  it('knows costs, computers, tools and tags, and refuses what is none', () => {
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

  it('is kept under a name, without the session that is open, and comes back the same', () => {
    const filter = { project: 'a', since: '7d', errors: true, cost: 5, q: 'words' } as const
    const saved = savedOf({ ...filter, session: 'a~b', n: 3 })
    expect(saved).toEqual({
      project: 'a',
      since: '7d',
      errors: true,
      min_cost_micro_usd: 5_000_000,
      q: 'words',
    })
    expect(searchOf(saved)).toEqual(filter)
    const time = '2026-11-01T00:00:00.000Z'
    expect(searchOf({ since: Date.parse(time), until: Date.parse(time) })).toEqual({
      since: time,
      until: time,
    })
    expect(savedOf({ since: time, until: time })).toEqual({
      since: Date.parse(time),
      until: Date.parse(time),
    })
    expect(filterQuery({ until: time }, 0)).toBe(`until=${encodeURIComponent(time)}`)
    expect(filterQuery({ since: time }, 0)).toBe(`since=${encodeURIComponent(time)}`)
  })

  it('is narrowed by filters alone', () => {
    expect(isNarrowed({ q: 'x', session: 'a~b' })).toBe(false)
    const text = 'x'
    const filters = ['source', 'project', 'host', 'model', 'tool', 'tag', 'since', 'until'] as const
    for (const name of filters) expect(isNarrowed({ [name]: text })).toBe(true)
    expect([isNarrowed({ errors: true }), isNarrowed({ cost: 1 })]).toEqual([true, true])
  })

  it('names a session whatever is in its id', () => {
    const key = sessionKeyOf({ source: 'claude-code', session_id: 'a~b/c d' })
    expect(sessionOf(key)).toEqual({ source: 'claude-code', id: 'a~b/c d' })
    for (const text of ['', 'one', 'a~b~c', '%E0~x']) expect(sessionOf(text)).toBeNull()
  })
})
