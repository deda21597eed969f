import { appendFileSync } from 'node:fs'
import { failure, success } from '@panoptes/schema/result'
import { describe, expect, it, vi } from 'vitest'
import { linesOf, promptRow } from '../claude-code/claude-code.test-kit.ts'
import { NAME, useCopies } from './copy.test-kit.ts'
import type { TranscriptReceiver } from './port.ts'
import { receiverOf } from './receiver.ts'

const lab = useCopies()
const { fileOf, put, begin, ids, texts } = lab

describe('uploader that follows changes', () => {
  it('uploads changes automatically until it is closed', async () => {
    put('one', 'a')
    const { follow, close } = begin()
    follow()
    await vi.waitFor(async () => expect(await ids()).toEqual(['one']), 30_000)
    put('two', 'b')
    await vi.waitFor(async () => expect(await ids()).toEqual(['one', 'two']), 30_000)
    await close()
    lab.copy = undefined
    put('three', 'c')
    // It would upload a change after a second.
    await new Promise((wait) => setTimeout(wait, 1_500))
    expect(await ids()).toEqual(['one', 'two'])
  })

  it('queries what the hub has once, and again after a rejected upload', async () => {
    put('one', 'a')
    put('stays', 's')
    const inner = receiverOf(lab.transcripts, 'mast')
    const known = vi.fn(inner.known)
    const ofThis = () => known.mock.calls.filter(([source]) => source === NAME).length
    let isWrong = false
    let refused = 0
    const { follow } = begin({
      known,
      send: async (lines, signal) => {
        if (!isWrong) return inner.send(lines, signal)
        refused += 1
        return failure('invalid', 'Not this.')
      },
    })
    follow()
    await vi.waitFor(async () => expect(await ids()).toEqual(['one', 'stays']), 30_000)
    put('two', 'b')
    await vi.waitFor(async () => expect(await ids()).toEqual(['one', 'stays', 'two']), 30_000)
    expect(ofThis()).toBe(1)
    isWrong = true
    put('two', 'c')
    await vi.waitFor(() => expect(refused).toBeGreaterThan(0), 30_000)
    isWrong = false
    put('two', 'd')
    await vi.waitFor(async () => expect(await texts('two')).toEqual(['d']), 30_000)
    await vi.waitFor(() => expect(ofThis()).toBe(2), 30_000)
  })

  it('continues when the hub is reachable again, and reports the problem until then', async () => {
    put('one', 'a')
    const inner = receiverOf(lab.transcripts, 'mast')
    let isAway = true
    const away = failure('busy', 'The hub is away.')
    const { follow, status } = begin({
      known: (...asked) => (isAway ? Promise.resolve(away) : inner.known(...asked)),
      send: inner.send,
    })
    follow()
    await vi.waitFor(() => expect(status().problem).toBe('The hub is away.'), 30_000)
    isAway = false
    await vi.waitFor(async () => expect(await ids()).toEqual(['one']), 30_000)
    await vi.waitFor(() => expect(status().problem).toBeNull(), 30_000)
  })

  it('closes without waiting for a hub that never answers', async () => {
    put('one', 'a')
    const never = (signal: AbortSignal) =>
      new Promise<ReturnType<typeof failure>>((resolve) =>
        signal.addEventListener('abort', () => resolve(failure('stopped', 'Stopped.'))),
      )
    const send = vi.fn<TranscriptReceiver['send']>((_lines, signal) => never(signal))
    const { follow, close } = begin({
      known: () => Promise.resolve(success(new Map())),
      send,
    })
    follow()
    await vi.waitFor(() => expect(send).toHaveBeenCalled(), 30_000)
    const began = performance.now()
    await close()
    lab.copy = undefined
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  it('uploads a constantly changing session less often', async () => {
    put('live', 'a')
    const inner = receiverOf(lab.transcripts, 'mast')
    const told = vi.fn()
    const { follow } = begin({
      known: inner.known,
      send: async (lines, signal) => {
        told()
        await new Promise((wait) => setTimeout(wait, 400))
        return inner.send(lines, signal)
      },
    })
    follow()
    for (let n = 0; n < 12; n += 1) {
      appendFileSync(fileOf('live'), linesOf([promptRow(`more ${n}`)]))
      // The session changes at this pace, whatever the uploader does.
      await new Promise((wait) => setTimeout(wait, 500))
    }
    expect(told.mock.calls.length).toBeLessThan(4)
    await vi.waitFor(async () => expect(await texts('live')).toHaveLength(13), 30_000)
  })
})
