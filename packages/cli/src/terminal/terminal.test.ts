import { describe, expect, it } from 'vitest'
import { columns, count, duration, shortenPath, shortenPaths, size } from './format.ts'
import { absoluteCommand, addNpx, isTypedWithNpx } from './invocation.ts'
import { createPaint, escapeControl } from './paint.ts'

describe('text for the terminal', () => {
  it('formats counts, sizes and times for people', () => {
    expect(count(3604)).toBe('3,604')
    expect([0, 999, 1000, 1_500_000, 123_456_789].map(size)).toEqual([
      '0 bytes',
      '999 bytes',
      '1.0 KB',
      '1.5 MB',
      '123 MB',
    ])
    expect([84, 41_000, 192_000, 7_380_000, 400_000_000].map(duration)).toEqual([
      '84 ms',
      '41 s',
      '3m 12s',
      '2h 03m',
      '4 days',
    ])
  })

  it('shortens only the home folder of the user to ~', () => {
    expect(shortenPath('/home/a/.panoptes', '/home/a')).toBe('~/.panoptes')
    expect(shortenPath('/home/ab/x', '/home/a')).toBe('/home/ab/x')
    expect(shortenPath('/x', '/')).toBe('/x')
    expect(shortenPaths('From /home/a/x to /home/a/y, not /home/ab', '/home/a')).toBe(
      'From ~/x to ~/y, not /home/ab',
    )
  })

  it('keeps every row of a table on one line', () => {
    expect(columns([['a\n  b  fake', 'c\r\n\td\u2028e']], '')).toEqual(['a   b  fake  c d e'])
  })

  it('aligns columns with colored cells', () => {
    const { red } = createPaint({ env: {}, terminal: true, refused: false })
    const [painted, bare] = columns(
      [
        [red('a'), 'x'],
        ['long', 'x'],
      ],
      '',
    )
    expect([escapeControl(painted ?? ''), bare]).toEqual(['\u001b[31ma\u001b[39m     x', 'long  x'])
  })

  it('aligns columns without trailing spaces', () => {
    expect(
      columns([
        ['a', 'b'],
        ['long', ''],
      ]),
    ).toEqual(['  a     b', '  long'])
  })
})

describe('colors', () => {
  const wish = { env: {}, terminal: true, refused: false }
  const colored = (change: Partial<Parameters<typeof createPaint>[0]>) =>
    createPaint({ ...wish, ...change }).red('x') !== 'x'

  it('are used only on a terminal', () => {
    expect(colored({})).toBe(true)
    expect(colored({ terminal: false })).toBe(false)
  })

  it('are off with NO_COLOR, --no-color and a dumb terminal', () => {
    expect(colored({ env: { NO_COLOR: '1' } })).toBe(false)
    expect(colored({ env: { NO_COLOR: '' } })).toBe(true)
    expect(colored({ refused: true })).toBe(false)
    expect(colored({ env: { TERM: 'dumb' } })).toBe(false)
  })
})

describe('suggested commands', () => {
  it('start with npx panoptes in a clone and under npx, otherwise with panoptes', () => {
    expect(isTypedWithNpx({}, 'file:///clone/packages/cli/src/terminal/invocation.ts')).toBe(true)
    expect(isTypedWithNpx({}, 'file:///usr/lib/node_modules/panoptes/dist/panoptes.js')).toBe(false)
    expect(isTypedWithNpx({ npm_command: 'exec' }, 'file:///x/panoptes.js')).toBe(true)
    expect(addNpx('Run: panoptes stop && panoptes up, see ~/.panoptes up there')).toBe(
      'Run: npx panoptes stop && npx panoptes up, see ~/.panoptes up there',
    )
  })
  it('are an absolute path if another program must find them from any folder', () => {
    expect(absoluteCommand({}, '/clone/bin/panoptes.js')).toBe('/clone/bin/panoptes.js')
    expect(absoluteCommand({}, "/my clone's/panoptes.js")).toBe(`'/my clone'\\''s/panoptes.js'`)
    const line = 'claude mcp add panoptes -- /clone/bin/panoptes.js mcp'
    expect(addNpx(line)).toBe(line)
  })
})
