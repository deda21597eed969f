import { expect, it } from 'vitest'
import { byOf, endedOf, whenOf } from './row-words.ts'

it('says when in the fewest words, which stay while one looks', () => {
  const now = new Date(2026, 10, 12, 14, 0, 0).getTime()
  const ago = (days: number, hours = 0) => whenOf(now - (days * 24 + hours) * 3_600_000, now)
  expect([whenOf(now - 59_000, now), whenOf(now + 5_000, now)]).toEqual(['now', 'now'])
  expect([ago(6), ago(7)]).toEqual(['Fri', '5 Nov'])
  expect([ago(0, 2), ago(1), ago(3), ago(10)]).toEqual(['12:00', 'Yesterday', 'Mon', '2 Nov'])
})

it('names whoever answered first beside whoever answers now', () => {
  expect(byOf({ runtime: 'hermes', first_runtime: 'jarvis' }, [])).toBe('Jarvis → Hermes')
  expect(byOf({ runtime: 'acp:codex', first_runtime: 'acp:codex' }, [])).toBe('codex')
  expect(byOf({ runtime: 'jarvis' }, [])).toBe('Jarvis')
})

it('says of a last answer that is not whole how it ended', () => {
  const words = (['complete', 'failed', 'partial', 'cancelled'] as const).map(
    (last_status) => endedOf({ run_id: null, last_status })?.word ?? null,
  )
  expect(words).toEqual([null, 'failed', 'not whole', 'stopped'])
  expect(endedOf({ run_id: 'run-1', last_status: 'failed' })).toBe(null)
  expect(endedOf({ run_id: null })).toBe(null)
})
