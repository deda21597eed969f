import { type StreamCheck, StreamChecker, type StreamProblem } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { stopped } from '../../daemon/client.ts'
import { interruptible } from '../../daemon/signals.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure } from '../../failure.ts'
import { count, counted } from '../../terminal/words.ts'
import { plain } from '../sessions/words.ts'

export interface CheckOptions {
  readonly post?: string
  readonly header?: readonly string[]
  readonly lastEventId?: string
}

/** Reads a stream, whoever gives it, and says what is wrong with it. */
export async function check(context: Context, url: string, options: CheckOptions): Promise<void> {
  const { signal, done } = interruptible()
  try {
    const read = await checked(await opened(url, options, signal), options)
    if (signal.aborted) throw stopped()
    tell(context, read)
  } catch (error) {
    throw signal.aborted ? stopped() : error
  } finally {
    done()
  }
}

async function checked(
  body: AsyncIterable<Uint8Array>,
  { lastEventId }: CheckOptions,
): Promise<StreamCheck & { readonly cut: string | null }> {
  const checker = new StreamChecker({ lastEventId })
  let cut: string | null = null
  try {
    for await (const piece of body) if (!checker.read(piece)) break
  } catch (error) {
    // A connection that breaks is a stream that ends there.
    cut = causeOf(error)
  }
  return { ...checker.result(), cut }
}

async function opened(
  url: string,
  { post, header = [], lastEventId }: CheckOptions,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  if (url === '-') return process.stdin
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw wrong(
      `${url} is no address`,
      'Give one such as http://127.0.0.1:8201/api/conversations/ID/stream, or - for the standard input.',
    )
  if (post !== undefined && !isJson(post))
    throw wrong('--post needs a body of JSON', `Such as: --post '{"message":"Hi"}'`)
  const headers = new Headers({
    accept: 'text/event-stream',
    ...(post === undefined ? {} : { 'content-type': 'application/json' }),
  })
  if (lastEventId !== undefined) headers.set('last-event-id', lastEventId)
  for (const one of header) addHeader(headers, one)
  const reply = await fetch(url, {
    headers,
    signal,
    ...(post === undefined ? {} : { method: 'POST', body: post }),
  }).catch((error: unknown) => {
    throw new CommandFailure(`${url} does not answer: ${causeOf(error)}`, {
      code: 'unreachable',
      next: 'Check the address.',
    })
  })
  const type = reply.headers.get('content-type') ?? 'nothing'
  if (!reply.ok || !/^text\/event-stream\b/i.test(type)) {
    const said = plain((await reply.text().catch(() => '')).slice(0, 500), 300)
    throw new CommandFailure(`${url} answers ${reply.status} with ${type}, not with a stream of events`, {
      code: 'not_a_stream',
      next: said === '' ? 'Check the address, its headers and its body.' : `It says: ${said}`,
    })
  }
  return reply.body ?? nothing()
}

function addHeader(headers: Headers, line: string): void {
  const colon = line.indexOf(':')
  try {
    if (colon < 1) throw new Error('no name')
    headers.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim())
  } catch {
    throw wrong(`${JSON.stringify(line)} is no header`, 'Write it as "Name: value".')
  }
}

function tell({ output }: Context, found: StreamCheck & { readonly cut: string | null }): void {
  const { problems, left_out, events, end, cut } = found
  const isGood = problems.length === 0
  const counts = Object.entries(events)
    .filter(([, many]) => many > 0)
    .map(([name, many]) => `${count(many)} ${name}`)
  const lines = [
    ...problems.map(lineOf),
    ...(left_out > 0 ? [`${counted(left_out, 'more problem')} not listed`] : []),
    ...(cut === null ? [] : [`The connection broke: ${cut}`]),
    isGood
      ? `It keeps to the contract: ${counts.join(', ')}`
      : `${counted(problems.length + left_out, 'problem')} in ${counts.join(', ') || 'no event'}`,
  ]
  output.answer(lines, { ok: isGood, end, events, problems, left_out, connection: cut })
  if (!isGood) process.exitCode = EXIT.failed
}

const lineOf = ({ at, rule, message }: StreamProblem): string =>
  `${at === 0 ? 'the stream' : `event ${count(at)}`}  ${rule}: ${plain(message, 300)}`

const wrong = (message: string, next: string): CommandFailure =>
  new CommandFailure(message, { code: 'usage', next, exit: EXIT.usage })

const causeOf = (error: unknown): string =>
  error instanceof Error
    ? error.cause instanceof Error
      ? error.cause.message
      : error.message
    : String(error)

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
