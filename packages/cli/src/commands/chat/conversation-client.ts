import {
  type ChatEvent,
  type ChatInput,
  type Conversation,
  type ConversationHead,
  chatEventSchemas,
  type RuntimeHealth,
  runtimeStateWords,
  type SseFrame,
  SseReader,
} from '@panoptes/schema'
import type { Client } from '../../daemon/client.ts'
import { CommandFailure } from '../../failure.ts'
import { jsonRequest } from '../../json-requests.ts'
import { plain } from '../sessions/format.ts'

/** Client for the conversations of the daemon. */
export interface ConversationClient {
  readonly create: () => Promise<ConversationHead>
  readonly remove: (id: string) => Promise<unknown>
  readonly get: (id: string) => Promise<Conversation>
  readonly newest: (limit: number) => Promise<readonly ConversationHead[]>
  /** The events of the answer. The run continues if the connection breaks. */
  readonly say: (id: string, input: ChatInput) => Promise<AsyncIterable<ChatEvent>>
  /** The events after the given one, or the newest answer from its start. */
  readonly follow: (id: string, lastEventId: string | null) => Promise<AsyncIterable<ChatEvent>>
  readonly cancel: (id: string) => Promise<unknown>
  readonly approve: (id: string, request: string, choice: string) => Promise<unknown>
  readonly runtimes: () => Promise<readonly RuntimeHealth[]>
}

export function createConversationClient(client: Client): ConversationClient {
  const conversationPath = (id: string, word = ''): string =>
    `/api/conversations/${encodeURIComponent(id)}${word}`
  return {
    create: () => client.json('/api/conversations', jsonRequest({})),
    remove: (id) => client.request(conversationPath(id), { method: 'DELETE' }),
    get: (id) => client.json(conversationPath(id)),
    newest: async (limit) =>
      (
        await client.json<{ readonly conversations: readonly ConversationHead[] }>(
          `/api/conversations?limit=${limit}`,
        )
      ).conversations,
    say: async (id, input) =>
      readEvents(await client.request(conversationPath(id, '/chat'), jsonRequest(input))),
    follow: async (id, last) =>
      readEvents(
        await client.request(
          conversationPath(id, '/stream'),
          last === null ? {} : { headers: { 'last-event-id': last } },
        ),
      ),
    cancel: (id) => client.json(conversationPath(id, '/cancel'), { method: 'POST' }),
    approve: (id, request, choice) =>
      client.json(conversationPath(id, `/approvals/${encodeURIComponent(request)}`), jsonRequest({ choice })),
    runtimes: async () =>
      (await client.json<{ readonly runtimes: readonly RuntimeHealth[] }>('/api/runtimes')).runtimes,
  }
}

async function* readEvents(reply: Response): AsyncGenerator<ChatEvent, undefined> {
  for await (const frame of readFrames(reply.body ?? [])) {
    const event = parseEvent(frame)
    if (event) yield event
  }
}

function parseEvent({ event, data }: SseFrame): ChatEvent | undefined {
  const schema = chatEventSchemas[event as keyof typeof chatEventSchemas]
  if (schema === undefined) return undefined
  return { event, data: schema.parse(JSON.parse(data)) } as ChatEvent
}

/** Yields the frames of a response body as they arrive. */
async function* readFrames(
  body: AsyncIterable<Uint8Array> | readonly Uint8Array[],
): AsyncGenerator<SseFrame, undefined> {
  const reader = new SseReader()
  const decoder = new TextDecoder()
  for await (const bytes of body) yield* reader.take(decoder.decode(bytes, { stream: true }))
  yield* reader.take(decoder.decode())
}

/** Sends a message to an existing or a new conversation. If the message is refused, the new conversation is deleted. */
export async function sendMessage(
  talk: ConversationClient,
  there: string | null,
  input: ChatInput,
): Promise<{ readonly id: string; readonly events: AsyncIterable<ChatEvent> }> {
  const id = there ?? (await talk.create()).id
  try {
    return { id, events: await startAnswer(talk, id, input) }
  } catch (error) {
    if (there === null) await talk.remove(id).catch(() => undefined)
    throw error
  }
}

/** Sends a message. If it is refused, the error lists the runtimes or says how to follow the running answer. */
async function startAnswer(
  talk: ConversationClient,
  id: string,
  input: ChatInput,
): Promise<AsyncIterable<ChatEvent>> {
  try {
    return await talk.say(id, input)
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    if (error.code === 'busy')
      throw new CommandFailure('This conversation is already answering a message', {
        code: 'busy',
        next: `Follow it with: panoptes chat --resume ${id}`,
      })
    if (error.code !== 'invalid') throw error
    const runtimes = await talk.runtimes().catch(() => [])
    if (input.runtime !== undefined && !runtimes.some(({ id }) => id === input.runtime))
      throw new CommandFailure(`Unknown runtime: ${input.runtime.replace(/^acp:/, '')}`, {
        code: 'not_found',
        next: `Available: ${runtimes.map(nameAndState).join(', ')}\nTo add an agent that speaks ACP, set runtimes.acp in config.yaml (see docs/chat.md)`,
      })
    if (runtimes.some(({ state }) => state === 'ready' || state === 'untried')) throw error
    throw new CommandFailure('No runtime can answer', {
      code: 'not_configured',
      next: runtimes.map(({ id, detail }) => `${id}: ${plain(detail, 300)}`).join('\n'),
    })
  }
}

const nameAndState = ({ id, state }: RuntimeHealth): string =>
  state === 'ready' ? id : `${id} (${runtimeStateWords[state]})`
