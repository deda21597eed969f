import { type ChatEvent, type Conversation, checkStream } from '@panoptes/schema'
import { SseReader } from '@panoptes/schema/sse'
import { expect } from 'vitest'
import type { Daemon } from './daemon.ts'

/** A run that was read to its end. */
export interface HeardRun {
  readonly events: readonly ChatEvent[]
  readonly text: string
  readonly last: ChatEvent | undefined
}

/** A conversation with a running daemon, over HTTP. */
export interface HeardConversation {
  readonly id: string
  /** Sends a message and reads the whole stream, which must follow the contract. An observer gets each event. */
  readonly say: (
    message: string,
    runtime: string,
    onEvent?: (event: ChatEvent) => unknown,
  ) => Promise<HeardRun>
  readonly cancel: () => Promise<void>
  readonly choose: (request: string, choice: string) => Promise<void>
  readonly kept: () => Promise<Conversation>
  /** The state that each runtime resumes from. */
  readonly states: () => Promise<Conversation['agent_state']['runtimes']>
}

/** Creates a conversation, or opens an existing one. */
export async function converse(daemon: Daemon, existing?: string): Promise<HeardConversation> {
  const post = (path: string, body: object = {}) =>
    daemon.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const id = existing ?? ((await (await post('/api/conversations')).json()) as { id: string }).id
  const own = `/api/conversations/${id}`
  // On a hub, agents that keep transcripts of their own answer only in shared conversations.
  if (process.env.PANOPTES_TEST_ENGINE === 'postgres' && existing === undefined)
    await daemon.request(own, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ shared: true }),
    })
  const kept = async () => (await (await daemon.request(own)).json()) as Conversation
  return {
    id,
    say: async (message, runtime, onEvent = () => {}) => {
      const reply = await post(`${own}/chat`, { message, runtime })
      expect(reply.status, await statusWords(reply)).toBe(200)
      const events: ChatEvent[] = []
      const reader = new SseReader()
      let whole = ''
      for await (const piece of (reply.body as ReadableStream<Uint8Array>).pipeThrough(
        new TextDecoderStream(),
      )) {
        whole += piece
        for (const { event, data } of reader.take(piece)) {
          const heard = { event, data: JSON.parse(data) } as ChatEvent
          events.push(heard)
          void onEvent(heard)
        }
      }
      expect(checkStream(whole).problems).toEqual([])
      const text = events.map((event) => (event.event === 'chunk' ? event.data.delta : '')).join('')
      return { events, text, last: events.at(-1) }
    },
    cancel: async () => {
      expect((await post(`${own}/cancel`)).status).toBeLessThan(300)
    },
    choose: async (request, choice) => {
      expect((await post(`${own}/approvals/${request}`, { choice })).status).toBeLessThan(300)
    },
    kept,
    states: async () => (await kept()).agent_state.runtimes,
  }
}

const statusWords = async (reply: Response): Promise<string> =>
  reply.status === 200 ? '' : await reply.clone().text()
