import {
  type ChatEvent,
  type ChatInput,
  type Conversation,
  type ConversationHead,
  chatEventSchemas,
  type RuntimeHealth,
  type SseFrame,
} from '@panoptes/schema'
import type { Client } from '../../daemon/client.ts'
import { framesOf } from './sse.ts'

/** Conversations as the daemon has them. */
export interface Talk {
  readonly create: () => Promise<ConversationHead>
  readonly remove: (id: string) => Promise<unknown>
  readonly get: (id: string) => Promise<Conversation>
  readonly newest: (limit: number) => Promise<readonly ConversationHead[]>
  /** The events of the answer; the connection may break, the run goes on. */
  readonly say: (id: string, input: ChatInput) => Promise<AsyncIterable<ChatEvent>>
  /** What follows an event, or the newest answer from its beginning. */
  readonly follow: (id: string, lastEventId: string | null) => Promise<AsyncIterable<ChatEvent>>
  readonly cancel: (id: string) => Promise<unknown>
  readonly approve: (id: string, request: string, choice: string) => Promise<unknown>
  readonly runtimes: () => Promise<readonly RuntimeHealth[]>
}

export function talkOf(client: Client): Talk {
  const at = (id: string, word = ''): string => `/api/conversations/${encodeURIComponent(id)}${word}`
  const send = (body: object): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return {
    create: () => client.json('/api/conversations', send({})),
    remove: (id) => client.request(at(id), { method: 'DELETE' }),
    get: (id) => client.json(at(id)),
    newest: async (limit) =>
      (
        await client.json<{ readonly conversations: readonly ConversationHead[] }>(
          `/api/conversations?limit=${limit}`,
        )
      ).conversations,
    say: async (id, input) => eventsOf(await client.request(at(id, '/chat'), send(input))),
    follow: async (id, last) =>
      eventsOf(
        await client.request(at(id, '/stream'), last === null ? {} : { headers: { 'last-event-id': last } }),
      ),
    cancel: (id) => client.json(at(id, '/cancel'), { method: 'POST' }),
    approve: (id, request, choice) =>
      client.json(at(id, `/approvals/${encodeURIComponent(request)}`), send({ choice })),
    runtimes: async () =>
      (await client.json<{ readonly runtimes: readonly RuntimeHealth[] }>('/api/runtimes')).runtimes,
  }
}

async function* eventsOf(reply: Response): AsyncGenerator<ChatEvent, undefined> {
  for await (const frame of framesOf(reply.body ?? [])) {
    const event = eventIn(frame)
    if (event) yield event
  }
}

function eventIn({ event, data }: SseFrame): ChatEvent | undefined {
  const schema = chatEventSchemas[event as keyof typeof chatEventSchemas]
  if (schema === undefined) return undefined
  return { event, data: schema.parse(JSON.parse(data)) } as ChatEvent
}
