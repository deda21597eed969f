import { describe, expect, it } from 'vitest'
import { fitColumns } from './column-widths.ts'
import { columns, plural } from './format.ts'

const ROWS = [
  ['main', '● Working', 'a-model-with-a-long-name', 'what it does now, in many words'],
  ['b', '◆ Waits for you', 'opus', 'allow Bash?'],
]
const shown = (width: number | undefined) =>
  columns(fitColumns(ROWS, { width, indent: 2, text: { 0: 8, 2: 8, 3: 8 }, drop: [2] }))
const widest = (lines: readonly string[]) => Math.max(...lines.map((line) => line.length))

describe('columns in a narrow terminal', () => {
  it('keep their widths if they fit or there is no terminal', () => {
    expect(shown(undefined)).toEqual(columns(ROWS))
    expect(shown(200)).toEqual(columns(ROWS))
  })

  it('fit at every width: the widest text is cut first, then columns are dropped, but never the state', () => {
    for (let width = 40; width < 100; width++) {
      const lines = shown(width)
      expect(widest(lines)).toBeLessThanOrEqual(width)
      expect(lines[1]).toContain('◆ Waits for you')
    }
    expect(shown(78)[0]).toContain('a-model-with-a-long-name')
    expect(shown(78)[0]).toContain('…')
    expect(shown(40).join('\n')).not.toContain('opus')
  })
})

describe('a counted noun', () => {
  it('is singular for one', () => {
    expect([plural(0, 'error'), plural(1, 'error'), plural(1_234, 'event')]).toEqual([
      '0 errors',
      '1 error',
      '1,234 events',
    ])
  })
})
