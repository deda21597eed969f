import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChatEvent } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RequestFailure } from '../../api/request.ts'
import { frameOf, RUN, wholeRun } from '../chat.test-kit.ts'
import { conversationApi } from './conversation-api.ts'

let server: Server
/** How the server handles each request in turn; the last handler stays. */
let plays: ((request: IncomingMessage, response: ServerResponse) => void)[]
/** The events that the current reader has received. */
let got: ChatEvent[]
let asked: { readonly method: string; readonly path: string; readonly last: string | undefined }[]

beforeEach(async () => {
  asked = []
  server = createServer((request, response) => {
    const last = request.headers['last-event-id']
    asked.push({ method: request.method ?? '', path: request.url ?? '', last: last?.toString() })
    const play = plays.length > 1 ? plays.shift() : plays[0]
    request.resume().on('end', () => play?.(request, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const real = globalThis.fetch
  vi.stubGlobal('fetch', (path: string, init?: RequestInit) => real(`${base}${path}`, init))
})
afterEach(async () => {
  vi.unstubAllGlobals()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const events = wholeRun()
const begin = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })
/** Sends a range of the run and then ends it, cuts the connection, or cuts it in the middle of a frame. */
const tells =
  (from: number, to: number, how: 'end' | 'cut' | 'half' = 'end') =>
  (_request: IncomingMessage, response: ServerResponse) => {
    begin(response)
    const text = events.slice(from, to).map(frameOf).join('')
    if (how === 'end') return response.end(text)
    response.write(how === 'half' ? `${text}id: ${RUN}:${to + 1}\nevent: chunk\ndata: {"v"` : text)
    const cut = () => (got.length < to ? setTimeout(cut, 5) : response.destroy())
    setTimeout(cut, 5)
  }
const follow = async (
  input: { message: string } | null,
  more: object = {},
): Promise<readonly ChatEvent[]> => {
  got = []
  const signal = AbortSignal.timeout(30_000)
  const stream = conversationApi.chatStream('chat-1', input, { signal, wait: async () => {}, ...more })
  for await (const one of stream) got.push(one)
  return got
}
const refusal = (status: number) => (_request: IncomingMessage, response: ServerResponse) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end('{"detail":"No."}')

describe('chatStream', () => {
  it('begins a run with a message and ends with its terminal event', async () => {
    plays = [tells(0, events.length)]
    expect(await follow({ message: 'Why?' })).toEqual(events)
    expect(asked).toEqual([{ method: 'POST', path: '/api/conversations/chat-1/chat', last: undefined }])
  })

  it('resumes after every kind of cut and yields each event once and in order', async () => {
    for (const how of ['end', 'cut', 'half'] as const)
      for (let at = 1; at < events.length; at += 1) {
        asked = []
        plays = [tells(0, at, how), tells(at, events.length)]
        expect(await follow({ message: 'Why?' })).toEqual(events)
        expect(asked[1]).toEqual({
          method: 'GET',
          path: '/api/conversations/chat-1/stream',
          last: `${RUN}:${at}`,
        })
      }
  })

  it('posts a message only once when its answer is cut', async () => {
    plays = [tells(0, 2, 'cut'), tells(2, 4, 'cut'), tells(4, events.length)]
    await follow({ message: 'Why?' })
    expect(asked.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET'])
  })

  it('skips events it has seen and requests missing ones again', async () => {
    plays = [tells(0, 3), tells(0, 5), tells(6, 8), tells(5, events.length)]
    expect(await follow({ message: 'Why?' })).toEqual(events)
    expect(asked.map(({ last }) => last)).toEqual([undefined, `${RUN}:3`, `${RUN}:5`, `${RUN}:5`])
  })

  it('retries while the server is unavailable and reports the link state', async () => {
    const links: string[] = []
    plays = [tells(0, 3, 'cut'), refusal(503), refusal(502), tells(3, events.length)]
    expect(await follow({ message: 'Why?' }, { onLink: (link: string) => links.push(link) })).toEqual(events)
    expect(links).toEqual(['open', 'lost', 'lost', 'lost', 'open'])
  })

  it('reconnects when a connection sends nothing, not even a heartbeat', async () => {
    const silent = (_request: IncomingMessage, response: ServerResponse) => {
      begin(response).write(frameOf(events[0] as ChatEvent))
    }
    plays = [silent, tells(1, events.length)]
    expect(await follow({ message: 'Why?' }, { silenceMs: 1_000 })).toEqual(events)
  })

  it('throws when the server refuses a request and does not retry it', async () => {
    for (const status of [400, 404, 409, 500]) {
      plays = [refusal(status)]
      asked = []
      await expect(follow({ message: 'Why?' })).rejects.toBeInstanceOf(RequestFailure)
      expect(asked.length).toBe(1)
    }
    plays = [refusal(404)]
    await expect(follow(null)).rejects.toBeInstanceOf(RequestFailure)
  })

  it('follows a run of another device and stops when the run is already over', async () => {
    plays = [tells(0, events.length)]
    expect(await follow(null, { lastEventId: `${RUN}:0` })).toEqual(events)
    plays = [tells(0, 0)]
    expect(await follow(null, { stillRuns: async () => false })).toEqual([])
  })

  it('stops immediately when its signal aborts', async () => {
    const stop = new AbortController()
    plays = [(_request, response) => void begin(response).write(frameOf(events[0] as ChatEvent))]
    got = []
    for await (const one of conversationApi.chatStream('chat-1', null, { signal: stop.signal })) {
      got.push(one)
      stop.abort()
    }
    expect(got.length).toBe(1)
  })
})
