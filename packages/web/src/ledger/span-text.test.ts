import { expect, it } from 'vitest'
import { describeScope, spanText } from './span-text.ts'

const NOW = new Date(2026, 10, 16, 14, 30).getTime()

it('names the time range or the chosen days', () => {
  expect(spanText({}, NOW)).toBe('30 days')
  expect(spanText({ days: 'all' }, NOW)).toBe('All time')
  const day = spanText({ days: '7', from: '2026-11-15' }, NOW)
  expect(day).toMatch(/15/)
  expect(spanText({ from: '2026-11-14', to: '2026-11-15' }, NOW)).toMatch(/14.* – .*15/)
})

it('says that nothing exists yet only for all time without filters', () => {
  expect(describeScope({ days: 'all' })).toEqual({ text: 'yet', chosen: false })
  expect(describeScope({})).toEqual({ text: 'in this time range', chosen: false })
  expect(describeScope({ from: '2026-11-15', days: 'all' }).text).toBe('in this time range')
  expect(describeScope({ days: 'all', project: 'atlas' })).toEqual({ text: 'in this project', chosen: true })
  expect(describeScope({ session: 's', project: 'atlas', source: 'codex' }).text).toBe(
    'in this session, project, source and time range',
  )
})
