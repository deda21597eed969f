import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Chat, RunStream } from '@panoptes/engine/chat'
import { type Script, saying } from '@panoptes/engine/testing/chat'
import { type ChatEvent, success } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type ChatServer,
  dataOf,
  isChunk,
  pausing,
  readAll,
  reading,
  startChatServer,
} from './chat-server.test-kit.ts'
import { chatStream } from './responses.ts'

let served: ChatServer
/** How many events each counted reader got, by its index. */
const given: number[] = []
const let_go: boolean[] = []
beforeAll(async () => {
  served = await startChatServer(counting)
})
afterAll(() => served.stop())

/** The same conversations, with a count of the events that each reader got. */
const counting = (chat: Chat): Chat => ({
  ...chat,
  stream: async (id, last) => {
    const found = await chat.stream(id, last)
    return found.ok ? success(counted(found.value)) : found
  },
})

function counted({ run_id, events }: RunStream): RunStream {
  const place = given.push(0) - 1
  return {
    run_id,
    events: async function* (signal) {
      for await (const event of events(signal)) {
        given[place] = (given[place] ?? 0) + 1
        yield event
      }
      let_go[place] = signal.aborted
    },
  }
}

const post = (path: string, message = '?') => served.send('POST', `${path}/chat`, { message })
const follow = (path: string, last?: string) =>
  served.request(`${path}/stream`, last === undefined ? {} : { headers: { 'last-event-id': last } })

describe('an answer as a stream', () => {
  it('consists of events of the contract, each with an id to resume from', async () => {
    served.script(saying('one ', 'two\n', '\u0000\u2028three ', '四'))
    const path = await served.begin()
    const answer = await post(path)
    const run = answer.headers.get('x-panoptes-run-id')
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    })
    expect(answer.headers.get('content-encoding')).toBeNull()
    const { frames, check } = await readAll(answer)
    expect(frames.map(({ id }) => id)).toEqual(frames.map((_, at) => `${run}:${at + 1}`))
    expect(check.events).toEqual({ metadata: 1, progress: 2, chunk: 4, error: 0, done: 1 })
    // The runtime of this test breaks the contract on purpose, and the checker must report only that.
    expect(check.problems.map(({ rule }) => rule)).toEqual(['terminal_bytes'])
  })

  it('names the runtime before the runtime answers', async () => {
    const { script, go } = pausing('late', '')
    served.script(script)
    const path = await served.begin()
    const read = reading(await post(path))
    const first = await read.until(() => true)
    expect(first.event).toBe('metadata')
    expect(dataOf(first)).toMatchObject({
      seq: 1,
      runtime: 'jarvis',
      conversation_id: path.split('/').at(-1),
    })
    go()
    await read.rest()
  })

  it('ends with an error event of the contract', async () => {
    served.script(async function* () {
      yield { type: 'chunk', delta: 'half' }
      yield { type: 'failed', code: 'rate_limited', message: 'slow down', retryable: true }
    })
    const path = await served.begin()
    const { frames, check } = await readAll(await post(path))
    expect(check).toMatchObject({ problems: [], end: 'error' })
    const answer = (await served.read(path)).messages[1]
    expect(dataOf(frames.at(-1) ?? { id: null, event: '', data: '' })).toMatchObject({
      code: 'rate_limited',
      stage: 'answer',
      partial_message_id: answer?.id,
    })
    expect(answer).toMatchObject({ status: 'partial', content: 'half', error: { code: 'rate_limited' } })
  })

  it('has keep-alive comments while nothing is sent', async () => {
    const go = Promise.withResolvers<void>()
    const event = { event: 'done', data: { run_id: 'r', seq: 1 } } as ChatEvent
    const answer = chatStream(
      {
        run_id: 'r',
        events: async function* () {
          await go.promise
          yield event
        },
      },
      5,
    )
    let text = ''
    for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part
      if (text.split(': heartbeat\n\n').length > 3) go.resolve()
    }
    expect(text.replaceAll(': heartbeat\n\n', '')).toBe(
      'id: r:1\nevent: done\ndata: {"run_id":"r","seq":1}\n\n',
    )
  })
})

