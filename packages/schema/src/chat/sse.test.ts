import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SseReader } from './sse.ts'

const all = (...pieces: readonly string[]) => {
  const reader = new SseReader()
  return pieces.flatMap((piece) => reader.take(piece))
}

describe('server-sent events', () => {
  it('consist of fields and end with an empty line', () => {
    expect(all('id: 1\nevent: chunk\ndata: a\n\ndata: b\n\n')).toEqual([
      { id: '1', event: 'chunk', data: 'a' },
      { id: null, event: '', data: 'b' },
    ])
  })
  it('may have no space or several after the colon', () => {
    expect(all('data:a\ndata:  b\n\n')).toEqual([{ id: null, event: '', data: 'a\n b' }])
  })
  it('may have several data lines, including empty ones', () => {
    expect(all('data: a\ndata\ndata: \ndata: b\n\n')[0]?.data).toBe('a\n\n\nb')
  })
  it('may end lines with LF, CR or CRLF, even if split in between', () => {
    expect(all('data: a\r\n\r\ndata: b\r\rdata: c\n\n')).toHaveLength(3)
    expect(all('data: a\r', '\ndata: b\r', '\n\r', '\n')).toEqual([{ id: null, event: '', data: 'a\nb' }])
  })
  it('may contain comments, unknown fields and frames without data, which are ignored', () => {
    expect(all(': heartbeat\n\nretry: 5\n\nevent: x\n\n:\ndata: a\n\n')).toEqual([
      { id: null, event: '', data: 'a' },
    ])
  })
  it('may begin with a BOM, and only there', () => {
    expect(all('\uFEFFdata: a\n\n', '\uFEFFdata: b\n\n')).toHaveLength(1)
  })
  it('ignore an id with a NUL character', () => {
    expect(all('id: a\0b\ndata: a\n\n')[0]?.id).toBeNull()
  })
  it('are ignored if incomplete', () => {
    const reader = new SseReader()
    expect(reader.take('data: a\n')).toEqual([])
    expect(reader.isOpen).toBe(true)
    expect(reader.take('\n')).toHaveLength(1)
    expect(reader.isOpen).toBe(false)
  })
  it('are the same however they are split', () => {
    const text = '\uFEFFid: 1\r\nevent: chunk\r\ndata: a\r\ndata: é👩‍👧\r\n\r\n: x\rdata: b\r\rdata: c\n\n'
    const whole = all(text)
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 30 }), (places) => {
        const cuts = [0, ...places.toSorted((a, b) => a - b), text.length]
        expect(all(...cuts.map((from, at) => text.slice(from, cuts[at + 1] ?? text.length)))).toEqual(whole)
      }),
    )
  })
  it('are parsed in linear time, however small the pieces are', () => {
    const reader = new SseReader()
    const began = performance.now()
    for (let at = 0; at < 200_000; at += 1) reader.take('xxxxxxxxxx')
    expect(performance.now() - began).toBeLessThan(3_000)
    expect(reader.waiting).toBe(2_000_000)
  })
})
