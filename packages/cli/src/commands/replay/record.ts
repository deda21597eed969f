import type { Agent, Recording, SessionSummary } from '@panoptes/schema'
import type { Progress } from '../../terminal/progress.ts'
import { type History, nothingThere, type Span } from './history.ts'

const MOST_EVENTS = 20_000
const MOST_FRAMES = 800
const FEWEST_FRAMES = 24
/** What all frames together may weigh, so that a browser opens the file at once. */
const FRAME_BYTES = 24 * 1024 * 1024
const SLICES = 240

export interface Recorded {
  readonly recording: Recording
  /** Events of the span that are not in the file. */
  readonly older: boolean
  /** Moments that are not in the file as frames of their own. */
  readonly thinned: boolean
}

export async function record(
  history: History,
  span: Span,
  progress: Progress,
  signal: AbortSignal,
): Promise<Recorded> {
  const { events, more } = await history.events(span, MOST_EVENTS)
  if (events.length === 0) throw nothingThere()
  const timeline = await history.timeline(span, SLICES)
  const moments = [...new Set([span.from, ...events.map(({ ts }) => ts)])].sort((a, b) => a - b)
  const frame = async (ts: number) => ({ ts, agents: within(await history.agentsAt(ts), span) })
  const weight = await weightOf(moments, frame)
  const most = Math.max(FEWEST_FRAMES, Math.min(MOST_FRAMES, Math.floor(FRAME_BYTES / weight)))
  const kept = spread(moments, most)
  const checkpoints: Recording['checkpoints'][number][] = []
  for (const ts of kept) {
    if (signal.aborted) break
    checkpoints.push(await frame(ts))
    progress.update(checkpoints.length, kept.length)
  }
  const sessions = (await history.sessions(span.session)).filter((session) => isIn(session, span))
  const recording: Recording = {
    version: 1,
    from: span.from,
    to: span.to,
    sessions,
    timeline,
    events,
    checkpoints,
  }
  return { recording, older: more, thinned: kept.length < moments.length }
}

const within = (agents: readonly Agent[], { session }: Span): readonly Agent[] =>
  session === undefined ? agents : agents.filter(({ session_id }) => session_id === session)

const isIn = ({ session_id, started_at, last_at }: SessionSummary, { session, from, to }: Span): boolean =>
  session === undefined ? started_at < to && last_at >= from : session_id === session

/** What a frame weighs where most agents are seen, from a few of them. */
async function weightOf(
  moments: readonly number[],
  frame: (ts: number) => Promise<{ readonly agents: readonly Agent[] }>,
): Promise<number> {
  const tries = await Promise.all(spread(moments, 5).map(frame))
  return Math.max(1, ...tries.map(({ agents }) => JSON.stringify(agents).length))
}

/** So many of them, evenly, with the first and the last. */
export function spread(moments: readonly number[], most: number): readonly number[] {
  if (moments.length <= most) return moments
  const step = (moments.length - 1) / (most - 1)
  return Array.from({ length: most }, (_, index) => moments[Math.round(index * step)] ?? 0)
}
