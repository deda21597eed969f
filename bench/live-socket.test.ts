import { describe, expect, it } from 'vitest'
import { textFrame, walkFrames } from './live-socket.ts'

const texts = ['', 'a', 'b'.repeat(125), 'c'.repeat(126), 'd'.repeat(65_535), 'e'.repeat(65_536), 'end']
const bytes = Buffer.concat(texts.map((text) => textFrame(Buffer.from(text))))

describe('WebSocket frames', () => {
  it.each([1, 7, 4_096, 70_000, bytes.length])(
    'are parsed the same when they arrive in parts of %i bytes',
    (size) => {
      const heard: string[] = []
      const walk = walkFrames((kind, payload) => heard.push(`${kind}${payload}`))
      for (let at = 0; at < bytes.length; at += size) walk(bytes.subarray(at, at + size))
      expect(heard).toEqual(texts.map((text) => `1${text}`))
    },
  )
})
