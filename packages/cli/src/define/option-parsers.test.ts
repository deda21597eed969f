import { describe, expect, it } from 'vitest'
import {
  parseDollars,
  parseLocalMoment,
  parseMoment,
  parsePort,
  parseRows,
  parseSpeed,
  parseWhole,
} from './option-parsers.ts'

describe('option values', () => {
  it('accept ports, counts and speeds', () => {
    expect([
      parsePort('0'),
      parsePort('65535'),
      parseWhole('100000'),
      parseSpeed('0.5'),
      parseSpeed('max'),
    ]).toEqual([0, 65_535, 100_000, 0.5, Number.POSITIVE_INFINITY])
  })

  it('convert dollars to whole micro-dollars', () => {
    expect(['0', '0.5', '$12.345678', '0.000001'].map(parseDollars)).toEqual([0, 500_000, 12_345_678, 1])
    for (const bad of ['', '-1', '.5', '1e3', '0.0000001', '1,5', 'much'])
      expect(() => parseDollars(bad)).toThrow(/dollars/)
  })

  it('reject invalid values', () => {
    for (const bad of ['', '-1', '1.5', '65536', '0x10', 'x']) expect(() => parsePort(bad)).toThrow(/must be/)
    expect([parseRows('1'), parseRows('1000')]).toEqual([1, 1000])
    for (const bad of ['0', '1001', '-1', '1.5', '1e2', ''])
      expect(() => parseRows(bad)).toThrow(/from 1 to 1000/)
    for (const bad of ['0', '-3', 'fast', 'Infinity', 'NaN']) expect(() => parseSpeed(bad)).toThrow(/must be/)
  })

  it('read a date as local midnight if days follow the local clock, and count days back', () => {
    expect(parseLocalMoment('2026-09-15')).toBe(new Date(2026, 8, 15).getTime())
    expect(parseLocalMoment('2026-09-15T08:30:00Z')).toBe(Date.UTC(2026, 8, 15, 8, 30))
    expect(Date.now() - parseLocalMoment('7d')).toBeCloseTo(7 * 86_400_000, -4)
    for (const bad of ['2026-02-30', '7 days', 'd', '-1d', 'soon'])
      expect(() => parseLocalMoment(bad)).toThrow(/date/)
  })

  it('read a time without a zone as UTC', () => {
    const day = Date.UTC(2026, 8, 15)
    expect(parseMoment('2026-09-15')).toBe(day)
    expect(parseMoment('2026-09-15T00:00:00')).toBe(day)
    expect(parseMoment('2026-09-15T02:00:00+02:00')).toBe(day)
    expect(parseMoment(String(day))).toBe(day)
    for (const bad of ['yesterday', '15.9.2026', '2026-99-99', '2026-02-30', '12'])
      expect(() => parseMoment(bad)).toThrow(/date/)
  })
})
