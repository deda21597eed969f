import { expect, it } from 'vitest'
import type { RunNode } from '../state/run-view.ts'
import { detailText, nodeSummary } from './summaries.ts'

const about = (detail: unknown, label = 'Bash') => nodeSummary({ detail, label } as RunNode)

it('picks the most telling argument of a tool call', () => {
  expect(about('git status')).toBe('git status')
  expect(about({ input: { description: 'Look', file_path: 'a.ts', command: 'ls\n -l' } })).toBe('ls -l')
  expect(about({ input: { description: 'Look', path: '', file_path: 'a.ts' } })).toBe('a.ts')
  expect(about({ arguments: '{"a":1}' })).toBe('{"a":1}')
  expect(about({ query: 'needle' })).toBe('needle')
  expect(about({ files: [7, 'b.ts', 'c.ts'] })).toBe('b.ts')
  expect(about({ input: 'x'.repeat(500) })).toHaveLength(160)
})

it('is empty without a known argument or when the label repeats it', () => {
  expect([about(null), about(7), about({}), about({ input: { count: 3 } })]).toEqual(['', '', '', ''])
  expect(about({ input: { command: 'npm  test' } }, 'npm test')).toBe('')
})

it('lists all details of a call and skips fields without a value', () => {
  expect(detailText({ command: 'ls', note: '', code: null, exit: 0, output: 'a\nb' })).toBe(
    'command: ls\nexit: 0\noutput: \na\nb',
  )
  expect(detailText([1])).toBe('[\n  1\n]')
  expect([null, undefined, '', {}, { a: null }].map(detailText)).toEqual([null, null, null, null, null])
})
