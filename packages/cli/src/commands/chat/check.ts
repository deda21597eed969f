import { type StreamCheck, StreamChecker, type StreamProblem } from '@panoptes/schema'
import { parseJson } from '@panoptes/schema/json'
import type { Context } from '../../context.ts'
import { stopped } from '../../daemon/client.ts'
import { interruptible } from '../../daemon/signals.ts'
import { CommandFailure, EXIT, usageFailure } from '../../failure.ts'
import { count, plural } from '../../terminal/format.ts'
import { plain } from '../sessions/format.ts'

export interface CheckOptions {
  readonly post?: string
  readonly header?: readonly string[]
  readonly lastEventId?: string
}

/** Reads a stream from any server and reports violations of the contract. */
export async function check(context: Context, url: string, options: CheckOptions): Promise<void> {
  const { signal, done } = interruptible()
  try {
    const read = await checkBody(await openStream(url, options, signal), options)
    if (signal.aborted) throw stopped()
    reportCheck(context, read)
  } catch (error) {
    throw signal.aborted ? stopped() : error
  } finally {
    done()
  }
}

async function checkBody(
  body: AsyncIterable<Uint8Array>,
  { lastEventId }: CheckOptions,
): Promise<StreamCheck & { readonly cut: string | null }> {
  const checker = new StreamChecker({ lastEventId })
  let cut: string | null = null
  try {
    for await (const piece of body) if (!checker.read(piece)) break
  } catch (error) {
    // A broken connection counts as the end of the stream.
    cut = causeMessage(error)
  }
  return { ...checker.result(), cut }
}

async function openStream(
  url: string,
  { post, header = [], lastEventId }: CheckOptions,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  if (url === '-') return process.stdin
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw usageFailure(
      `${url} is not a valid URL`,
      'Use a URL such as http://127.0.0.1:8201/api/conversations/ID/stream, or - for stdin.',
    )
  if (post !== undefined && !isJson(post))
    throw usageFailure('--post needs a JSON body', `For example: --post '{"message":"Hi"}'`)
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
    throw new CommandFailure(`${url} does not answer: ${causeMessage(error)}`, {
      code: 'unreachable',
      next: 'Check the URL.',
    })
  })
  const type = reply.headers.get('content-type') ?? 'nothing'
  if (!reply.ok || !/^text\/event-stream\b/i.test(type)) {
    const bodyText = plain((await reply.text().catch(() => '')).slice(0, 500), 300)
    throw new CommandFailure(`${url} answered ${reply.status} with ${type} instead of an event stream`, {
      code: 'not_a_stream',
      next: bodyText === '' ? 'Check the URL, the headers and the body.' : `The answer: ${bodyText}`,
    })
  }
  return reply.body ?? emptyStream()
}

function addHeader(headers: Headers, line: string): void {
  const colon = line.indexOf(':')
  try {
    if (colon < 1) throw new Error('no name')
    headers.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim())
  } catch {
    throw usageFailure(`${JSON.stringify(line)} is not a header`, 'Write it as "Name: value".')
  }
}

function reportCheck({ output }: Context, found: StreamCheck & { readonly cut: string | null }): void {
  const { problems, left_out, events, end, cut } = found
  const isGood = problems.length === 0
  const counts = Object.entries(events)
    .filter(([, many]) => many > 0)
    .map(([name, many]) => `${count(many)} ${name}`)
  const lines = [
    ...problems.map(formatProblem),
    ...(left_out > 0 ? [`${plural(left_out, 'more problem')} not listed`] : []),
    ...(cut === null ? [] : [`The connection broke: ${cut}`]),
    isGood
      ? `The stream follows the contract: ${counts.join(', ')}`
      : `${plural(problems.length + left_out, 'problem')} in ${counts.join(', ') || 'no event'}`,
  ]
  output.answer(lines, { ok: isGood, end, events, problems, left_out, connection: cut })
  if (!isGood) process.exitCode = EXIT.failed
}

const formatProblem = ({ at, rule, message }: StreamProblem): string =>
  `${at === 0 ? 'the stream' : `event ${count(at)}`}  ${rule}: ${plain(message, 300)}`

const causeMessage = (error: unknown): string =>
  error instanceof Error
    ? error.cause instanceof Error
      ? error.cause.message
      : error.message
    : String(error)

function isJson(text: string): boolean {
  try {
    parseJson(text)
    return true
  } catch {
    return false
  }
}

async function* emptyStream(): AsyncGenerator<Uint8Array> {}
