import { describe, expect, it } from 'vitest'
import { unwrap } from './achievements.test-kit.ts'
import { createCalendar, zoneName } from './calendar.ts'

const told = (zone: string, iso: string) => {
  const calendar = unwrap(createCalendar(zone))
  const ms = Date.parse(iso)
  return [calendar.isWeekend(ms) ? 'weekend' : 'week', calendar.isNight(ms) ? 'night' : 'day']
}

describe('nights and weekends', () => {
  it('depend on the given time zone', () => {
    expect(told('UTC', '2026-06-05T22:59:59Z')).toEqual(['week', 'day'])
    expect(told('UTC', '2026-06-05T23:00:00Z')).toEqual(['week', 'night'])
    expect(told('UTC', '2026-06-06T05:59:59Z')).toEqual(['weekend', 'night'])
    expect(told('UTC', '2026-06-06T06:00:00Z')).toEqual(['weekend', 'day'])
    expect(told('Asia/Kolkata', '2026-06-05T18:29:00Z')).toEqual(['week', 'night'])
    expect(told('Asia/Kolkata', '2026-06-05T18:31:00Z')).toEqual(['weekend', 'night'])
    expect(told('Asia/Kolkata', '2026-06-05T17:29:00Z')).toEqual(['week', 'day'])
    expect(told('Asia/Kolkata', '2026-06-07T00:29:00Z')).toEqual(['weekend', 'night'])
    expect(told('Asia/Kolkata', '2026-06-07T00:31:00Z')).toEqual(['weekend', 'day'])
  })

  it('follow daylight saving time', () => {
    // Until 07:00 UTC on 8 March New York is five hours behind, then four.
    expect(told('America/New_York', '2026-03-07T10:59:00Z')).toEqual(['weekend', 'night'])
    expect(told('America/New_York', '2026-03-07T11:01:00Z')).toEqual(['weekend', 'day'])
    expect(told('America/New_York', '2026-03-08T09:59:00Z')).toEqual(['weekend', 'night'])
    expect(told('America/New_York', '2026-03-08T10:01:00Z')).toEqual(['weekend', 'day'])
    expect(told('America/New_York', '2026-03-09T03:59:00Z')).toEqual(['weekend', 'night'])
    expect(told('America/New_York', '2026-03-09T04:01:00Z')).toEqual(['week', 'night'])
  })

  it('are exact to the minute for unusual offsets', () => {
    expect(told('+05:37', '2026-06-04T17:22:00Z')).toEqual(['week', 'day'])
    expect(told('+05:37', '2026-06-04T17:23:00Z')).toEqual(['week', 'night'])
    expect(told('+05:37', '2026-06-05T18:22:00Z')).toEqual(['week', 'night'])
    expect(told('+05:37', '2026-06-05T18:23:00Z')).toEqual(['weekend', 'night'])
    // Until 1972 the clocks of Monrovia were 44 minutes and 30 seconds behind.
    expect(told('Africa/Monrovia', '1971-06-02T23:44:00Z')).toEqual(['week', 'day'])
    expect(told('Africa/Monrovia', '1971-06-02T23:45:00Z')).toEqual(['week', 'night'])
  })

  it('are the same under all names of a zone', () => {
    expect(['utc', 'UTC', 'Etc/UTC'].map(zoneName)).toEqual(['UTC', 'UTC', 'UTC'])
    expect(zoneName('asia/tokyo')).toBe('Asia/Tokyo')
  })

  it('reject a zone that does not exist', () => {
    expect(createCalendar('Atlantis')).toMatchObject({ ok: false, code: 'invalid' })
  })
})
