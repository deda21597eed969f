import { type OtlpSpan, type TracesRequest, toAttributes } from '@panoptes/engine/otlp'
import { generateSpans } from '@panoptes/engine/outcomes'
import type { SessionRecord } from '@panoptes/engine/sources'
import type { Failure, Message, PastSession, Session, SessionAgent } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { stopped } from '../../daemon/client.ts'
import { interruptible } from '../../daemon/signals.ts'
import { CommandFailure, EXIT, toCommandFailure } from '../../failure.ts'
import { resolveTarget, writeFileAtomically } from '../../output-file.ts'
import { duration, plural } from '../../terminal/format.ts'
import { startProgress } from '../../terminal/progress.ts'
import { VERSION } from '../../version.ts'
import { type Filter, findSession, type PastSessions, withSessions } from '../sessions/access.ts'
import { type Protocol, parseHeaders, resolveEndpoint, type SendResult, send } from './send.ts'

export interface OtlpOptions {
  readonly to?: string
  readonly file?: string
  readonly source?: string
  readonly since?: number
  readonly until?: number
  readonly header?: readonly string[]
  readonly protocol?: Protocol
  readonly content?: boolean
  readonly all?: boolean
  readonly force?: boolean
}

type SendBatch = (batch: Parameters<typeof send>[0]) => Promise<SendResult>

interface Tally {
  sessions: number
  spans: number
  rejected: number
  problem: string | null
}

const NONE: SendResult = { rejected: 0, problem: null }
const PAGE = 1_000

