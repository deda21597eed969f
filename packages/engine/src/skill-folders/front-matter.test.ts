import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyEdit, editStability, readFrontMatter, reverseEdit } from './front-matter.ts'

const edited = (text: string, value: string | null = 'validated'): string => {
  const edit = editStability(text, value)
  if (typeof edit === 'string') throw new Error(edit)
  expect(applyEdit(applyEdit(text, edit), reverseEdit(edit))).toBe(text)
  return applyEdit(text, edit)
}

describe('readFrontMatter', () => {
  it('reads the name and the stability', () => {
    const text = '---\nname: deploy\nstability: validated # since May\n---\n# Deploy\n'
    expect(readFrontMatter(text)).toEqual({
      name: 'deploy',
      stability: 'validated',
      description: null,
      tags: [],
      there: true,
      problem: null,
    })
  })

  it('reads the description, and tags at the top level and in the metadata of Hermes', () => {
    const text =
      '---\ndescription: >\n  Import CSV\n  files\ntags: [csv, import]\nmetadata:\n  hermes:\n    tags: csv, data\n---\n'
    expect(readFrontMatter(text)).toMatchObject({
      description: 'Import CSV files',
      tags: ['csv', 'import', 'data'],
    })
  })

  it('accepts a byte order mark, Windows line endings and a missing head', () => {
    expect(readFrontMatter('\uFEFF---\r\nname: "a b"\r\n---\r\nx').name).toBe('a b')
    expect(readFrontMatter('# A skill\n\n---\nname: x\n---\n')).toMatchObject({ there: false, name: null })
    expect(readFrontMatter('')).toMatchObject({ there: false, problem: null })
    expect(readFrontMatter('---\n---\n')).toMatchObject({ there: true, name: null, problem: null })
  })

  it.each([
    ['a star that names nothing', '---\nname: web\nglobs: *.ts\n---\n', 'web'],
    ['tabs', '---\nname: tabs\nmetadata:\n\ttags: x\n---\n', 'tabs'],
    ['no end', '---\nname: open\n', null],
    ['a list', '---\n- name\n---\n', null],
    ['two of one field', '---\nname: a\nname: b\n---\n', 'a'],
    ['brackets without end', `---\nname: deep\nx: ${'['.repeat(16_000)}\n---\n`, 'deep'],
    ['braces without end', `---\nname: deep\nx: ${'{a: '.repeat(4_000)}\n---\n`, 'deep'],
    ['lists in lists', `---\nname: deep\n${'- '.repeat(8_000)}\n---\n`, 'deep'],
    ['keys in keys', `---\nname: deep\n${'? '.repeat(8_000)}\n---\n`, 'deep'],
  ])('reports the problem with %s, and the name where it is readable', (_, text, name) => {
    const found = readFrontMatter(text)
    expect(found.problem).toMatch(/^its front matter/)
    expect(found.name).toBe(name)
    expect(typeof editStability(text, 'validated')).toBe('string')
  })
})

it('parses any text in bounded time', () => {
  const hostile = [
    `a: &a 1\n${Array.from({ length: 1_800 }, (_, n) => `k${n}: *a`).join('\n')}`,
    Array.from({ length: 1_800 }, (_, n) => `k${n}: 1`).join('\n'),
    Array.from({ length: 170 }, (_, n) => `${' '.repeat(n)}k:`).join('\n'),
    `x: ${'&a '.repeat(5_000)}`,
    `x: "${'\\x'.repeat(8_000)}`,
    `x: |\n${' y\n'.repeat(5_000)}`,
    `${'#'.repeat(16_000)}`,
  ]
  for (const inner of hostile) {
    const started = performance.now()
    readFrontMatter(`---\n${inner}\n---\n`)
    expect(performance.now() - started).toBeLessThan(2_000)
  }
})

describe('editStability', () => {
  it('adds one line and keeps every other byte', () => {
    expect(edited('---\nname: a\n---\nbody')).toBe('---\nname: a\nstability: validated\n---\nbody')
    expect(edited('\uFEFF---\r\nname: a\r\n---\r\nb\r\n')).toBe(
      '\uFEFF---\r\nname: a\r\nstability: validated\r\n---\r\nb\r\n',
    )
    expect(edited('---\ndescription: |\n  long\n\n---\n')).toBe(
      '---\ndescription: |\n  long\n\nstability: validated\n---\n',
    )
    expect(edited('---\n  name: in\n  x: 1\n---\n')).toBe(
      '---\n  name: in\n  x: 1\n  stability: validated\n---\n',
    )
    expect(edited('---\n---\n')).toBe('---\nstability: validated\n---\n')
  })

  it('replaces the existing value and nothing else', () => {
    expect(edited('---\nstability:   "draft"  # mine\nname: a\n---\n')).toBe(
      '---\nstability:   validated  # mine\nname: a\n---\n',
    )
    expect(edited('---\nstability:\nname: a\n---\n')).toBe('---\nstability: validated\nname: a\n---\n')
  })

  it('removes the line again', () => {
    expect(edited('---\nname: a\nstability: validated # x\ny: 1\n---\n', null)).toBe(
      '---\nname: a\ny: 1\n---\n',
    )
  })

  it.each([
    ['# no head\n', 'its SKILL.md has no front matter'],
    ['---\n{name: a}\n---\n', 'its front matter is written in braces'],
    ['---\nstability:\n  level: 3\n---\n', 'its stability'],
    ['---\nstability: |\n  a\n  b\n---\n', 'its stability spans several lines'],
  ])('is refused for %j', (text, why) => {
    expect(editStability(text, 'validated')).toContain(why)
  })

  it('changes nothing but its own line in any hand-written text', () => {
    const key = fc.constantFrom('name', 'description', 'stability', 'globs', 'tags', ' x', '\tx', '- a', '#')
    const value = fc.constantFrom(
      'a',
      '*.ts',
      '|',
      '>-',
      '"q',
      "'q'",
      '[a, b]',
      '{a: 1}',
      '& b',
      '  text',
      '',
    )
    const end = fc.constantFrom('\n', '\r\n')
    const line = fc.tuple(key, value).map(([name, what]) => `${name}: ${what}`)
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), end, fc.boolean(), (lines, eol, mark) => {
        const text = ['---', ...lines, '---', 'stability: no', ''].join(eol)
        const edit = editStability(text, mark ? 'validated' : null)
        if (typeof edit === 'string') return
        const after = applyEdit(text, edit)
        expect(readFrontMatter(after)).toMatchObject({ problem: null, stability: mark ? 'validated' : null })
        expect(readFrontMatter(after).name).toBe(readFrontMatter(text).name)
        const others = (all: string) => all.split('\n').filter((each) => !/^\s*stability/.test(each))
        expect(others(after)).toEqual(others(text))
        expect(applyEdit(after, reverseEdit(edit))).toBe(text)
      }),
      { numRuns: 500 },
    )
  })
})
