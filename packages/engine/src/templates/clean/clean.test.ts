import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCleaner } from './index.ts'

const TOKEN = ['ghp', 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdE'].join('_')
const clean = (input: Readonly<Record<string, unknown>>, text = '', tool = 'terminal') =>
  createCleaner('/home/ann')({ tool, input, result: { text } })
const ofResult = (text: string) => clean({}, text).example.result
const cpu = (work: () => unknown): number => {
  const before = process.cpuUsage()
  work()
  return process.cpuUsage(before).user / 1_000
}

describe('cleaned example', () => {
  it('stays unchanged if nothing has to be removed', () => {
    const input = { command: 'ls', deep: { list: [1, true, null, 'x', { y: -0.5 }] } }
    expect(clean(input, 'a\nb\n')).toEqual({
      example: { tool_name: 'terminal', arguments: input, result: 'a\nb\n', success: true },
      removed: 0,
      leftOut: 0,
    })
  })

  it('contains no secret in its result, its arguments or their names', () => {
    const input = { command: `curl -H "Authorization: Bearer ${TOKEN}"`, password: 'hunter22', [TOKEN]: 1 }
    const { example, removed } = clean(input, `token ${TOKEN}`)
    expect(JSON.stringify(example)).not.toContain(TOKEN)
    expect(JSON.stringify(example)).not.toContain('hunter22')
    expect(removed).toBe(4)
  })

  it('counts secrets that were removed before it was stored like its own', () => {
    const input = { command: `curl -H "Authorization: Bearer ${TOKEN}"` }
    const once = clean(input, `token ${TOKEN}, and no [redacted]`)
    const { example } = once
    const again = clean(example.arguments, example.result)
    expect(once.removed).toBe(2)
    expect(again).toEqual(once)
  })

  it.each([900, 940, 955, 960, 961, 970, 990, 1_000])(
    'contains no half secret that begins at %i, where it is cut',
    (at) => {
      const kept = ofResult(`${'x'.repeat(at - 1)} ${TOKEN} ${'y'.repeat(500)}`)
      expect(kept).not.toMatch(/ghp_|\[redacted:[^\]]*$|\[redac(?!ted:)/)
      expect(kept.length).toBeLessThanOrEqual(1_000)
    },
  )

  it('contains no half secret at the end of the examined part of a long text', () => {
    for (const lines of [1_200, 3_200]) {
      const key = `-----BEGIN RSA PRIVATE KEY-----\n${'QUJD\n'.repeat(lines)}-----END RSA PRIVATE KEY-----\n`
      const filler = 'z '.repeat(Math.floor((16_384 - key.length - 20) / 2))
      const kept = ofResult(`${key}${filler}${TOKEN}${' tail'.repeat(10_000)}`)
      expect(kept).not.toMatch(/ghp_|QUJD/)
      expect(kept).toMatch(/ cut$/)
    }
  })

  it('is cut to its budget and states how much was removed', () => {
    const lines = clean({}, 'a line of text\n'.repeat(200))
    expect(lines.example.result).toMatch(/text\n… \d+ lines cut$/)
    const kept = lines.example.result.split('\n').length - 1
    expect(lines.example.result).toContain(`… ${200 - kept} lines cut`)
    expect(ofResult('x'.repeat(5_000))).toMatch(/^x{960}… 4,040 characters cut$/)
    expect(clean({}, 'x'.repeat(5_000)).leftOut).toBe(4_040)
    expect(ofResult('y'.repeat(1_000))).toBe('y'.repeat(1_000))
  })

  it('stays within its budget for any content, and can be written and read', () => {
    const text = fc.string({ unit: 'binary', maxLength: 3_000 })
    const value = fc.object({ maxDepth: 4, maxKeys: 12, withNullPrototype: false })
    fc.assert(
      fc.property(value, text, (input, output) => {
        const { example } = clean(JSON.parse(JSON.stringify(input)), output)
        expect(example.result.length).toBeLessThanOrEqual(1_000)
        expect(JSON.stringify(example.arguments).length).toBeLessThanOrEqual(2_000)
        expect(example.result.isWellFormed()).toBe(true)
      }),
      { numRuns: 25 },
    )
  })

  it('keeps no argument text over 500 characters and at most 2,000 in total', () => {
    const { example, leftOut } = clean({ path: 'a.md', content: 'w\n'.repeat(4_000), mode: 'x' })
    expect(example.arguments).toMatchObject({ path: 'a.md', mode: 'x' })
    expect(String(example.arguments.content).length).toBeLessThanOrEqual(500)
    expect(String(example.arguments.content)).toMatch(/w\n… [\d,]+ lines cut$/)
    expect(leftOut).toBeGreaterThan(7_000)
    const many = Object.fromEntries(
      Array.from({ length: 90 }, (_, at) => [`field_${at}`, '\u0001'.repeat(400)]),
    )
    const kept = JSON.stringify(clean(many).example.arguments)
    expect(kept.length).toBeLessThanOrEqual(2_000)
    expect(kept).toMatch(/"…":"\d+ fields cut"/)
    expect(JSON.stringify(clean({ list: Array(9_000).fill(7) }).example.arguments)).toMatch(
      /… \d+ items cut"\]/,
    )
  })

  it('contains no half secret if all its texts together are too long', () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${'QUJD'.repeat(4_000)}\n-----END PRIVATE KEY-----`
    const left = 4 * 16_384 - 4 * key.length
    for (let over = 0; over < 80; over += 7) {
      const input = { a: key, b: key, c: key, d: key, e: 'y'.repeat(left - over), f: `${TOKEN} ${TOKEN}` }
      expect(JSON.stringify(clean(input).example)).not.toMatch(/ghp_|QUJD/)
    }
  })

  it.each([
    ['objects', { a: Array.from({ length: 2_000 }, () => ({})) }],
    ['lists', { a: Array.from({ length: 2_000 }, () => []) }],
    ['numbers', { a: Array.from({ length: 5_000 }, (_, n) => n) }],
    ['both', { a: Array.from({ length: 500 }, () => ({ b: [[{}]] })) }],
  ])('keeps arguments of many %s within the budget and counts what it left out', (what, input) => {
    const { example, leftOut } = clean(input)
    expect(JSON.stringify(example.arguments).length).toBeLessThanOrEqual(2_000)
    if (what === 'numbers') expect(leftOut).toBeGreaterThan(10_000)
  })

  it('keeps a field called __proto__ as a field', () => {
    const { arguments: kept } = clean(JSON.parse('{"__proto__": {"a": 1}, "b": 2}')).example
    expect(JSON.stringify(kept)).toBe('{"__proto__":{"a":1},"b":2}')
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype)
  })

  it('is made quickly from ten megabytes, endless nesting or endless width', () => {
    let deep: unknown = 'x'
    for (let at = 0; at < 200_000; at++) deep = { deep }
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`k${at}`, `v${at}`]))
    expect(JSON.stringify(clean({ deep }).example.arguments)).toContain('nested deeper, cut')
    expect(cpu(() => clean({ deep, wide }, `${'word '.repeat(2_000_000)}`))).toBeLessThan(3_000)
    expect(cpu(() => clean({ content: 'line\n'.repeat(2_000_000) }, 'a\n'.repeat(5_000_000)))).toBeLessThan(
      3_000,
    )
    expect(cpu(() => clean({}, '/home/'.repeat(1_700_000)))).toBeLessThan(3_000)
  })
})

describe('home folders', () => {
  it.each([
    ['/home/ann/code/a.py', '~/code/a.py'],
    ['cd /home/bob && ls', 'cd ~ && ls'],
    ['"/Users/bob.k/Documents"', '"~/Documents"'],
    ['/root/.ssh/config and /root', '~/.ssh/config and ~'],
    [String.raw`C:\Users\bob\a.txt`, '~/a.txt'],
    [String.raw`{"path":"C:\\Users\\Bob Smith\\a.txt"}`, '{"path":"~/a.txt"}'],
    ['c:/users/bob/x', '~/x'],
    ['/mnt/c/Users/bob/x', '~/x'],
    ['/c/Users/Bob Smith/x', '~/x'],
    ['PATH=/home/a/bin:/home/b/bin', 'PATH=~/bin:~/bin'],
    ['file:///home/bob/x', 'file://~/x'],
    ['gcc -I/home/bob/include', 'gcc -I~/include'],
    [String.raw`{"output":"ok\n/home/bob/x"}`, String.raw`{"output":"ok\n~/x"}`],
    [String.raw`"\/home\/bob\/x"`, String.raw`"~\/x"`],
    ['/var/home/bob/x', '~/x'],
    ['/home/日本/x', '~/x'],
  ])('are replaced: %s becomes %s', (text, general) => {
    expect(ofResult(text)).toBe(general)
    expect(clean({ text: [text] }).example.arguments).toEqual({ text: [general] })
  })

  it.each([
    'https://example.com/home/about',
    '/rootfs/x',
    'GET /v/users/5',
    'src/home/page.tsx',
    '/Users/Shared/x',
    '/home',
    '~/home/x',
    'C:\\Windows',
  ])('leave %s unchanged', (text) => {
    expect(ofResult(text)).toBe(text)
  })

  it('are recognized wherever the home is, and in the names of arguments', () => {
    const own = createCleaner('/srv/people/ann')
    const { example } = own({
      tool: 'x',
      input: { '/srv/people/ann/a': 1, '/srv/people/anna/b': 2 },
      result: { text: '/srv/people/ann' },
    })
    expect(example).toMatchObject({ arguments: { '~/a': 1, '/srv/people/anna/b': 2 }, result: '~' })
    const windows = createCleaner('D:\\Profiles\\ann')
    expect(
      windows({ tool: 'x', input: {}, result: { text: '"D:\\\\Profiles\\\\ann\\\\x"' } }).example.result,
    ).toBe('"~\\\\x"')
  })

  it("are replaced even if the user's own home is unknown", () => {
    for (const home of ['', '/'])
      expect(createCleaner(home)({ tool: 'x', input: {}, result: { text: '/a /b' } }).example.result).toBe(
        '/a /b',
      )
  })
})