describe('a resumed answer', () => {
  it('continues after the last event that the client saw, during the answer and after it', async () => {
    const { script, go } = pausing('one ', 'two')
    served.script(script)
    const path = await served.begin()
    const first = reading(await post(path))
    const { id } = await first.until(isChunk)
    await first.leave()
    const rest = readAll(await follow(path, id ?? ''), id ?? '')
    const byQuery = served.request(`${path}/stream?last_event_id=${encodeURIComponent(id ?? '')}`)
    go()
    expect(await rest).toMatchObject({ said: 'two', check: { problems: [], end: 'done' } })
    expect((await readAll(await byQuery, id ?? '')).said).toBe('two')
    const later = await readAll(await follow(path, id ?? ''), id ?? '')
    expect(later).toMatchObject({ said: 'two', check: { problems: [], end: 'done' } })
    const whole = await readAll(await follow(path))
    expect(whole).toMatchObject({ said: 'one two', check: { problems: [] } })
    for (const { id: seen } of whole.frames) {
      const after = await readAll(await follow(path, seen ?? ''), seen ?? '')
      expect(after.check.problems).toEqual([])
      expect(after.frames).toEqual(whole.frames.slice(Number(seen?.split(':').at(-1))))
    }
  })

  it('belongs to the run that the id names, even if another run followed', async () => {
    const path = await served.begin()
    served.script(saying('first'))
    const { frames } = await served.say(path, '1')
    served.script(saying('second'))
    await served.say(path, '2')
    const id = frames[0]?.id ?? ''
    expect((await readAll(await follow(path, id), id)).said).toBe('first')
    expect((await readAll(await follow(path))).said).toBe('second')
  })

  it('ends at once after its end, sends only the end to a client that is ahead, and starts over for an invalid id', async () => {
    served.script(saying('all'))
    const path = await served.begin()
    const { frames } = await served.say(path, '?')
    const last = frames.at(-1)?.id ?? ''
    const past = last.replace(/\d+$/, (seq) => `${Number(seq) + 50}`)
    expect(await (await follow(path, last)).text()).toBe('')
    const end = await readAll(await follow(path, past))
    expect(end.frames.map(({ id }) => id)).toEqual([last])
    for (const id of ['nonsense', ':', 'run', '7', `${last}x`])
      expect((await readAll(await follow(path, id))).said, id).toBe('all')
  })

  it('is not found for an id of another conversation or of no run', async () => {
    served.script(saying('mine'))
    const path = await served.begin()
    const { frames } = await served.say(path, '?')
    const other = await served.begin()
    await served.say(other, '?')
    for (const id of [frames[0]?.id ?? '', 'run-none:3']) {
      const answer = await follow(other, id)
      expect([answer.status, await answer.json()]).toMatchObject([404, { code: 'not_found' }])
    }
    expect((await served.request(`${path}/stream?last_event_id=${'x'.repeat(501)}`)).status).toBe(400)
  })

  it('is the same for all simultaneous readers, whenever they connect', async () => {
    const { script, go } = pausing('one ', 'two')
    served.script(script)
    const path = await served.begin()
    const first = await post(path)
    const others = await Promise.all([follow(path), follow(path)])
    const early = Promise.all([first, ...others].map((answer) => answer.text()))
    await wait(20)
    const late = follow(path)
    go()
    const texts = [...(await early), await (await late).text()]
    expect(new Set(texts).size).toBe(1)
    expect(texts[0]).toContain('event: done')
  })
})

describe('a run without a reader', () => {
  it('continues to its end and releases the reader', async () => {
    const { script, go } = pausing('one ', 'two')
    served.script(script)
    const path = await served.begin()
    const first = reading(await post(path))
    await first.until(isChunk)
    await first.leave()
    const place = given.length
    const second = reading(await follow(path))
    await second.until(isChunk)
    await second.leave()
    await expect.poll(() => let_go[place]).toBe(true)
    expect((await served.read(path)).run_id).not.toBeNull()
    go()
    await expect.poll(async () => (await served.read(path)).run_id).toBeNull()
    expect((await served.read(path)).messages[1]).toMatchObject({ content: 'one two', status: 'complete' })
  })
})

const LARGE = 65_536
const PIECES = 400

/** Opens a stream and reads nothing from it. */
async function paused(path: string): Promise<Socket> {
  const { port } = new URL(served.address)
  const socket = connect(Number(port), '127.0.0.1')
  socket.pause()
  await once(socket, 'connect')
  const token = await served.token('full')
  socket.write(
    `GET ${path}/stream HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`,
  )
  return socket
}

