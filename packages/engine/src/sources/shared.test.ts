import { prependContext } from '@panoptes/engine/markers'
import { describe, expect, it } from 'vitest'
import { SECRET_KINDS } from '../redact/secrets.test-kit.ts'
import { toCount, toTime } from './fields.ts'
import { jsonLinesIn } from './json-lines.ts'
import { findRoot } from './roots.ts'
import { promptTitle } from './title.ts'
import { hermesName } from './tool-names/index.ts'

describe('the derived title', () => {
  it('is the first line of the prompt, cut when it is long', () => {
    expect(promptTitle('\n\n  Tidy up \nand more')).toBe('Tidy up')
    expect(promptTitle('x'.repeat(120))).toBe('x'.repeat(120))
    expect(promptTitle('x'.repeat(121))).toBe(`${'x'.repeat(119)}…`)
    expect(promptTitle(' \n ')).toBeNull()
    expect(promptTitle(prependContext('What is remembered: a heron', 'Name a bird.'))).toBe('Name a bird.')
  })

  it.each(Object.entries(SECRET_KINDS))('holds no part of a secret wherever it is cut: %s', (_kind, make) => {
    const secret = make()
    const parts = Array.from({ length: secret.length - 7 }, (_, at) => secret.slice(at, at + 8))
    for (let before = 0; before <= 125; before++) {
      const title = promptTitle(`${'x'.repeat(before)} ${secret} tail`) ?? ''
      expect(parts.filter((part) => title.includes(part))).toEqual([])
    }
  })
})

describe('JSON lines', () => {
  const read = async (...pieces: string[]) => {
    const chunks = async function* () {
      for (const piece of pieces) yield Buffer.from(piece)
    }
    const lines = []
    for await (const line of jsonLinesIn(chunks())) lines.push('value' in line ? line.value : line)
    return lines
  }

  it('are read across chunk borders and without a byte order mark', async () => {
    expect(await read('\uFEFF{"a":1}\n{"b"', ':2}\r\n\n', '{"c":3}')).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }])
  })

  it('report an invalid line by number, but not one that is being written', async () => {
    expect(await read('{"a":1}\n\nnope\n[1]\n{"half"')).toEqual([
      { a: 1 },
      { line: 3, problem: 'is not JSON' },
      { line: 4, problem: 'is not a JSON object' },
    ])
  })
})

describe('findRoot', () => {
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
  ])('returns for %s the root %s', (id, top) => {
    expect(findRoot(id, (each) => parents[each])).toBe(top)
  })
})

describe('a field that another program wrote', () => {
  it('is a count only if it is a whole number', () => {
    expect([0, 7, -1, 1.5, 2 ** 60, '7', null].map(toCount)).toEqual([0, 7, null, null, null, null, null])
  })

  it('is a time only between the years 2000 and 2200', () => {
    const year = (value: number) => Date.UTC(value, 0)
    expect([year(2000), year(2000) - 1, year(2200) - 1, year(2200)].map(toTime)).toEqual([
      year(2000),
      null,
      year(2200) - 1,
      null,
    ])
    expect([toTime('2026-09-15T00:00:00Z'), toTime('soon'), toTime(true)]).toEqual([
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
  ])('of %s is %s in the names of Hermes', (tool, name) => {
    expect(hermesName(tool)).toBe(name)
  })
})
