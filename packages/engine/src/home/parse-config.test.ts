import { check, config } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONFIG_DEFAULTS } from './config-keys.ts'
import { DEFAULT_CONFIG } from './default-config.ts'
import { parseConfig } from './parse-config.ts'

const mistakesOf = (text: string) => {
  const parsed = parseConfig(text)
  return parsed.ok ? [] : parsed.mistakes
}

describe('parseConfig', () => {
  it("reads the commented default file as the schema's defaults, with every key written out", () => {
    const parsed = parseConfig(DEFAULT_CONFIG)
    const defaults = check(config, {})
    expect(parsed.ok && parsed.value.config).toEqual(defaults.ok && defaults.value)
    expect(parsed.ok && [...parsed.value.lines.keys()].sort()).toEqual([...CONFIG_DEFAULTS.keys()].sort())
  })

  it('reads an empty or comment-only file as all defaults', () => {
    for (const text of ['', '# nothing\n', '---\n', 'server:\nlog:\n']) {
      const parsed = parseConfig(text)
      expect(parsed.ok && parsed.value.config.server.port).toBe(8201)
    }
  })

  it('names line, column and reason of a wrong value', () => {
    expect(mistakesOf('log:\n  level: info\nserver:\n  port: 99999\n')).toEqual([
      { line: 4, column: 9, path: 'server.port', reason: 'must be 0 to 65535' },
    ])
  })

  it('accepts both layouts', () => {
    expect(mistakesOf('layout: hermes\nlayout_force: true\n')).toEqual([])
    expect(mistakesOf('# files\nlayout: elsewhere\n')).toEqual([
      { line: 2, column: 9, path: 'layout', reason: 'must be panoptes or hermes' },
    ])
  })

  it('accepts origins as browsers send them and refuses wildcards', () => {
    expect(
      mistakesOf('achievements:\n  allowed_origins: [http://127.0.0.1:9119, https://hermes.lan]\n'),
    ).toEqual([])
    for (const wrong of [
      '"*"',
      '"null"',
      'http://127.0.0.1:9119/',
      'file:///',
      'HTTP://A.test',
      'hermes.lan',
    ])
      expect(mistakesOf(`achievements:\n  allowed_origins:\n    - ${wrong}\n`)).toEqual([
        {
          line: 3,
          column: 7,
          path: 'achievements.allowed_origins.0',
          reason: 'must be an origin such as http://127.0.0.1:9119',
        },
      ])
  })

  it('suggests the nearest known key for an unknown one', () => {
    expect(mistakesOf('server:\n  prot: 1\n')).toEqual([
      { line: 2, column: 3, path: 'server.prot', reason: 'is not a setting; did you mean "port"?' },
    ])
    expect(mistakesOf('sever:\n  port: 1\n')[0]?.reason).toContain('did you mean "server"?')
    expect(mistakesOf('colour: red\n')[0]?.reason).toContain('known here: server')
  })

  it('reads prices under model names and locates a wrong one', () => {
    const text =
      'prices:\n  my-model: { input: 0.5, output: 1 }\n  acme/x-4.5:\n    input: 1\n    output: -2\n'
    expect(mistakesOf(text)).toEqual([
      { line: 5, column: 13, path: 'prices.acme/x-4.5.output', reason: 'must not be negative' },
    ])
    expect(mistakesOf('prices:\n  a.b: { input: 1, output: 1, inptu: 2 }\n')).toMatchObject([
      { line: 2, column: 8, path: 'prices.a.b' },
    ])
    expect(mistakesOf('prices:\n  a: { input: 1 }\n')).toMatchObject([{ line: 2, path: 'prices.a.output' }])
    const parsed = parseConfig('prices:\n  a.b: { input: 1, output: 2, cache_read: 0 }\n')
    expect(parsed.ok && parsed.value.config.prices).toEqual({ 'a.b': { input: 1, output: 2, cache_read: 0 } })
  })

  it('lists every mistake in file order', () => {
    const found = mistakesOf('log:\n  level: loud\nretention:\n  max_size_mb: 3\nfoo: 1\n')
    expect(found.map(({ line, path }) => [line, path])).toEqual([
      [2, 'log.level'],
      [4, 'retention.max_size_mb'],
      [5, 'foo'],
    ])
  })

  it('locates only the first YAML syntax error', () => {
    for (const text of ['server:\n  port: [1, 2\nlog: x\n', 'a: {b: [}\n  c: "\n d: ]\n'])
      expect(mistakesOf(text)).toHaveLength(1)
    const [first] = mistakesOf('server:\n  port: [1, 2\nlog: x\n')
    expect(first).toMatchObject({ line: expect.any(Number), column: expect.any(Number) })
    expect(mistakesOf('server:\n  port: 1\n  port: 2\n')[0]).toMatchObject({ line: 3, column: 3 })
  })

  it('names a duplicate key with both lines', () => {
    expect(mistakesOf('providers: {}\nlog:\n  level: info\nproviders:\n  local: { kind: openai }\n')).toEqual(
      [
        {
          line: 4,
          column: 1,
          path: 'providers',
          reason: 'is defined twice, in lines 1 and 4: move its content to line 1 and delete line 4',
        },
      ],
    )
    expect(mistakesOf('chat:\n  folder: ~\n  knowledge: []\n  knowledge: [~/notes]\n')).toMatchObject([
      { line: 4, path: 'knowledge', reason: expect.stringContaining('in lines 3 and 4') },
    ])
  })

  it('refuses a list, a scalar and a file with endless aliases', () => {
    expect(mistakesOf('- a\n')[0]?.reason).toContain('must be settings')
    expect(mistakesOf('hello\n')[0]?.reason).toContain('must be settings')
    const bomb = `a: &a [1,1,1,1,1,1,1,1,1]\n${'bcdefghij'
      .split('')
      .map((name, index) => `${name}: &${name} [${`*${'abcdefghi'[index]},`.repeat(9)}]`)
      .join('\n')}\n`
    expect(mistakesOf(bomb).length).toBeGreaterThan(0)
    expect(mistakesOf('#'.repeat(300_000))[0]?.reason).toContain('longer than')
  })

  it('never throws and places each mistake inside the text', () => {
    const piece = fc.constantFrom(
      'server:',
      ' port: ',
      '\n',
      '  ',
      '- ',
      '"',
      '{',
      ']',
      '&a',
      '*a',
      '#',
      '7',
      'é',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 20 }), (parts) => {
        const text = parts.join('')
        for (const { line, column } of mistakesOf(text)) {
          expect(line).toBeGreaterThanOrEqual(1)
          expect(line).toBeLessThanOrEqual(text.split(/\r\n|\r|\n/).length + 1)
          expect(column).toBeGreaterThanOrEqual(1)
        }
      }),
      { numRuns: 300 },
    )
  })
})

it('accepts any names for agents and tool servers', () => {
  const parsed = parseConfig(
    'runtimes:\n  acp:\n    mine: { command: [agent] }\nmcp_servers:\n  files: { command: serve }\n',
  )
  if (!parsed.ok) throw new Error(parsed.mistakes.map(({ path, reason }) => `${path} ${reason}`).join())
  expect(parsed.value.config.runtimes.acp.mine?.command).toEqual(['agent'])
  expect(parsed.value.config.mcp_servers.files?.command).toBe('serve')
})