describe('a slow reader', () => {
  it('gets data no faster than it reads, and slows down neither the run nor other readers', async () => {
    const go = Promise.withResolvers<void>()
    const much: Script = async function* () {
      await go.promise
      for (let n = 0; n < PIECES; n += 1)
        yield {
          type: 'progress',
          node_id: `n${n}`,
          kind: 'tool',
          status: 'completed',
          label: 'much',
          detail: 'x'.repeat(LARGE),
        }
      yield { type: 'chunk', delta: 'all' }
      yield { type: 'end', outcome: 'completed' }
    }
    served.script(much)
    const path = await served.begin()
    const reader = readAll(await post(path))
    const place = given.length
    const socket = await paused(path)
    await expect.poll(() => given[place] ?? 0).toBeGreaterThan(0)
    go.resolve()
    const { check, said } = await reader
    expect([check.problems, said]).toEqual([[], 'all'])
    expect((await served.read(path)).run_id).toBeNull()
    for (let before = -1; before !== given[place]; await wait(50)) before = given[place] ?? 0
    expect(given[place]).toBeLessThan(PIECES / 2)
    let bytes = 0
    socket.on('data', (part) => {
      bytes += part.length
    })
    socket.resume()
    await expect.poll(() => bytes).toBeGreaterThan(PIECES * LARGE)
    await expect.poll(() => given[place]).toBe(PIECES + 5)
    socket.destroy()
  })
})

describe('a stopped run', () => {
  it('ends with `done` for all readers, keeps its partial answer, and the next run works', async () => {
    served.script(pausing('half', '').script)
    const path = await served.begin()
    const streams = [reading(await post(path)), reading(await follow(path))]
    await Promise.all(streams.map((stream) => stream.until(isChunk)))
    const stopped = await served.send('POST', `${path}/cancel`)
    expect([stopped.status, await stopped.json()]).toEqual([200, { cancelled: true }])
    for (const stream of streams) {
      const last = (await stream.rest()).at(-1)
      expect(last?.event).toBe('done')
      expect(JSON.parse(last?.data ?? '')).toMatchObject({ outcome: 'cancelled' })
    }
    expect((await readAll(await follow(path))).check.problems).toEqual([])
    expect((await served.read(path)).messages[1]).toMatchObject({ status: 'cancelled', content: 'half' })
    expect((await served.send('POST', `${path}/cancel`)).status).toBe(404)
    served.script(saying('next'))
    expect((await served.say(path, '?')).said).toBe('next')
  })

  it('is also stopped by deleting its conversation', async () => {
    served.script(pausing('half', '').script)
    const path = await served.begin()
    const stream = reading(await post(path))
    await stream.until(isChunk)
    expect((await served.send('DELETE', path)).status).toBe(200)
    expect((await stream.rest()).at(-1)?.event).toBe('done')
    expect((await served.request(path)).status).toBe(404)
  })
})

describe("a runtime's question to the person", () => {
  it('is answered once, with one of its choices', async () => {
    const chosen: (string | null)[] = []
    served.script(async function* (_request, { ask }) {
      chosen.push(await ask({ label: 'Run it?', choices: ['once', 'deny'] }))
      yield { type: 'chunk', delta: 'ran' }
      yield { type: 'end', outcome: 'completed' }
    })
    const path = await served.begin()
    const stream = reading(await post(path))
    const asked = dataOf(await stream.until(({ data }) => data.includes('"approval"')))
    expect(asked).toMatchObject({ kind: 'approval', status: 'started', choices: ['once', 'deny'] })
    const answer = (choice: string, request = String(asked.request_id)) =>
      served.send('POST', `${path}/approvals/${request}`, { choice })
    const wrong = await answer('always')
    expect([wrong.status, await wrong.json()]).toMatchObject([
      400,
      { code: 'invalid', detail: expect.stringContaining('once, deny') },
    ])
    expect((await answer('once', 'other')).status).toBe(404)
    // Either event may come first.
    const both = await Promise.all([answer('once'), answer('deny')])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 404])
    const choice = both[0]?.status === 200 ? 'once' : 'deny'
    expect(await both.find(({ status }) => status === 200)?.json()).toEqual({ choice })
    await stream.rest()
    expect((await answer('once')).status).toBe(404)
    expect(chosen).toEqual([choice])
  })
})
