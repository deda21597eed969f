import type { ChatEvent } from '@panoptes/schema'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { queryClient } from '../../api/client.ts'
import { RequestFailure } from '../../api/request.ts'
import { conversationApi } from '../api/conversation-api.ts'
import { chunk, done, metadata, RUN, wholeRun } from '../chat.test-kit.ts'
import { createFollower, type Followed } from './follower.ts'
import type { Pending } from './rows.ts'

const pending: Pending = { message: 'Why?', files: [], runtime: null, replaces: null, ts: 1 }
let shown: Followed[]
let asked: (string | undefined)[]

beforeEach(() => {
  shown = []
  asked = []
  // Frames of a screen that is drawn at once.
  vi.stubGlobal('document', { hidden: false })
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => setTimeout(run, 0))
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  queryClient.clear()
})

const last = () => shown.at(-1)
/** The stream that is told, in place of the one over the network, which has tests of its own. */
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

it('shows what was typed at once, then what comes, and is at rest when it is over', async () => {
  streams(wholeRun())
  const sent = follower().send({ message: 'Why?' }, pending)
  expect(last()).toMatchObject({ phase: 'running', pending, run: null })
  await sent
  expect(last()).toMatchObject({ phase: 'idle', pending: null, run: { text: 'First second.' } })
})

it('hands on all that came within a frame at once', async () => {
  const many = Array.from({ length: 500 }, (_, i) => chunk(i + 2, 'x'))
  streams([metadata(1), ...many, done(502)])
  await follower().send({ message: 'Why?' }, pending)
  expect(last()?.run?.text.length).toBe(500)
  expect(shown.length).toBeLessThan(20)
})

it('follows a run that somebody else began from its first event on, and only once', async () => {
  streams(wholeRun())
  const one = follower()
  one.follow(RUN)
  one.follow(RUN)
  await vi.waitFor(() => expect(last()?.phase).toBe('idle'), 30_000)
  one.follow(RUN)
  expect(asked).toEqual([`${RUN}:0`])
  expect(last()?.run?.end?.kind).toBe('completed')
})

it('throws what was refused, and shows nothing of it', async () => {
  streams(new RequestFailure(409, 'Another message is being answered.', null))
  await expect(follower().send({ message: 'Why?' }, pending)).rejects.toThrow('Another message')
  expect(last()).toMatchObject({ phase: 'idle', pending: null, run: null })
})

it('says nothing any more once it is stopped', async () => {
  streams(wholeRun())
  const one = follower()
  const sent = one.send({ message: 'Why?' }, pending)
  const before = shown.length
  one.stop()
  await sent
  expect(shown.length).toBe(before)
})

it('ends with a run of which no end was told, as where Panoptes was killed: what is stored counts then', async () => {
  streams(wholeRun().slice(0, 3), wholeRun().slice(0, 3))
  await follower().send({ message: 'Why?' }, pending)
  expect(last()).toEqual({ run: null, pending: null, phase: 'idle', isLost: false })
  follower().follow(RUN)
  await vi.waitFor(
    () => expect(last()).toEqual({ run: null, pending: null, phase: 'idle', isLost: false }),
    30_000,
  )
})
