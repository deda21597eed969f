import { expect, it } from 'vitest'
import { chunk, failed, message, metadata, progress } from '../chat.test-kit.ts'
import { addEvents } from '../state/run-view.ts'
import { answerDuration, endText, sourcesText } from './summaries.ts'

const broken = (code: string) =>
  message('a1', 'assistant', {
    ...{ status: 'partial', ts: 1_000, ended_at: 25_000, error: { code, message: 'It broke off.' } },
  })

it('calls an answer stopped only if a person stopped it', () => {
  expect(endText(message('a1', 'assistant', { status: 'cancelled' }), null)).toBe('stopped')
  expect(endText(broken('interrupted'), null)).toBe('cut off')
})

it('leaves the duration unknown when Panoptes was interrupted', () => {
  expect(answerDuration(broken('interrupted'), addEvents(null, [metadata(1), failed(2)]))).toBe(null)
  expect(answerDuration(broken('died'), null)).toBe(24_000)
})

it('counts context sections other than the conversation as sources, unless the answer is empty', () => {
  const section = (key: string, tokens: number) => ({
    ...{ key, title: key, status: 'ok', chars: tokens, tokens, items: 1, left_out: 0, truncated: false },
  })
  const detail = {
    ...{
      sections: [section('messages', 9), section('user', 4), section('plan', 0)],
      skills: [],
      left_out: 0,
    },
  }
  const run = addEvents(null, [
    metadata(1),
    progress(2, 'context', { kind: 'context', status: 'completed', detail }),
    chunk(3, 'Yes.'),
  ])
  expect(sourcesText(message('a1', 'assistant', { content: 'Yes.' }), run)).toBe('1 source used')
  expect(sourcesText(message('a1', 'assistant', { content: '' }), run)).toBe('Context sent')
})
