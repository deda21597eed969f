import { type SseFrame, SseReader } from '@panoptes/schema'
import type { Chats } from './chat-processes.ts'

export interface Asked {
  readonly message: string
  readonly model?: string
  readonly runtime?: string
}

const headersOf = ({ token }: Chats) => ({
  'content-type': 'application/json',
  authorization: `Bearer ${token}`,
})

export async function call<T>(chats: Chats, path: string, method = 'GET', body?: object): Promise<T> {
  const reply = await fetch(`${chats.daemon.address}/api/conversations${path}`, {
    method,
    headers: headersOf(chats),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${await reply.text()}`)
  return (await reply.json()) as T
}

export const begin = async (chats: Chats): Promise<string> =>
  (await call<{ id: string }>(chats, '', 'POST', {})).id

/** Yields the frames of an answer as they arrive. If the reader stops, the answer continues. */
export async function* say(chats: Chats, id: string, asked: Asked): AsyncGenerator<SseFrame, undefined> {
  yield* frames(chats, `/${id}/chat`, { method: 'POST', body: JSON.stringify(asked) })
}

/** Yields the frames after the last seen event. */
export async function* goOn(chats: Chats, id: string, last: string): AsyncGenerator<SseFrame, undefined> {
  yield* frames(chats, `/${id}/stream`, { headers: { 'last-event-id': last } })
}

async function* frames(chats: Chats, path: string, init: RequestInit): AsyncGenerator<SseFrame, undefined> {
  const left = new AbortController()
  const reply = await fetch(`${chats.daemon.address}/api/conversations${path}`, {
    ...init,
    headers: { ...headersOf(chats), ...init.headers },
    signal: left.signal,
  })
  if (!reply.ok || reply.body === null)
    throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`)
  const reader = new SseReader()
  const decoder = new TextDecoder()
  try {
    for await (const part of reply.body) yield* reader.take(decoder.decode(part, { stream: true }))
  } finally {
    left.abort()
  }
}

export const deltaOf = ({ event, data }: SseFrame): string =>
  event === 'chunk' ? (JSON.parse(data) as { delta: string }).delta : ''
