import { expect, it } from 'vitest'
import type { RunNode } from '../state/run-view.ts'
import { aboutOf, detailText } from './node-about.ts'

const about = (detail: unknown, label = 'Bash') => aboutOf({ detail, label } as RunNode)

it('says of a call the one thing that says most of it', () => {
  expect(about('git status')).toBe('git status')
  expect(about({ input: { description: 'Look', file_path: 'a.ts', command: 'ls\n -l' } })).toBe('ls -l')
  expect(about({ input: { description: 'Look', path: '', file_path: 'a.ts' } })).toBe('a.ts')
  expect(about({ arguments: '{"a":1}' })).toBe('{"a":1}')
  expect(about({ query: 'needle' })).toBe('needle')
  expect(about({ files: [7, 'b.ts', 'c.ts'] })).toBe('b.ts')
  expect(about({ input: 'x'.repeat(500) })).toHaveLength(160)
})

it('says nothing of a call where nothing is known, or where its label says it already', () => {
  expect([about(null), about(7), about({}), about({ input: { count: 3 } })]).toEqual(['', '', '', ''])
  expect(about({ input: { command: 'npm  test' } }, 'npm test')).toBe('')
})

it('shows all that is known of a call, and nothing for fields without a value', () => {
  expect(detailText({ command: 'ls', note: '', code: null, exit: 0, output: 'a\nb' })).toBe(
    'command: ls\nexit: 0\noutput: \na\nb',
  )
  expect(detailText([1])).toBe('[\n  1\n]')
  expect([null, undefined, '', {}, { a: null }].map(detailText)).toEqual([null, null, null, null, null])
})
