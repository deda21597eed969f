import type { TaskType } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kindCounts, taskTypeOf } from './task-type.ts'
import { kindOf } from './tool-kinds.ts'

/** The rule as the seed states it, on its own names. */
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

describe('the kind of work', () => {
  it('is what the seed says for any calls of its tools and of others', () => {
    const mostlyOne = fc
      .tuple(
        fc.constantFrom(...NAMES),
        fc.nat(12),
        fc.array(fc.constantFrom(...NAMES, ...UNKNOWN), { maxLength: 12 }),
      )
      .map(([name, count, others]) => [...Array.from({ length: count }, () => name), ...others])
    fc.assert(
      fc.property(mostlyOne, (names) => {
        expect(taskTypeOf(once(names))).toBe(seedType(names))
      }),
      { numRuns: 2_000 },
    )
  })

  it.each(SETS)('%s needs more than 60 in 100 calls, not exactly so many', (type, [name = '']) => {
    for (let part = 1; part <= 40; part++) {
      const [exact, total] = [3 * part, 5 * part]
      const calls = (count: number) => [
        { tool: name, calls: count },
        { tool: 'todo', calls: total - count },
      ]
      expect(taskTypeOf(calls(exact))).toBe('mixed')
      expect(taskTypeOf(calls(exact + 1))).toBe(type)
    }
  })

  it('is the same for calls told one by one or counted, in whatever order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...NAMES, ...UNKNOWN), { maxLength: 30 }), (names) => {
        const counted = [...new Set(names)].map((tool) => ({
          tool,
          calls: names.filter((name) => name === tool).length,
        }))
        expect(taskTypeOf(counted)).toBe(taskTypeOf(once(names)))
        expect(taskTypeOf(once(names.toReversed()))).toBe(taskTypeOf(once(names)))
      }),
    )
  })

  it('is mixed without calls, and where nobody knows the tools', () => {
    expect(taskTypeOf([])).toBe('mixed')
    expect(taskTypeOf([{ tool: 'todo', calls: 9 }])).toBe('mixed')
    expect(taskTypeOf([{ tool: 'terminal', calls: 0 }])).toBe('mixed')
  })
})

describe('the kind of a tool', () => {
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
    expect(kindOf(tool)).toBe(kind)
  })

  it('is what the config says, before anything else', () => {
    const own = { Bash: 'code', mcp__lab__run: 'code' } as const
    expect(kindOf('Bash', own)).toBe('code')
    expect(kindOf('mcp__lab__run', own)).toBe('code')
    expect(taskTypeOf([{ tool: 'Bash', calls: 3 }], own)).toBe('code')
    expect(kindCounts([{ tool: 'Bash', calls: 3 }], own)).toEqual({
      code: 3,
      file: 0,
      research: 0,
      terminal: 0,
    })
  })
})
