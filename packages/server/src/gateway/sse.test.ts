import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { comment, sseAnswer } from './sse.ts'

const piece = 'x'.repeat(65_536)

describe('a streamed answer', () => {
  it('stops writing while nobody reads, and continues when the client reads or disconnects', async () => {
    const stop = new AbortController()
    let written = 0
    let isThrough = false
    const answer = sseAnswer({ headers: {}, stop }, async (write) => {
      for (; written < 200; written += 1) await write(piece)
      isThrough = true
    })
    for (let before = -1; before !== written; await setImmediate()) before = written
    expect(written).toBeGreaterThan(0)
    expect(written).toBeLessThan(40)
    const reader = answer.body?.getReader()
    let bytes = 0
    while (bytes < 100 * piece.length) bytes += (await reader?.read())?.value?.length ?? 0
    expect(written).toBeGreaterThan(90)
    expect(isThrough).toBe(false)
    await reader?.cancel()
    await expect.poll(() => isThrough).toBe(true)
    expect(stop.signal.aborted).toBe(true)
  })

  it('breaks off if the writer fails, and aborts the work', async () => {
    const stop = new AbortController()
    const answer = sseAnswer({ headers: {}, stop }, async (write) => {
      write('data: 1\n\n')
      throw new Error('odd')
    })
    await expect(answer.text()).rejects.toThrow('was cut off')
    expect(stop.signal.aborted).toBe(true)
  })
})

describe('a comment in a stream', () => {
  it('is one line that fits into any line reader, however long its texts are', () => {
    const short = { name: 'moa.progress', data: { label: 'a', refs_done: 1 } }
    expect(comment(short)).toBe(': moa.progress {"label":"a","refs_done":1}\n\n')
    for (const text of ['x'.repeat(1_000_000), '\n\u0000'.repeat(300_000), '😀日本'.repeat(100_000)]) {
      const line = comment({ name: 'moa.reference', data: { index: 1, label: 'a', text } })
      expect(Buffer.byteLength(line)).toBeLessThan(65_536)
      expect(line.trimEnd().split('\n')).toHaveLength(1)
      const { label, text: cut } = JSON.parse(line.slice(': moa.reference '.length)) as Record<string, string>
      expect([label, cut?.at(-1), cut?.isWellFormed()]).toEqual(['a', '…', true])
      expect(text.startsWith(cut?.slice(0, -2) ?? 'nothing')).toBe(true)
    }
    const many = { name: 'x', data: { all: Array.from({ length: 5_000 }, () => 'y'.repeat(90)) } }
    expect(Buffer.byteLength(comment(many))).toBeLessThan(65_536)
  })
})
