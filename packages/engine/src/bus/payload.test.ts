import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { packLines, packPage, unpack, unpackPage } from './payload.ts'

const noise = (bytes: number): string => randomBytes(bytes).toString('base64')
const unpacked = (messages: Iterable<Uint8Array>): string[] =>
  [...messages].flatMap((message) => unpack(message).split('\n'))

describe('bus messages', () => {
  it('contain every line once and in order, however long the lines are', () => {
    const lines = Array.from(
      { length: 300 },
      (_, n) => `{"n":${n},"x":"${noise(n % 7 === 0 ? 20_000 : 20)}"}`,
    )
    const messages = [...packLines(lines, 65_536)]
    expect(unpacked(messages)).toEqual(lines)
    expect(Math.max(...messages.map(({ length }) => length))).toBeLessThanOrEqual(65_536)
    expect(messages.length).toBeGreaterThan(10)
  })

  it('take a fraction of the space when lines are similar', () => {
    const lines = Array.from(
      { length: 1_000 },
      (_, n) => `{"n":${n},"event":"tool_call","source":"claude-code"}`,
    )
    const [only, ...more] = packLines(lines, 1_000_000)
    expect(more).toEqual([])
    expect(only?.length).toBeLessThan(lines.join('\n').length / 4)
  })

  it('put a line that exceeds the limit into a message of its own, for the sender to reject', () => {
    const [large, small] = packLines([noise(100_000), 'x'], 10_000)
    expect(large?.length).toBeGreaterThan(10_000)
    expect(small && unpack(small)).toBe('x')
  })

  it('are empty when there are no lines', () => {
    expect([...packLines([], 100)]).toEqual([])
  })

  it('tell which seq their rows follow, even when pages were split', () => {
    const rows = [11, 12, 15, 16].map((seq) => ({ seq, json: `{"seq":${seq},"x":"${noise(3_000)}"}` }))
    const pages = [...packPage({ after: 10, rows, last: 18 }, 8_000)].map(unpackPage)
    expect(pages.length).toBeGreaterThan(1)
    expect(pages.flatMap((page) => page.rows)).toEqual(rows)
    pages.forEach((page, n) => {
      expect(page.after).toBe(n === 0 ? 10 : pages[n - 1]?.last)
    })
    expect(pages.at(-1)?.last).toBe(18)
  })

  it('leave out a row that exceeds a message, so that subscribers notice the gap', () => {
    const rows = [1, 2, 3].map((seq) => ({
      seq,
      json: `{"seq":${seq},"x":"${noise(seq === 2 ? 90_000 : 5)}"}`,
    }))
    const pages = [...packPage({ after: 0, rows, last: 3 }, 10_000)].map(unpackPage)
    expect(pages.flatMap((page) => page.rows.map(({ seq }) => seq))).toEqual([1, 3])
    expect(pages.some((page) => page.after === 2)).toBe(true)
  })
})
