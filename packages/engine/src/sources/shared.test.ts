import { describe, expect, it } from 'vitest'
import { countOf, timeOf } from './fields.ts'
import { jsonLinesIn } from './json-lines.ts'
import { rootOf } from './roots.ts'
import { titleOf } from './title.ts'
import { hermesName } from './tool-names/index.ts'

describe('the title of a session that has none', () => {
  it('is the first line of what was asked, cut where it is long', () => {
    expect(titleOf('\n\n  Tidy up \nand more')).toBe('Tidy up')
    expect(titleOf('x'.repeat(120))).toBe('x'.repeat(120))
    expect(titleOf('x'.repeat(121))).toBe(`${'x'.repeat(119)}…`)
    expect(titleOf(' \n ')).toBeNull()
  })
})

describe('the JSON lines of a file', () => {
  const read = async (...pieces: string[]) => {
    const chunks = async function* () {
      for (const piece of pieces) yield Buffer.from(piece)
    }
    const lines = []
    for await (const line of jsonLinesIn(chunks())) lines.push('value' in line ? line.value : line)
    return lines
  }

  it('are read over pieces, without the mark at the beginning of a file', async () => {
    expect(await read('\uFEFF{"a":1}\n{"b"', ':2}\r\n\n', '{"c":3}')).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }])
  })

  it('say with its number which line is none, but not of one that is being written', async () => {
    expect(await read('{"a":1}\n\nnope\n[1]\n{"half"')).toEqual([
      { a: 1 },
      { line: 3, problem: 'is not JSON' },
      { line: 4, problem: 'is not a JSON object' },
    ])
  })
})

describe('the top of those that made each other', () => {
  const parents: Readonly<Record<string, string | null>> = {
    a: null,
    b: 'a',
    c: 'b',
    lost: 'nobody',
    x: 'y',
    y: 'z',
    z: 'y',
  }
  it.each([
    ['a', 'a'],
    ['c', 'a'],
    ['lost', 'lost'],
    ['x', 'x'],
    ['y', 'y'],
    ['nobody', 'nobody'],
  ])('is for %s %s', (id, top) => {
    expect(rootOf(id, (each) => parents[each])).toBe(top)
  })
})

describe('a field that another program wrote', () => {
  it('is a count where it is a whole number, and else absent', () => {
    expect([0, 7, -1, 1.5, 2 ** 60, '7', null].map(countOf)).toEqual([0, 7, null, null, null, null, null])
  })

  it('is a time between the years 2000 and 2200, and else absent', () => {
    const year = (value: number) => Date.UTC(value, 0)
    expect([year(2000), year(2000) - 1, year(2200) - 1, year(2200)].map(timeOf)).toEqual([
      year(2000),
      null,
      year(2200) - 1,
      null,
    ])
    expect([timeOf('2026-09-15T00:00:00Z'), timeOf('soon'), timeOf(true)]).toEqual([
      Date.UTC(2026, 8, 15),
      null,
      null,
    ])
  })
})

describe('the name of a tool', () => {
  it.each([
    ['Bash', 'terminal'],
    ['exec_command', 'terminal'],
    ['BashOutput', 'process'],
    ['Read', 'read_file'],
    ['Grep', 'search_files'],
    ['Write', 'write_file'],
    ['MultiEdit', 'patch'],
    ['apply_patch', 'patch'],
    ['WebSearch', 'web_search'],
    ['WebFetch', 'web_extract'],
    ['Task', 'delegate_task'],
    ['Skill', 'skill_view'],
    ['mcp__Mine', 'mcp__Mine'],
  ])('of %s is %s for Hermes', (tool, name) => {
    expect(hermesName(tool)).toBe(name)
  })
})
