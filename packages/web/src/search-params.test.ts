import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSearch as readEvents } from './events/search-params.ts'
import { readSearch as readLive } from './live/search-params.ts'
import { dropUnknownParams, parseMoment } from './search-params.ts'
import { filterQuery, readSearch as readSessions } from './sessions/search-params.ts'

const NAMES = ['at', 'since', 'until', 'n', 'event', 'cost', 'session', 'agent', 'view', 'q', '__proto__']
const hostile = fc.dictionary(
  fc.oneof(fc.constantFrom(...NAMES), fc.string()),
  fc.oneof(
    fc.anything(),
    fc.double(),
    fc.bigInt().map(String),
    fc.constantFrom('abc', '99999999999999999', 9e15, 253_402_300_800_000, '+275760-09-13', -1, true, [5]),
  ),
)

describe('addresses with arbitrary parameters', () => {
  it.each([
    ['Live', readLive],
    ['Sessions', readSessions],
    ['Events', readEvents],
  ] as const)(
    'reads only parameters that %s can show',
    (_name, read: (raw: Record<string, unknown>) => object) => {
      fc.assert(
        fc.property(hostile, (raw) => {
          const search = read(raw) as Readonly<Record<string, unknown>>
          for (const [name, value] of Object.entries(search)) {
            expect(['string', 'number', 'boolean'], name).toContain(typeof value)
            if (name === 'at') expect(new Date(Number(value)).toISOString()).toMatch(/^\d{4}-/)
            if (name === 'until') expect(String(value)).toMatch(/^\d{4}-/)
            if (name === 'n' || name === 'event') expect(Number.isSafeInteger(value)).toBe(true)
          }
          expect(read(search as Record<string, unknown>)).toEqual(search)
          expect(() => filterQuery(readSessions(raw), 0)).not.toThrow()
        }),
        { numRuns: 500 },
      )
    },
  )

  it('hides parameters that a page does not read from the router', () => {
    const raw = { at: 'abc', view: 'table', more: 1 }
    expect({ ...raw, ...dropUnknownParams(readLive)(raw) }).toEqual({ view: 'table' })
  })
})

it('accepts only moments that can be shown', () => {
  expect([12, '1790000000000'].map(parseMoment)).toEqual([12, 1_790_000_000_000])
  for (const none of ['abc', '', '1e3', '99999999999999999', 9e15, 0, -5, 1.5, true, [5], null, undefined])
    expect(parseMoment(none)).toBeUndefined()
})
