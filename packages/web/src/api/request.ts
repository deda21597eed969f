import type { Problem, ProblemDetails, WorkLine } from '@panoptes/schema'
import { createStore } from '../store.ts'
import { words } from '../words.ts'
import { hasSpaceChanged, spaceHeaders } from './space.ts'

/** The server refused the request or did not answer (`status` 0). `next` says what to do; `problems` names the wrong inputs. */
export class RequestFailure extends Error {
  readonly status: number
  readonly next: string | null
  readonly problems: readonly Problem[]
  /** The hub's database is down. One banner says so for the whole page. */
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

/** When the hub's database stopped answering; null while it answers. */
export const awaySince = createStore<number | null>(null)

/** The same for the message bus. A hub with a bus takes events through it only. */
export const busAwaySince = createStore<number | null>(null)

/** The page polls these addresses whatever it shows, so their failures are not shown by a view. */
export const WHO = '/api/me'

async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...init.headers, ...(path === WHO ? {} : spaceHeaders()) }
  const answer = await fetch(path, { credentials: 'same-origin', ...init, headers }).catch(
    (error: unknown) => {
      if (init.signal?.aborted) throw error
      throw new RequestFailure(0, words.errors.unreachable, words.errors.unreachableNext)
    },
  )
  // Some requests need no database, so only the hub itself can report that its database is back.
  if (answer.ok) return answer
  if (answer.status === 401 && !(path !== WHO && (await hasSpaceChanged()))) signedOut.set(true)
  const failure = await toFailure(answer)
  if (failure.isAway) awaySince.update((since) => since ?? Date.now())
  throw failure
}

/** Whether the banner reports the failure already. */
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

/** `leaving` sends the request even while the page is being closed. */
export const deleteAt = (path: string, leaving = false): Promise<Response> =>
  request(path, { method: 'DELETE', keepalive: leaving })

/** Opens a stream of events that starts after the given event. */
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

async function toFailure(answer: Response): Promise<RequestFailure> {
  const problem = (await answer.json().catch(() => null)) as Partial<ProblemDetails> | null
  const message = problem?.detail ?? problem?.title ?? words.errors.unexpected(answer.status)
  const problems = Array.isArray(problem?.problems) ? (problem.problems as readonly Problem[]) : []
  const isAway = problem?.code === 'database_away'
  return new RequestFailure(answer.status, message, problem?.next ?? null, problems, isAway)
}

interface WorkOptions {
  readonly onProgress: (done: number, total: number) => void
  readonly signal: AbortSignal
}

/** Starts long work and follows it to its result. Aborting stops the work on the server too. */
export async function runWork<T>(path: string, body: unknown, options: WorkOptions): Promise<T> {
  const answer = await post(path, body, options.signal)
  for await (const line of readLines(answer)) {
    const update = JSON.parse(line) as WorkLine
    if (update.type === 'progress') options.onProgress(update.done, update.total)
    else if (update.type === 'result') return update.value as T
    else throw new RequestFailure(answer.status, update.message, null)
  }
  throw new RequestFailure(0, words.errors.brokeOff, words.actions.tryAgain)
}

/** Yields the lines of a response as they arrive. */
export async function* readLines(answer: Response): AsyncGenerator<string> {
  if (!answer.body) return
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  while (true) {
    const { done, value } = await reader.read()
    if (done) break
    const lines = (rest + value).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') yield line
  }
  if (rest !== '') yield rest
}