/** Sends past sessions to a collector as spans, or writes them to a file, one request per line. */
export async function exportOtlp(
  context: Context,
  ids: readonly string[],
  options: OtlpOptions,
): Promise<void> {
  const { output } = context
  if (options.file !== undefined && options.to !== undefined) throw usageError('Use --to or --file, not both')
  if (
    ids.length === 0 &&
    !options.all &&
    options.source === undefined &&
    options.since === undefined &&
    options.until === undefined
  )
    throw usageError('No sessions selected: pass session ids, or --since, --source or --all')
  const tally: Tally = { sessions: 0, spans: 0, rejected: 0, problem: null }
  const progress = startProgress(output, 'Spans sent')
  const { signal, done } = interruptible()
  const run = (take: SendBatch) =>
    withSessions(context, async (sessions) => {
      for await (const session of chooseSessions(sessions, ids, options)) {
        signal.throwIfAborted()
        await sendSession(sessions, session, options, take, tally, () => progress.update(tally.spans, 0))
        tally.sessions += 1
      }
    })
  let where = ''
  try {
    if (options.file === undefined) {
      const to = resolveEndpoint(options.to, context.env)
      const headers = parseHeaders(options.header ?? [], context.env)
      where = to.href
      await run((batch) =>
        send(batch, {
          to,
          headers,
          signal,
          protocol: options.protocol ?? 'http/protobuf',
          onRetry: (failed, waitMs, next, tries) =>
            output.note(`${to.href}: ${failed}. Retrying in ${duration(waitMs)} (${next} of ${tries}) …`),
        }),
      )
    } else {
      where = await resolveTarget(context, options.file, options)
      await writeFileAtomically(where, toJsonLines(run), signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
    throw stopped(
      `${formatTally(tally)} ${options.file === undefined ? 'were sent' : 'were read; no file was written'}.`,
    )
  } finally {
    progress.end()
    done()
  }
  if (tally.problem !== null)
    output.note(`The collector rejected ${plural(tally.rejected, 'span')}: ${tally.problem}`)
  const { sessions, spans, rejected } = tally
  const verb = options.file === undefined ? 'sent to' : 'in'
  output.answer([`${formatTally(tally)} ${verb} ${where}`], {
    ok: true,
    sessions,
    spans,
    rejected,
    to: where,
  })
}

const formatTally = ({ sessions, spans }: Tally): string =>
  `${plural(sessions, 'session')}, ${plural(spans, 'span')}`

async function* chooseSessions(
  sessions: PastSessions,
  ids: readonly string[],
  { source, since, until }: OtlpOptions,
): AsyncGenerator<PastSession> {
  if (ids.length > 0) {
    for (const id of ids) yield await findSession(sessions, id)
    return
  }
  const filter: Filter = { source, since, until }
  for (let offset = 0; ; offset += PAGE) {
    const page = await sessions.list({ ...filter, offset }, PAGE)
    yield* page
    if (page.length < PAGE) return
  }
}

async function sendSession(
  sessions: PastSessions,
  { source, id }: PastSession,
  { content }: OtlpOptions,
  take: SendBatch,
  tally: Tally,
  moved: () => void,
): Promise<void> {
  await sessions.export({ source, id }, 'jsonl', async (bytes) => {
    const ended: { failed: Failure | undefined } = { failed: undefined }
    const spans = async function* () {
      ended.failed = yield* generateSpans({ source, session: id, records: parseRecords(bytes), content })
    }
    for await (const batch of toBatches(source, spans())) {
      const { rejected, problem } = await take(batch.request)
      tally.spans += batch.spans
      tally.rejected += rejected
      tally.problem ??= problem
      moved()
    }
    if (ended.failed) throw toCommandFailure(ended.failed)
  })
}

/** Writes requests as lines. Each waits until the previous one is written. */
async function* toJsonLines(run: (take: SendBatch) => Promise<void>): AsyncGenerator<Uint8Array> {
  let hand: ((line: Uint8Array | undefined) => void) | undefined
  let next = new Promise<Uint8Array | undefined>((resolve) => {
    hand = resolve
  })
  let freed = Promise.withResolvers<void>()
  const running = run(async (batch) => {
    hand?.(Buffer.from(`${JSON.stringify(batch)}\n`))
    await freed.promise
    return NONE
  }).finally(() => hand?.(undefined))
  for (;;) {
    const line = await next
    if (line === undefined) break
    yield line
    next = new Promise((resolve) => {
      hand = resolve
    })
    const { resolve } = freed
    freed = Promise.withResolvers()
    resolve()
  }
  await running
}

const usageError = (message: string): CommandFailure =>
  new CommandFailure(message, { code: 'usage', next: 'See: panoptes export otlp --help', exit: EXIT.usage })

const NEWLINE = 10

/** Reads the records of a session from JSON lines. Secrets are already removed. */
async function* parseRecords(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<SessionRecord> {
  for await (const line of readLines(bytes)) {
    const { type, ...record } = JSON.parse(line) as { readonly type: string }
    if (type === 'session') yield { kind: 'session', session: record as unknown as Session }
    else if (type === 'agent') yield { kind: 'agent', agent: record as unknown as SessionAgent }
    else if (type === 'message') yield { kind: 'message', message: record as unknown as Message }
  }
}

async function* readLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let parts: Uint8Array[] = []
  for await (const chunk of bytes) {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, at)]).toString('utf8')
      parts = []
      from = at + 1
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
  }
  const last = Buffer.concat(parts).toString('utf8')
  if (last !== '') yield last
}

const MOST_SPANS = 512
const MOST_LENGTH = 1_048_576

/** Splits spans into requests that every collector accepts. */
async function* toBatches(
  source: string,
  spans: AsyncIterable<OtlpSpan>,
): AsyncGenerator<{ readonly request: TracesRequest; readonly spans: number }> {
  let batch: OtlpSpan[] = []
  let length = 0
  const takeBatch = () => {
    const made = { request: buildRequest(source, batch), spans: batch.length }
    batch = []
    length = 0
    return made
  }
  for await (const span of spans) {
    const own = JSON.stringify(span).length
    if (batch.length >= MOST_SPANS || (batch.length > 0 && length + own > MOST_LENGTH)) yield takeBatch()
    batch.push(span)
    length += own
  }
  if (batch.length > 0) yield takeBatch()
}

const buildRequest = (source: string, spans: readonly OtlpSpan[]): TracesRequest => ({
  resourceSpans: [
    {
      resource: { attributes: toAttributes({ 'service.name': source }) },
      scopeSpans: [{ scope: { name: 'panoptes', version: VERSION }, spans }],
    },
  ],
})
