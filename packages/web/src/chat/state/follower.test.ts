import type { ChatEvent } from '@panoptes/schema'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { queryClient } from '../../api/client.ts'
import { RequestFailure } from '../../api/request.ts'
import { conversationApi } from '../api/conversation-api.ts'
import { chunk, done, metadata, RUN, wholeRun } from '../chat.test-kit.ts'
import { createFollower, type FollowerState } from './follower.ts'
import type { PendingMessage } from './rows.ts'

const pending: PendingMessage = { message: 'Why?', files: [], runtime: null, replaces: null, ts: 1 }
let shown: FollowerState[]
let asked: (string | undefined)[]

beforeEach(() => {
  shown = []
  asked = []
  // This simulates a screen that draws every frame at once.
  vi.stubGlobal('document', { hidden: false })
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => setTimeout(run, 0))
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  queryClient.clear()
})

const last = () => shown.at(-1)
/** Replaces the network stream, which has its own tests. */
function streams(...runs: readonly (readonly ChatEvent[] | Error)[]) {
  const left = [...runs]
  vi.spyOn(conversationApi, 'chatStream').mockImplementation(async function* (_id, _input, options) {
    asked.push(options.lastEventId)
    const run = left.shift() ?? []
    if (run instanceof Error) throw run
    yield* run
  })
}
const follower = () => createFollower('chat-1', (followed) => shown.push(followed))

it('shows the pending message at once, then the run, and is idle at its end', async () => {
  streams(wholeRun())
  const sent = follower().send({ message: 'Why?' }, pending)
  expect(last()).toMatchObject({ phase: 'running', pending, run: null })
  await sent
  expect(last()).toMatchObject({ phase: 'idle', pending: null, run: { text: 'First second.' } })
})

it('publishes all events of one frame together', async () => {
  const many = Array.from({ length: 500 }, (_, i) => chunk(i + 2, 'x'))
  streams([metadata(1), ...many, done(502)])
  await follower().send({ message: 'Why?' }, pending)
  expect(last()?.run?.text.length).toBe(500)
  expect(shown.length).toBeLessThan(20)
})

it('follows a run that another client started from its first event, and only once', async () => {
  streams(wholeRun())
  const one = follower()
  one.follow(RUN)
  one.follow(RUN)
  await vi.waitFor(() => expect(last()?.phase).toBe('idle'), 30_000)
  one.follow(RUN)
  expect(asked).toEqual([`${RUN}:0`])
  expect(last()?.run?.end?.kind).toBe('completed')
})

it('throws a refused message and shows no trace of it', async () => {
  streams(new RequestFailure(409, 'Another message is being answered.', null))
  await expect(follower().send({ message: 'Why?' }, pending)).rejects.toThrow('Another message')
  expect(last()).toMatchObject({ phase: 'idle', pending: null, run: null })
})

it('publishes nothing after it is stopped', async () => {
  streams(wholeRun())
  const one = follower()
  const sent = one.send({ message: 'Why?' }, pending)
  const before = shown.length
  one.stop()
  await sent
  expect(shown.length).toBe(before)
})

it('becomes idle without a run when the stream ends before its terminal event', async () => {
  streams(wholeRun().slice(0, 3), wholeRun().slice(0, 3))
  await follower().send({ message: 'Why?' }, pending)
  expect(last()).toEqual({ run: null, pending: null, phase: 'idle', isLost: false })
  follower().follow(RUN)
  await vi.waitFor(
    () => expect(last()).toEqual({ run: null, pending: null, phase: 'idle', isLost: false }),
    30_000,
  )
})
