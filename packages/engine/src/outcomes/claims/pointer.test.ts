import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTargets } from './pointer.ts'

const TOOLS = new Set(['bash', 'grep', 'read', 'execcommand'])
const targets = (pointer: string) => parseTargets(pointer, TOOLS)

describe('claim pointer', () => {
  it.each([
    ['bash:toolu_x', { kind: 'call', id: 'toolu_x', isCut: false }],
    ['toolu_01AbC', { kind: 'call', id: 'toolu_01AbC', isCut: false }],
    ['toolu_01AbCdE…', { kind: 'call', id: 'toolu_01AbCdE', isCut: true }],
    ['output of call_9f2', { kind: 'call', id: 'call_9f2', isCut: false }],
    ['Bash, step 88', { kind: 'step', n: 88, tool: 'bash' }],
    ['step 88', { kind: 'step', n: 88, tool: undefined }],
    ['Bash:88', { kind: 'step', n: 88, tool: 'bash' }],
    ['time-metrics#42', { kind: 'row', journal: 'time-metrics', row: 42 }],
    ['numeric-claims.jsonl:12', { kind: 'row', journal: 'numeric-claims', row: 12 }],
    ['agent-toolstats#a1b2', { kind: 'row', journal: 'agent-toolstats', row: 'a1b2' }],
    ['bench row 19', { kind: 'row', journal: 'bench', row: 19 }],
    ['~/.claude/memory/time-metrics/tasks.jsonl:3', { kind: 'row', journal: 'tasks', row: 3 }],
    ['src/x.ts:42', { kind: 'file', path: 'src/x.ts', line: 42 }],
    ['src/x.ts:42:7', { kind: 'file', path: 'src/x.ts', line: 42 }],
    ['src/x.ts#L42', { kind: 'file', path: 'src/x.ts', line: 42 }],
    ['README.md', { kind: 'file', path: 'README.md', line: undefined }],
    ['`profile.json:19`', { kind: 'file', path: 'profile.json', line: 19 }],
    ['Bash', { kind: 'tool', tool: 'bash' }],
    ['last Bash call', { kind: 'tool', tool: 'bash' }],
    ['exec_command', { kind: 'tool', tool: 'execcommand' }],
    ['cargo bench run 2', { kind: 'command', phrase: 'cargo bench', run: 2 }],
    ['npm test', { kind: 'command', phrase: 'npm test', run: undefined }],
    ['https://example.org/a:12', { kind: 'url' }],
  ])('%s names its target', (pointer, target) => {
    expect(targets(pointer)).toContainEqual(target)
  })

  it.each(['PR:12', 'similar-project', 'plan, item 4', 'a guess'])('%s is not a file', (pointer) => {
    expect(targets(pointer).filter(({ kind }) => kind === 'file')).toEqual([])
  })

  it('that begins as a URL is nothing else', () => {
    expect(targets('https://example.org/src/x.ts:42')).toEqual([{ kind: 'url' }])
  })

  it('may be any text', () => {
    fc.assert(fc.property(fc.string(), (pointer) => targets(pointer).length >= 0))
    expect(targets('')).toEqual([])
    expect(targets('a/'.repeat(10_000))).toEqual([])
  })
})
