import { spansOf } from '@panoptes/engine/review'
import type { Failure, PastSession } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { stopped } from '../../daemon/client.ts'
import { interruptible } from '../../daemon/signals.ts'
import { EXIT } from '../../exit-codes.ts'
import { asCommandFailure, CommandFailure } from '../../failure.ts'
import { targetOf } from '../../target.ts'
import { startProgress } from '../../terminal/progress.ts'
import { counted, duration } from '../../terminal/words.ts'
import { writeWhole } from '../../write-whole.ts'
import { type Filter, findSession, type PastSessions, withSessions } from '../sessions/access.ts'
import { batchesOf } from './batches.ts'
import { endpointOf, headersOf } from './endpoint.ts'
import { recordsOf } from './records.ts'
import { type Protocol, type Sent, send } from './send.ts'

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

type Take = (batch: Parameters<typeof send>[0]) => Promise<Sent>

interface Tally {
  sessions: number
  spans: number
  rejected: number
  problem: string | null
}

const NONE: Sent = { rejected: 0, problem: null }
const PAGE = 1_000

/** Sends past sessions to a collector as spans, or writes them into a file, one request a line. */
export async function exportOtlp(
  context: Context,
  ids: readonly string[],
  options: OtlpOptions,
): Promise<void> {
  const { output } = context
  if (options.file !== undefined && options.to !== undefined) throw usage('Give --to or --file, not both')
  if (
    ids.length === 0 &&
    !options.all &&
    options.source === undefined &&
    options.since === undefined &&
    options.until === undefined
  )
    throw usage('Which sessions? Name them, or give --since, --source or --all')
  const tally: Tally = { sessions: 0, spans: 0, rejected: 0, problem: null }
  const progress = startProgress(output, 'Spans sent')
  const { signal, done } = interruptible()
  const run = (take: Take) =>
    withSessions(context, async (sessions) => {
      for await (const session of chosen(sessions, ids, options)) {
        signal.throwIfAborted()
        await sendSession(sessions, session, options, take, tally, () => progress.update(tally.spans, 0))
        tally.sessions += 1
      }
    })
  let where = ''
  try {
    if (options.file === undefined) {
      const to = endpointOf(options.to, context.env)
      const headers = headersOf(options.header ?? [], context.env)
      where = to.href
      await run((batch) =>
        send(batch, {
          to,
          headers,
          signal,
          protocol: options.protocol ?? 'http/protobuf',
          onRetry: (failed, waitMs, next, tries) =>
            output.note(`${to.href}: ${failed}. Trying again in ${duration(waitMs)} (${next} of ${tries}) …`),
        }),
      )
    } else {
      where = await targetOf(context, options.file, options)
      await writeWhole(where, linesOf(run), signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
    throw stopped(
      `${told(tally)} ${options.file === undefined ? 'were sent' : 'were read; no file was written'}.`,
    )
  } finally {
    progress.end()
    done()
  }
  if (tally.problem !== null)
    output.note(`The collector left out ${counted(tally.rejected, 'span')}: ${tally.problem}`)
  const { sessions, spans, rejected } = tally
  const verb = options.file === undefined ? 'sent to' : 'in'
  output.answer([`${told(tally)} ${verb} ${where}`], { ok: true, sessions, spans, rejected, to: where })
}

const told = ({ sessions, spans }: Tally): string =>
  `${counted(sessions, 'session')}, ${counted(spans, 'span')}`

async function* chosen(
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
  take: Take,
  tally: Tally,
  moved: () => void,
): Promise<void> {
  await sessions.export({ source, id }, 'jsonl', async (bytes) => {
    const ended: { failed: Failure | undefined } = { failed: undefined }
    const spans = async function* () {
      ended.failed = yield* spansOf({ source, session: id, records: recordsOf(bytes), content })
    }
    for await (const batch of batchesOf(source, spans())) {
      const { rejected, problem } = await take(batch.request)
      tally.spans += batch.spans
      tally.rejected += rejected
      tally.problem ??= problem
      moved()
    }
    if (ended.failed) throw asCommandFailure(ended.failed)
  })
}

/** What is sent elsewhere otherwise, as lines: each waits until the one before is written. */
async function* linesOf(run: (take: Take) => Promise<void>): AsyncGenerator<Uint8Array> {
  let hand: ((line: Uint8Array | undefined) => void) | undefined
  let next = new Promise<Uint8Array | undefined>((resolve) => {
    hand = resolve
  })
  let taken = Promise.withResolvers<void>()
  const running = run(async (batch) => {
    hand?.(Buffer.from(`${JSON.stringify(batch)}\n`))
    await taken.promise
    return NONE
  }).finally(() => hand?.(undefined))
  for (;;) {
    const line = await next
    if (line === undefined) break
    yield line
    next = new Promise((resolve) => {
      hand = resolve
    })
    const { resolve } = taken
    taken = Promise.withResolvers()
    resolve()
  }
  await running
}

const usage = (message: string): CommandFailure =>
  new CommandFailure(message, { code: 'usage', next: 'See: panoptes export otlp --help', exit: EXIT.usage })
