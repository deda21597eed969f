import { expect, it } from 'vitest'
import { spanText, whereOf } from './span-text.ts'

const NOW = new Date(2026, 10, 16, 14, 30).getTime()

it('names the span, or the days that were chosen instead', () => {
  expect(spanText({}, NOW)).toBe('30 days')
  expect(spanText({ days: 'all' }, NOW)).toBe('All time')
  const day = spanText({ days: '7', from: '2026-11-15' }, NOW)
  expect(day).toMatch(/15/)
  expect(spanText({ from: '2026-11-14', to: '2026-11-15' }, NOW)).toMatch(/14.* – .*15/)
})

it('says that there is nothing yet only where all there ever was is asked for', () => {
  expect(whereOf({ days: 'all' })).toEqual({ text: 'yet', chosen: false })
  expect(whereOf({})).toEqual({ text: 'in this span', chosen: false })
  expect(whereOf({ from: '2026-11-15', days: 'all' }).text).toBe('in this span')
  expect(whereOf({ days: 'all', project: 'atlas' })).toEqual({ text: 'in this project', chosen: true })
  expect(whereOf({ session: 's', project: 'atlas', source: 'codex' }).text).toBe(
    'in this session, project, source and span',
  )
})
