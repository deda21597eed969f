import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileFailure, replaceFile } from '@panoptes/engine/home'
import type { Agent, EventsPage, Recording, SessionSummary, StoredEvent, Timeline } from '@panoptes/schema'
import { clamp } from '@panoptes/schema/numbers'
import type { Context } from '../../context.ts'
import { type Access, withStore } from '../../daemon/access.ts'
import { stopped } from '../../daemon/client.ts'
import { interruptible } from '../../daemon/signals.ts'
import { CommandFailure, orFail, toCommandFailure } from '../../failure.ts'
import { getJson } from '../../json-requests.ts'
import { resolveTarget } from '../../output-file.ts'
import { preparePage } from '../../page/index.ts'
import { plural, size } from '../../terminal/format.ts'
import { type Progress, startProgress } from '../../terminal/progress.ts'

interface ReplayOptions {
  readonly session?: string
  readonly since?: number
  readonly until?: number
  readonly force?: boolean
}

const HOUR_MS = 3_600_000

export async function exportReplay(context: Context, file: string, options: ReplayOptions): Promise<void> {
  const { output } = context
  const target = await resolveTarget(context, file, options)
  const { folder, problem } = await preparePage(output.note)
  if (folder === null) throw noPage(problem)
  const progress = startProgress(output, 'Moments read')
  const { signal, done } = interruptible()
  try {
    const { recording, older, thinned } = await withStore(context, async (access) => {
      const history = openHistory(access)
      return record(history, await resolveSpan(history, options), progress, signal)
    })
    if (signal.aborted) throw stopped()
    const html = await replayHtml(folder, recording).catch((error: unknown) => {
      throw noPage(error instanceof Error ? error.message : String(error))
    })
    await replaceFile(target, html).catch((error: unknown) => {
      throw toCommandFailure(fileFailure(error, target, 'write'))
    })
    progress.end()
    const { events, checkpoints, from, to } = recording
    const bytes = Buffer.byteLength(html)
    const lines = [
      `${plural(events.length, 'event')} and ${plural(checkpoints.length, 'moment')}, ${size(bytes)}, in ${target}`,
      ...(older
        ? ['Older events of this time range are left out. Choose a shorter range to include them all.']
        : []),
      ...(thinned
        ? ['Some moments are left out. Choose a shorter time range or one session to include them all.']
        : []),
      'Open it in any browser; it needs no server. It contains what agents did and said, so share it with care.',
    ]
    const left = { older_left_out: older, moments_left_out: thinned }
    output.answer(lines, {
      ok: true,
      path: target,
      bytes,
      events: events.length,
      moments: checkpoints.length,
      from,
      to,
      ...left,
    })
  } finally {
    progress.end()
    done()
  }
}

/** A session is replayed completely. Otherwise the default is the hour before the last event. */
async function resolveSpan(history: History, { session, since, until }: ReplayOptions): Promise<Span> {
  const meant = await history.sessions(session)
  if (meant.length === 0) throw emptySpan()
  const last = Math.max(...meant.map(({ last_at }) => last_at)) + 1
  const to = until ?? last
  const first = Math.min(...meant.map(({ started_at }) => started_at))
  const from = since ?? (session === undefined ? Math.max(first, to - HOUR_MS) : first)
  if (from < to) return { from, to, session }
  throw emptySpan()
}

const noPage = (problem: string | null): CommandFailure =>
  new CommandFailure(`The replay page is not built${problem ? `: ${problem}` : ''}`, {
    code: 'no_page',
    next: 'In a clone, run panoptes up to see the build error. Otherwise reinstall Panoptes.',
  })

const SCRIPT = /<script\b[^>]*\bsrc="([^"]+)"[^>]*><\/script>/g
const STYLE = /<link\b[^>]*\brel="stylesheet"[^>]*>/g
const OTHER_LINK = /\s*<link\b[^>]*\brel="(?:modulepreload|icon)"[^>]*>/g
const HREF = /\bhref="([^"]+)"/

/** The page is self-contained, so the policy blocks every request. */
const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

