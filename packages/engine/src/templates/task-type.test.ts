import type { TaskType } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { detectTaskType, kindCounts } from './task-type.ts'
import { toolKind } from './tool-kinds.ts'

/** The rule as Hermes states it, for its own names. */
const SETS: readonly (readonly [TaskType, readonly string[]])[] = [
  ['code', ['execute_code', 'code_execution']],
  ['file', ['read_file', 'write_file', 'patch', 'search_files']],
  ['research', ['web_search', 'web_fetch', 'browser_navigate']],
  ['terminal', ['terminal', 'execute_terminal']],
]
function seedType(names: readonly string[]): TaskType {
  for (const [type, set] of SETS) {
    if (names.length > 0 && names.filter((name) => set.includes(name)).length / names.length > 0.6)
      return type
  }
  return 'mixed'
}

const NAMES = SETS.flatMap(([, names]) => names)
const UNKNOWN = ['web_extract', 'todo', 'memory', 'skill_view', 'Terminal_', '', 'process', 'delegate_task']
const once = (names: readonly string[]) => names.map((tool) => ({ tool, calls: 1 }))

describe('kind of work', () => {
  it('matches Hermes for any calls of its tools and of others', () => {
    const mostlyOne = fc
      .tuple(
        fc.constantFrom(...NAMES),
        fc.nat(12),
        fc.array(fc.constantFrom(...NAMES, ...UNKNOWN), { maxLength: 12 }),
      )
      .map(([name, count, others]) => [...Array.from({ length: count }, () => name), ...others])
    fc.assert(
      fc.property(mostlyOne, (names) => {
        expect(detectTaskType(once(names))).toBe(seedType(names))
      }),
      { numRuns: 2_000 },
    )
  })

  it.each(SETS)('%s needs more than 60 in 100 calls, not exactly 60', (type, [name = '']) => {
    for (let part = 1; part <= 40; part++) {
      const [exact, total] = [3 * part, 5 * part]
      const calls = (count: number) => [
        { tool: name, calls: count },
        { tool: 'todo', calls: total - count },
      ]
      expect(detectTaskType(calls(exact))).toBe('mixed')
      expect(detectTaskType(calls(exact + 1))).toBe(type)
    }
  })

  it('is the same for calls listed or counted, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...NAMES, ...UNKNOWN), { maxLength: 30 }), (names) => {
        const counted = [...new Set(names)].map((tool) => ({
          tool,
          calls: names.filter((name) => name === tool).length,
        }))
        expect(detectTaskType(counted)).toBe(detectTaskType(once(names)))
        expect(detectTaskType(once(names.toReversed()))).toBe(detectTaskType(once(names)))
      }),
    )
  })

  it('is mixed without calls and for unknown tools', () => {
    expect(detectTaskType([])).toBe('mixed')
    expect(detectTaskType([{ tool: 'todo', calls: 9 }])).toBe('mixed')
    expect(detectTaskType([{ tool: 'terminal', calls: 0 }])).toBe('mixed')
  })
})

describe('kind of a tool', () => {
  it.each([
    ['Bash', 'terminal'],
    ['local_shell', 'terminal'],
    ['exec_command', 'terminal'],
    ['Read', 'file'],
    ['NotebookEdit', 'file'],
    ['Grep', 'file'],
    ['apply_patch', 'file'],
    ['WebFetch', 'research'],
    ['mcp__files__read_file', 'file'],
    ['mcp__web__WebSearch', 'research'],
    ['web_extract', undefined],
    ['Agent', undefined],
    ['constructor', undefined],
    ['__proto__', undefined],
  ])('of %s is %s', (tool, kind) => {
    expect(toolKind(tool)).toBe(kind)
  })

  it('is taken from the config first', () => {
    const own = { Bash: 'code', mcp__lab__run: 'code' } as const
    expect(toolKind('Bash', own)).toBe('code')
    expect(toolKind('mcp__lab__run', own)).toBe('code')
    expect(detectTaskType([{ tool: 'Bash', calls: 3 }], own)).toBe('code')
    expect(kindCounts([{ tool: 'Bash', calls: 3 }], own)).toEqual({
      code: 3,
      file: 0,
      research: 0,
      terminal: 0,
    })
  })
})
