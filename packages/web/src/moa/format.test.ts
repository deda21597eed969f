import { expect, it } from 'vitest'
import { timeText } from '../ledger/format.ts'
import {
  allCallsText,
  callsText,
  costText,
  errorGlyph,
  modelIn,
  referenceLetter,
  shortTokens,
  statusGlyph,
  statusText,
  sumInUsd,
  sumText,
  tokensText,
} from './format.ts'
import { turn, usage } from './moa.test-kit.ts'

it('shows unknown values as a dash and never as zero', () => {
  expect([costText(null), sumText(0, 2), timeText(null), tokensText(null)]).toEqual(['–', '–', '–', '–'])
  expect([costText(0), sumText(0, 0), sumText(81_000, 1)]).toEqual(['$0.00', '$0.00', '$0.081'])
  expect([sumInUsd(0, 2), sumInUsd(0, 0), sumInUsd(81_000, 1)]).toEqual([null, 0, 0.081])
})

it('counts cached tokens as input', () => {
  expect(tokensText(usage(100, 412, 6_000))).toBe('6.1k / 412')
  expect(tokensText({ ...usage(100, 412), cache_write_tokens: 2_000 })).toBe('2.1k / 412')
  expect([999, 1_000, 9_949, 9_950, 41_200].map(shortTokens)).toEqual(['999', '1k', '9.9k', '9,950', '41k'])
})

it('separates the first aggregator call from later ones', () => {
  expect([0, 1, 2, 20].map(callsText)).toEqual(['0', '1', '1 + 1', '1 + 19'])
})

it('reads the model from a label', () => {
  expect(['claude:opus', 'ollama:qwen3:30b', 'x:y[reasoning=low]', 'bare', 'x:'].map(modelIn)).toEqual([
    'opus',
    'qwen3:30b',
    'y',
    'bare',
    'x:',
  ])
})

it('names references by letters and, beyond Z, by numbers', () => {
  expect([0, 3, 25, 26].map(referenceLetter)).toEqual(['A', 'D', 'Z', '27'])
})

it('shows skipped and stopped references as unknown instead of failed', () => {
  const errors = [null, ...(['timeout', 'skipped', 'aborted'] as const).map((name) => ({ class: name }))]
  expect(errors.map(errorGlyph)).toEqual(['done', 'failed', 'unknown', 'unknown'])
})

it('says that a finished turn had no advice when every reference failed', () => {
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
