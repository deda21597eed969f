import type { Chat, RuntimeEvent } from '@panoptes/engine/chat'
import { createForgetting } from '@panoptes/engine/sessions'
import { type ChatLab, chatLab, type Script, saying, scriptedRuntime } from '@panoptes/engine/testing/chat'
import {
  type Conversation,
  type ConversationHead,
  conversation,
  conversationHead,
  type SseFrame,
  SseReader,
  type StreamCheck,
  StreamChecker,
} from '@panoptes/schema'
import { startTestServer, type TestServer } from '../server.test-kit.ts'

export interface ChatServer extends TestServer {
  readonly lab: ChatLab
  readonly chat: Chat
  /** Sets what `jarvis` answers from now on; `acp:other` always answers "other". */
  readonly script: (script: Script) => void
  readonly send: (method: string, path: string, body?: unknown) => Promise<Response>
  /** Creates a conversation and returns its path. */
  readonly begin: (title?: string) => Promise<string>
  readonly head: (answer: Response) => Promise<ConversationHead>
  readonly read: (path: string) => Promise<Conversation>
  /** Sends a message and reads the answer to its end. */
  readonly say: (path: string, message: string, more?: object) => Promise<Read>
}

export async function startChatServer(wrap: (chat: Chat) => Chat = (chat) => chat): Promise<ChatServer> {
  const lab = await chatLab()
  let script: Script = saying('Hel', 'lo')
  const jarvis = scriptedRuntime('jarvis', (request, context) => script(request, context))
  const other = scriptedRuntime('acp:other', saying('other'))
  const chat = wrap(lab.open([jarvis.adapter, other.adapter]))
  const forget = createForgetting(lab.store, [])
  const kit = await startTestServer({ options: { chat, forget } })
  const send: ChatServer['send'] = (method, path, body) =>
    kit.request(path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  return {
    ...kit,
    lab,
    chat,
    send,
    script: (next) => {
      script = next
    },
    begin: async (title) => {
      const made = await send('POST', '/api/conversations', title === undefined ? {} : { title })
      return `/api/conversations/${conversationHead.parse(await made.json()).id}`
    },
    head: async (answer) => conversationHead.parse(await answer.json()),
    read: async (path) => conversation.parse(await (await kit.request(path)).json()),
    say: async (path, message, more = {}) =>
      readAll(await send('POST', `${path}/chat`, { message, ...more })),
    stop: async () => {
      await chat.close()
      await kit.stop()
      await lab.end()
    },
  }
}

export interface Read {
  readonly text: string
  readonly frames: readonly SseFrame[]
  readonly check: StreamCheck
  /** The text of the answer. */
  readonly said: string
}

export const dataOf = ({ data }: SseFrame): Record<string, unknown> =>
  JSON.parse(data) as Record<string, unknown>

/** Reads the stream to its end, and collects violations of the contract. */
export async function readAll(answer: Response, lastEventId?: string): Promise<Read> {
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${answer.status}: ${text}`)
  const checker = new StreamChecker({ lastEventId })
  const frames = new SseReader().take(text)
  for (const frame of frames) checker.take(frame)
  const said = frames.flatMap((frame) => (frame.event === 'chunk' ? [String(dataOf(frame).delta)] : []))
  return { text, frames, check: checker.result(), said: said.join('') }
}

export interface Reading {
  readonly frames: readonly SseFrame[]
  /** Resolves with the first frame that matches, including earlier ones. */
  readonly until: (fits: (frame: SseFrame) => boolean) => Promise<SseFrame>
  readonly rest: () => Promise<readonly SseFrame[]>
  readonly leave: () => Promise<void>
}

/** A stream that is read as it arrives. */
export function reading(answer: Response): Reading {
  const reader = answer.body?.getReader()
  if (reader === undefined) throw new Error('no body')
  const decoder = new TextDecoder()
  const sse = new SseReader()
  const frames: SseFrame[] = []
  const more = async (): Promise<boolean> => {
    const { done, value } = await reader.read()
    if (value) frames.push(...sse.take(decoder.decode(value, { stream: true })))
    return !done
  }
  return {
    frames,
    until: async (fits) => {
      for (;;) {
        const found = frames.find(fits)
        if (found) return found
        if (!(await more())) throw new Error(`ended after ${frames.length} events`)
      }
    },
    rest: async () => {
      while (await more());
      return frames
    },
    leave: () => reader.cancel(),
  }
}

/** Sends the first words at once, and the rest when it is released. */
export function pausing(first: string, second: string) {
  const go = Promise.withResolvers<void>()
  const script: Script = async function* (_request, { signal }): AsyncGenerator<RuntimeEvent> {
    yield { type: 'chunk', delta: first }
    const stopped = new Promise<void>((stop) =>
      signal.addEventListener('abort', () => stop(), { once: true }),
    )
    await Promise.race([go.promise, stopped])
    if (signal.aborted) return void (yield { type: 'end', outcome: 'cancelled' })
    yield { type: 'chunk', delta: second }
    yield { type: 'end', outcome: 'completed' }
  }
  return { script, go: () => go.resolve() }
}

export const isChunk = ({ event }: SseFrame): boolean => event === 'chunk'
