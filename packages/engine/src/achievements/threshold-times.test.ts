import { expect, it } from 'vitest'
import { ContributionScan } from './contribution.ts'
import { earlier } from './threshold-times.ts'

it('records when one session reached the threshold of each tier', () => {
  const scan = new ContributionScan()
  const calls = Array.from({ length: 150 }, () => 'terminal')
  for (let at = 1; at <= 8; at += 1) scan.message({ text: '', calls }, at * 1_000)
  const { tool_call_count, message_count } = scan.passed() ?? {}
  expect(tool_call_count).toMatchObject({ 200: 2_000, 500: 4_000, 1200: 8_000 })
  expect(message_count).toBeUndefined()
})

it('records nothing for a session below every threshold or without times', () => {
  const scan = new ContributionScan()
  scan.message({ text: 'hello', calls: ['terminal'] }, 5)
  expect(scan.passed()).toBeUndefined()
  for (let n = 0; n < 900; n += 1) scan.message({ text: '', calls: ['terminal'] })
  expect(scan.passed()).toBeUndefined()
})

it('keeps the earlier of two times', () => {
  expect(
    earlier({ web_calls: { 1: 5, 2: 9 } }, { web_calls: { 1: 7, 2: 6 }, terminal_calls: { 3: 1 } }),
  ).toEqual({
    web_calls: { 1: 5, 2: 6 },
    terminal_calls: { 3: 1 },
  })
})
