import { describe, expect, it } from 'vitest'
import { dollars, localMoment, moment, port, rows, speed, whole } from './option-parsers.ts'

describe('option values', () => {
  it('accept ports, counts and speeds', () => {
    expect([port('0'), port('65535'), whole('100000'), speed('0.5'), speed('max')]).toEqual([
      0,
      65_535,
      100_000,
      0.5,
      Number.POSITIVE_INFINITY,
    ])
  })

  it('convert dollars to whole micro-dollars', () => {
    expect(['0', '0.5', '$12.345678', '0.000001'].map(dollars)).toEqual([0, 500_000, 12_345_678, 1])
    for (const bad of ['', '-1', '.5', '1e3', '0.0000001', '1,5', 'much'])
      expect(() => dollars(bad)).toThrow(/dollars/)
  })

  it('reject invalid values', () => {
    for (const bad of ['', '-1', '1.5', '65536', '0x10', 'x']) expect(() => port(bad)).toThrow(/must be/)
    expect([rows('1'), rows('1000')]).toEqual([1, 1000])
    for (const bad of ['0', '1001', '-1', '1.5', '1e2', '']) expect(() => rows(bad)).toThrow(/from 1 to 1000/)
    for (const bad of ['0', '-3', 'fast', 'Infinity', 'NaN']) expect(() => speed(bad)).toThrow(/must be/)
  })

  it('read a date as local midnight if days follow the local clock, and count days back', () => {
    expect(localMoment('2026-09-15')).toBe(new Date(2026, 8, 15).getTime())
    expect(localMoment('2026-09-15T08:30:00Z')).toBe(Date.UTC(2026, 8, 15, 8, 30))
    expect(Date.now() - localMoment('7d')).toBeCloseTo(7 * 86_400_000, -4)
    for (const bad of ['2026-02-30', '7 days', 'd', '-1d', 'soon'])
      expect(() => localMoment(bad)).toThrow(/date/)
  })

  it('read a time without a zone as UTC', () => {
    const day = Date.UTC(2026, 8, 15)
    expect(moment('2026-09-15')).toBe(day)
    expect(moment('2026-09-15T00:00:00')).toBe(day)
    expect(moment('2026-09-15T02:00:00+02:00')).toBe(day)
    expect(moment(String(day))).toBe(day)
    for (const bad of ['yesterday', '15.9.2026', '2026-99-99', '2026-02-30', '12'])
      expect(() => moment(bad)).toThrow(/date/)
  })
})
