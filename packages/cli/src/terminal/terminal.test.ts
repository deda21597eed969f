import { describe, expect, it } from 'vitest'
import { fromAnywhere, typedWithNpx, withNpx } from './invocation.ts'
import { paintFor } from './paint.ts'
import { columns, count, duration, size, tilde, tildes } from './words.ts'

describe('words', () => {
  it('writes counts, sizes and times as a person reads them', () => {
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

  it('shortens the own folder only where it is the own folder', () => {
    expect(tilde('/home/a/.panoptes', '/home/a')).toBe('~/.panoptes')
    expect(tilde('/home/ab/x', '/home/a')).toBe('/home/ab/x')
    expect(tilde('/x', '/')).toBe('/x')
    expect(tildes('From /home/a/x to /home/a/y, not /home/ab', '/home/a')).toBe(
      'From ~/x to ~/y, not /home/ab',
    )
  })

  it('lines columns up and leaves no blanks at the end', () => {
    expect(
      columns([
        ['a', 'b'],
        ['long', ''],
      ]),
    ).toEqual(['  a     b', '  long'])
  })
})

describe('colour', () => {
  const wish = { env: {}, terminal: true, refused: false }
  const coloured = (change: Partial<Parameters<typeof paintFor>[0]>) =>
    paintFor({ ...wish, ...change }).red('x') !== 'x'

  it('is there on a terminal alone', () => {
    expect(coloured({})).toBe(true)
    expect(coloured({ terminal: false })).toBe(false)
  })

  it('goes with NO_COLOR, --no-color and a dumb terminal', () => {
    expect(coloured({ env: { NO_COLOR: '1' } })).toBe(false)
    expect(coloured({ env: { NO_COLOR: '' } })).toBe(true)
    expect(coloured({ refused: true })).toBe(false)
    expect(coloured({ env: { TERM: 'dumb' } })).toBe(false)
  })
})

describe('what a person is told to type', () => {
  it('is npx panoptes in a clone and under npx, and panoptes where it is installed', () => {
    expect(typedWithNpx({}, 'file:///clone/packages/cli/src/terminal/invocation.ts')).toBe(true)
    expect(typedWithNpx({}, 'file:///usr/lib/node_modules/panoptes/dist/panoptes.js')).toBe(false)
    expect(typedWithNpx({ npm_command: 'exec' }, 'file:///x/panoptes.js')).toBe(true)
    expect(withNpx('Run: panoptes stop && panoptes up, see ~/.panoptes up there')).toBe(
      'Run: npx panoptes stop && npx panoptes up, see ~/.panoptes up there',
    )
  })
  it('is an absolute path where another program has to find it from any folder', () => {
    expect(fromAnywhere({}, '/clone/bin/panoptes.js')).toBe('/clone/bin/panoptes.js')
    expect(fromAnywhere({}, "/my clone's/panoptes.js")).toBe(`'/my clone'\\''s/panoptes.js'`)
    const line = 'claude mcp add panoptes -- /clone/bin/panoptes.js mcp'
    expect(withNpx(line)).toBe(line)
  })
})
