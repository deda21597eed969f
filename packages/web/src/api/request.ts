import type { Problem, ProblemDetails } from '@panoptes/schema'
import { createStore } from '../store.ts'
import { words } from '../words.ts'
import { isElsewhere, spaceHeaders } from './space.ts'

/** The server refused, or did not answer (`status` 0). `next` says what to do, `problems` where the input is wrong. */
export class RequestFailure extends Error {
  readonly status: number
  readonly next: string | null
  readonly problems: readonly Problem[]
  /** The database of the hub does not answer: one banner says so for the whole page. */
  readonly isAway: boolean

  constructor(
    status: number,
    message: string,
    next: string | null,
    problems: readonly Problem[] = [],
    isAway = false,
  ) {
    super(message)
    this.name = 'RequestFailure'
    this.status = status
    this.next = next
    this.problems = problems
    this.isAway = isAway
  }
}

/** Whether the server no longer knows this browser. */
export const signedOut = createStore(false)

/** Since when the database of the hub does not answer; null while it does. */
export const awaySince = createStore<number | null>(null)

/** The same of the bus in front of it, by which alone such a hub takes events. */
export const busAwaySince = createStore<number | null>(null)

/** Who asks, and in which space, is asked whatever the page shows. */
export const WHO = '/api/me'

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, ...(path === WHO ? {} : spaceHeaders()) }
  const answer = await fetch(path, { credentials: 'same-origin', ...init, headers }).catch(
    (error: unknown) => {
      if (init.signal?.aborted) throw error
      throw new RequestFailure(0, words.errors.unreachable, words.errors.unreachableNext)
    },
  )
  // Some of what is asked needs no database: that it is back is told by the hub itself.
  if (answer.ok) return answer
  if (answer.status === 401 && !(path !== WHO && (await isElsewhere()))) signedOut.set(true)
  const failure = await failureOf(answer)
  if (failure.isAway) awaySince.update((since) => since ?? Date.now())
  throw failure
}

/** Whether it is said by the banner already. */
export const isOfBanner = (error: Error | null): boolean =>
  error instanceof RequestFailure && (error.isAway || (error.status === 503 && awaySince.get() !== null))

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const answer = await request(path, { headers: { accept: 'application/json' }, signal: signal ?? null })
  return (await answer.json()) as T
}

export async function postJson<T>(path: string, body?: unknown): Promise<T> {
  return (await (await post(path, body)).json()) as T
}

export async function putJson<T>(path: string, body: unknown): Promise<T> {
  return (await (await send('PUT', path, body)).json()) as T
}

/** `leaving`: it is sent even though the page goes away. */
export const deleteAt = (path: string, leaving = false): Promise<Response> =>
  request(path, { method: 'DELETE', keepalive: leaving })

/** A stream of events, from after one of them on. */
export const getEvents = (path: string, lastEventId: string | null, signal: AbortSignal): Promise<Response> =>
  request(path, {
    headers: {
      accept: 'text/event-stream',
      ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }),
    },
    signal,
  })

export const post = (path: string, body: unknown = {}, signal?: AbortSignal): Promise<Response> =>
  send('POST', path, body, signal)

const send = (method: string, path: string, body: unknown, signal?: AbortSignal): Promise<Response> =>
  request(path, {
    method,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(body),
    signal: signal ?? null,
  })

async function failureOf(answer: Response): Promise<RequestFailure> {
  const problem = (await answer.json().catch(() => null)) as Partial<ProblemDetails> | null
  const message = problem?.detail ?? problem?.title ?? words.errors.unexpected(answer.status)
  const problems = Array.isArray(problem?.problems) ? (problem.problems as readonly Problem[]) : []
  const isAway = problem?.code === 'database_away'
  return new RequestFailure(answer.status, message, problem?.next ?? null, problems, isAway)
}
