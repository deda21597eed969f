import { expect, it } from 'vitest'
import {
  allCallsText,
  callsText,
  costText,
  errorGlyph,
  letterOf,
  modelIn,
  shortTokens,
  statusGlyph,
  statusText,
  sumText,
  timeText,
  tokensText,
} from './figures.ts'
import { turn, usage } from './moa.test-kit.ts'

it('never shows what is unknown as nothing', () => {
  expect([costText(null), sumText(0, 2), timeText(null), tokensText(null)]).toEqual(['–', '–', '–', '–'])
  expect([costText(0), sumText(0, 0), sumText(81_000, 1)]).toEqual(['$0.00', '$0.00', '$0.081'])
})

it('counts what came from the cache as what went in', () => {
  expect(tokensText(usage(100, 412, 6_000))).toBe('6.1k / 412')
  expect(tokensText({ ...usage(100, 412), cache_write_tokens: 2_000 })).toBe('2.1k / 412')
  expect([999, 1_000, 9_949, 9_950, 41_200].map(shortTokens)).toEqual(['999', '1k', '9.9k', '9,950', '41k'])
})

it('tells the first call from those that went on', () => {
  expect([0, 1, 2, 20].map(callsText)).toEqual(['0', '1', '1 + 1', '1 + 19'])
})

it('knows the model that a label names', () => {
  expect(['claude:opus', 'ollama:qwen3:30b', 'x:y[reasoning=low]', 'bare', 'x:'].map(modelIn)).toEqual([
    'opus',
    'qwen3:30b',
    'y',
    'bare',
    'x:',
  ])
})

it('names references by letters, however many there are', () => {
  expect([0, 3, 25, 26].map(letterOf)).toEqual(['A', 'D', 'Z', '27'])
})

it('does not call failed what was not asked or was stopped', () => {
  const errors = [null, ...(['timeout', 'skipped', 'aborted'] as const).map((name) => ({ class: name }))]
  expect(errors.map(errorGlyph)).toEqual(['done', 'failed', 'unknown', 'unknown'])
})

it('does not call a turn done without a word where no reference gave advice', () => {
  const whole = turn()
  const error = { class: 'timeout', message: '', retryable: true } as const
  const slots = whole.slots.map((slot) => (slot.role === 'reference' ? { ...slot, error } : slot))
  expect([statusGlyph(whole), statusText(whole)]).toEqual(['done', 'Done'])
  expect([statusGlyph({ ...whole, slots }), statusText({ ...whole, slots })]).toEqual([
    'stuck',
    'Done, without advice',
  ])
  const alone = { ...whole, slots: slots.filter(({ role }) => role === 'aggregator') }
  expect([statusGlyph(alone), allCallsText(alone)]).toEqual(['done', '0 + 1'])
})
