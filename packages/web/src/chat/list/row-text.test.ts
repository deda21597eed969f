import { expect, it } from 'vitest'
import { endStatus, formatWhen, runtimeText } from './row-text.ts'

it('formats the time of a conversation as now, clock, weekday or date', () => {
  const now = new Date(2026, 10, 12, 14, 0, 0).getTime()
  const ago = (days: number, hours = 0) => formatWhen(now - (days * 24 + hours) * 3_600_000, now)
  expect([formatWhen(now - 59_000, now), formatWhen(now + 5_000, now)]).toEqual(['now', 'now'])
  expect([ago(6), ago(7)]).toEqual(['Fri', '5 Nov'])
  expect([ago(0, 2), ago(1), ago(3), ago(10)]).toEqual(['12:00', 'Yesterday', 'Mon', '2 Nov'])
})

it('names the first runtime when another one answers now', () => {
  expect(runtimeText({ runtime: 'hermes', first_runtime: 'jarvis' }, [])).toBe('Jarvis → Hermes')
  expect(runtimeText({ runtime: 'acp:codex', first_runtime: 'acp:codex' }, [])).toBe('codex')
  expect(runtimeText({ runtime: 'jarvis' }, [])).toBe('Jarvis')
})

it('says how an incomplete last answer ended', () => {
  const words = (['complete', 'failed', 'partial', 'cancelled'] as const).map(
    (last_status) => endStatus({ run_id: null, last_status })?.word ?? null,
  )
  expect(words).toEqual([null, 'failed', 'incomplete', 'stopped'])
  expect(endStatus({ run_id: 'run-1', last_status: 'failed' })).toBe(null)
  expect(endStatus({ run_id: null })).toBe(null)
})
