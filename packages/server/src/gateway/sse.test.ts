import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { sseAnswer } from './sse.ts'

const piece = 'x'.repeat(65_536)

describe('an answer piece by piece', () => {
  it('holds back who writes while nobody reads, and lets go when it is read or left', async () => {
    const stop = new AbortController()
    let written = 0
    let isThrough = false
    const answer = sseAnswer({ headers: {}, stop }, async (write) => {
      for (; written < 200; written += 1) await write(piece)
      isThrough = true
    })
    await setTimeout(100)
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

  it('breaks off where writing does, and tells whoever is still at work', async () => {
    const stop = new AbortController()
    const answer = sseAnswer({ headers: {}, stop }, async (write) => {
      write('data: 1\n\n')
      throw new Error('odd')
    })
    await expect(answer.text()).rejects.toThrow('broke off')
    expect(stop.signal.aborted).toBe(true)
  })
})
