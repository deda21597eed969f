import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { check, timestamp, timestampInput } from './index.ts'
import { timestampQuery } from './time.ts'

const LAST_FOUR_DIGIT_YEAR = Date.UTC(9999, 11, 31)
const moment = fc.integer({ min: 0, max: LAST_FOUR_DIGIT_YEAR })

const read = (input: unknown): unknown => {
  const checked = check(timestampInput, input)
  return checked.ok ? checked.value : checked.problems
}

describe('time in input', () => {
  it('means the same in milliseconds and in ISO 8601', () => {
    fc.assert(
      fc.property(moment, (ms) => {
        expect(read(new Date(ms).toISOString())).toBe(ms)
        expect(read(ms)).toBe(ms)
      }),
    )
  })

  it('means the same in every zone', () => {
    const day = 86_400_000
    const later = fc.integer({ min: day, max: LAST_FOUR_DIGIT_YEAR - day })
    fc.assert(
      fc.property(later, fc.integer({ min: -14 * 60, max: 14 * 60 }), (ms, minutes) => {
        const local = new Date(ms + minutes * 60_000).toISOString().slice(0, -1)
        const size = Math.abs(minutes)
        const zone = `${Math.floor(size / 60)}`.padStart(2, '0').concat(':', `${size % 60}`.padStart(2, '0'))
        expect(read(`${local}${minutes < 0 ? '-' : '+'}${zone}`)).toBe(ms)
      }),
    )
  })

  it("is UTC without a zone, whatever the computer's zone is", () => {
    fc.assert(
      fc.property(moment, (ms) => {
        expect(read(new Date(ms).toISOString().slice(0, -1))).toBe(ms)
      }),
    )
  })

  it.each([
    ['2026-09-15', '2026-09-15T00:00:00Z'],
    ['2026-09-15T08:30', '2026-09-15T08:30:00Z'],
    ['2026-09-15T08:30Z', '2026-09-15T08:30:00Z'],
    ['2026-09-15T08:30:00+0530', '2026-09-15T03:00:00Z'],
    ['2026-09-15T08:30+05', '2026-09-15T03:30:00Z'],
    ['2026-09-15 08:30:00-01:15', '2026-09-15T09:45:00Z'],
    ['2026-09-15T08:30:00.123456789Z', '2026-09-15T08:30:00.123Z'],
    ['2026-09-15T08:30:00.5Z', '2026-09-15T08:30:00.500Z'],
    ['2026-09-15T08:30:00,25Z', '2026-09-15T08:30:00.250Z'],
    ['2026-09-15T08:30:00.007Z', '2026-09-15T08:30:00.007Z'],
    ['2026-09-15t08:30:00z', '2026-09-15T08:30:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
  ])('accepts %s', (text, same) => {
    expect(read(text)).toBe(Date.parse(same))
  })

  it('is rejected before 1970', () => {
    expect(read('1969-12-31T23:59:59Z')).toEqual([{ path: '', reason: 'must not be before 1970' }])
  })

  it('is rejected with a reason if it is not a time', () => {
    for (const wrong of [
      '',
      'now',
      '2026-13-01T00:00:00Z',
      '2026-02-30T00:00:00Z',
      '2026-02-30',
      '2026-00-10',
      '2026-01-01T24:00',
      '2026-01-01T10:60',
      '2026-01-01T10:00:61Z',
      '2026-01-01T10:00+24:00',
      '2026-01-01T10',
      '2026-1-1',
      {},
      true,
    ]) {
      expect(read(wrong), String(wrong)).toMatchObject([
        { path: '', reason: expect.stringContaining('ISO 8601') },
      ])
    }
  })
})

describe('time in a query', () => {
  it('is digits of milliseconds or ISO 8601 text', () => {
    expect(check(timestampQuery, '1789459200000')).toEqual({ ok: true, value: 1_789_459_200_000 })
    expect(check(timestampQuery, '2026-09-15T08:00:00.5Z')).toEqual({ ok: true, value: 1_789_459_200_500 })
    expect(check(timestampQuery, 'yesterday')).toMatchObject({
      ok: false,
      problems: [{ reason: expect.stringContaining('ISO 8601') }],
    })
  })
})

describe('stored time', () => {
  it('is whole milliseconds from 1970 to the last possible date', () => {
    expect(check(timestamp, 0).ok).toBe(true)
    expect(check(timestamp, 8_640_000_000_000_000).ok).toBe(true)
    for (const wrong of [-1, 0.5, 8_640_000_000_000_001, Number.NaN, '0']) {
      expect(check(timestamp, wrong)).toMatchObject({ ok: false, problems: [{ path: '' }] })
    }
  })
})