/** Builds one page with code, styles and recording. */
async function replayHtml(folder: string, recording: Recording): Promise<string> {
  const place = join(folder, 'replay')
  const page = await readFile(join(place, 'replay.html'), 'utf8')
  const read = (address: string) => readFile(join(place, address.replace(/^\.?\//, '')), 'utf8')
  const scripts = await Promise.all([...page.matchAll(SCRIPT)].map(([, address = '']) => read(address)))
  const styles = await Promise.all(
    [...page.matchAll(STYLE)].map(([link]) => read(HREF.exec(link)?.[1] ?? '')),
  )
  const head = [
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}" />`,
    ...styles.map((style) => `<style>${style.replaceAll('</style', '<\\/style')}</style>`),
  ].join('\n')
  const body = [
    `<script type="application/json" id="panoptes-recording">${escapeForScript(JSON.stringify(recording))}</script>`,
    ...scripts.map((script) => `<script type="module">${escapeForModule(script)}</script>`),
  ].join('\n')
  const bare = page.replace(SCRIPT, '').replace(STYLE, '').replace(OTHER_LINK, '')
  return bare.replace('</head>', () => `${head}\n</head>`).replace('</body>', () => `${body}\n</body>`)
}

/** Escapes JSON so that it cannot end the script element. */
const escapeForScript = (json: string): string => json.replaceAll('<', '\\u003c')

/** In code, the two sequences occur only inside strings and patterns, where the backslash changes nothing. */
const escapeForModule = (code: string): string =>
  code.replaceAll(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--')

const MOST_EVENTS = 20_000
const MOST_FRAMES = 800
const FEWEST_FRAMES = 24
/** The maximum size of all frames, so that a browser opens the file quickly. */
const FRAME_BYTES = 24 * 1024 * 1024
const SLICES = 240

interface RecordingResult {
  readonly recording: Recording
  /** Events in the time range that are not in the file. */
  readonly older: boolean
  /** Moments without a frame in the file. */
  readonly thinned: boolean
}

async function record(
  history: History,
  span: Span,
  progress: Progress,
  signal: AbortSignal,
): Promise<RecordingResult> {
  const { events, more } = await history.events(span, MOST_EVENTS)
  if (events.length === 0) throw emptySpan()
  const timeline = await history.timeline(span, SLICES)
  const moments = [...new Set([span.from, ...events.map(({ ts }) => ts)])].sort((a, b) => a - b)
  const frame = async (ts: number) => ({ ts, agents: filterAgents(await history.agentsAt(ts), span) })
  const weight = await estimateFrameBytes(moments, frame)
  const most = clamp(Math.floor(FRAME_BYTES / weight), FEWEST_FRAMES, MOST_FRAMES)
  const samples = pickEvenly(moments, most)
  const checkpoints: Recording['checkpoints'][number][] = []
  for (const ts of samples) {
    if (signal.aborted) break
    checkpoints.push(await frame(ts))
    progress.update(checkpoints.length, samples.length)
  }
  const sessions = (await history.sessions(span.session)).filter((session) => isInSpan(session, span))
  const recording: Recording = {
    version: 1,
    from: span.from,
    to: span.to,
    sessions,
    timeline,
    events,
    checkpoints,
  }
  return { recording, older: more, thinned: samples.length < moments.length }
}

const filterAgents = (agents: readonly Agent[], { session }: Span): readonly Agent[] =>
  session === undefined ? agents : agents.filter(({ session_id }) => session_id === session)

const isInSpan = (
  { session_id, started_at, last_at }: SessionSummary,
  { session, from, to }: Span,
): boolean => (session === undefined ? started_at < to && last_at >= from : session_id === session)

/** Estimates the size of the largest frames from a sample. */
async function estimateFrameBytes(
  moments: readonly number[],
  frame: (ts: number) => Promise<{ readonly agents: readonly Agent[] }>,
): Promise<number> {
  const tries = await Promise.all(pickEvenly(moments, 5).map(frame))
  return Math.max(1, ...tries.map(({ agents }) => JSON.stringify(agents).length))
}

/** Picks evenly spaced items, including the first and the last. */
export function pickEvenly(moments: readonly number[], most: number): readonly number[] {
  if (moments.length <= most) return moments
  const step = (moments.length - 1) / (most - 1)
  return Array.from({ length: most }, (_, index) => moments[Math.round(index * step)] ?? 0)
}

const PAGE = 1_000
const MOST_SESSIONS = 10_000

interface Span {
  readonly from: number
  readonly to: number
  readonly session: string | undefined
}

/** Past events, from the running daemon or directly from the store. */
interface History {
  /** Sessions with one id, or the newest. */
  readonly sessions: (session: string | undefined) => Promise<readonly SessionSummary[]>
  /** The newest events of a time range, oldest first, and whether there were more. */
  readonly events: (span: Span, most: number) => Promise<{ events: readonly StoredEvent[]; more: boolean }>
  readonly timeline: (span: Span, slices: number) => Promise<Timeline>
  readonly agentsAt: (ts: number) => Promise<readonly Agent[]>
}

function openHistory(access: Access): History {
  return access.kind === 'daemon' ? openHttpHistory(access.client) : openLocalHistory(access.store)
}

function openHttpHistory(client: Extract<Access, { kind: 'daemon' }>['client']): History {
  return {
    sessions: (session) => getJson(client, '/api/sessions', { session, limit: MOST_SESSIONS }),
    events: (span, most) =>
      readNewest(most, (before) =>
        getJson<EventsPage>(client, '/api/events', {
          since: span.from,
          until: span.to,
          session: span.session,
          before,
          limit: PAGE,
        }),
      ),
    timeline: ({ from, to, session }, slices) =>
      getJson(client, '/api/timeline', { from, to, session, slices }),
    agentsAt: async (ts) =>
      (await getJson<{ agents: readonly Agent[] }>(client, '/api/replay', { at: ts })).agents,
  }
}

function openLocalHistory(store: Extract<Access, { kind: 'file' }>['store']): History {
  return {
    sessions: async (session) => orFail(await store.sessions({ session, limit: MOST_SESSIONS })).value,
    events: (span, most) =>
      readNewest(most, async (before) => {
        const filter = { since: span.from, until: span.to, session: span.session }
        const { rows, next } = orFail(await store.read({ before, limit: PAGE }, filter))
        return { events: rows.map(({ json }) => JSON.parse(json) as EventsPage['events'][number]), next }
      }),
    timeline: async ({ from, to, session }, slices) =>
      orFail(await store.timeline({ from, to, session, slices })),
    agentsAt: async (ts) => orFail(await store.agentsAt({ ts })).value,
  }
}

type Page = Pick<EventsPage, 'events' | 'next'>

/** Reads backwards from the end until there are no more events or enough. */
async function readNewest(most: number, read: (before: number) => Promise<Page>) {
  const found: EventsPage['events'] = []
  let before: number | null = Number.MAX_SAFE_INTEGER
  while (before !== null && found.length < most) {
    const page: Page = await read(before)
    found.push(...page.events)
    before = page.next
  }
  const events = found.slice(0, most).reverse() as readonly StoredEvent[]
  return { events, more: before !== null || found.length > most }
}

const emptySpan = (): CommandFailure =>
  new CommandFailure('There is nothing to replay in this time range', {
    code: 'not_found',
    next: 'Choose another range with --since and --until, or a session with --session.',
  })
