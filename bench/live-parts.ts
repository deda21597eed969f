import { generateNewEvents } from '@panoptes/engine/demo'
import type { NewEvent } from '@panoptes/schema'
import { startDaemon } from '../e2e/daemon.ts'
import { comings, crowd } from './live-agents.ts'
import { daemonCost, hookCalls } from './live-hooks.ts'
import { type Frames, framesWith } from './live-page.ts'
import { type Seeks, seek } from './live-seek.ts'
import type { Report } from './report.ts'
import { interleaved, round } from './statistics.ts'

export type Part = Omit<Report, 'name'>
const ROUNDS = 5

/** Measures what a hook costs the waiting client and the daemon. */
export async function hooksPart(quick: boolean): Promise<Part> {
  const daemon = await startDaemon()
  try {
    const { hook, shell } = hookCalls(daemon.home.panoptes, quick ? 40 : 200)
    const count = quick ? 100 : 400
    const costs = await interleaved(ROUNDS, {
      spool: () => daemonCost(daemon, 'spool', count),
      http: () => daemonCost(daemon, 'http', count),
    })
    const more = round(hook.p50_ms - shell.p50_ms)
    const most = round(Math.max(costs.spool, costs.http))
    return {
      tables: [
        {
          title: 'One call of the hook with 2 KB, against a shell that does nothing',
          rows: Object.entries({ hook, 'sh -c :': shell }).map(([call, { p50_ms, p95_ms }]) => ({
            call,
            'p50, ms': round(p50_ms),
            'p95, ms': round(p95_ms),
          })),
        },
        {
          title: `Processor time of the daemon for one payload of 2 KB, 200 a second, median of ${ROUNDS}`,
          rows: Object.entries(costs).map(([form, ms]) => ({ form, ms: round(ms) })),
        },
      ],
      promises: [
        { says: 'a hook call costs at most 10 ms more', holds: more <= 10, measured: `${more} ms` },
        { says: 'either form costs the daemon at most 2 ms', holds: most <= 2, measured: `${most} ms` },
      ],
    }
  } finally {
    await daemon.stop()
  }
}

const FRAMES = [
  { agents: 1_000, limit: 8 },
  { agents: 5_000, limit: 16 },
]

/** Measures script on the main thread of the page while very many agents work. */
export async function framesPart(quick: boolean): Promise<Part> {
  const measured: (readonly Frames[])[] = []
  for (const { agents } of FRAMES) measured.push(await framesWith(agents, quick ? 2 : 8))
  return {
    tables: [
      {
        title: 'Script per frame in Chromium at 200 tool calls a second, processor time of the main thread',
        rows: measured.flat().map(({ agents, view, frames_per_second, p50_ms, p95_ms }) => ({
          agents,
          view,
          'frames/s': round(frames_per_second),
          'p50, ms': round(p50_ms),
          'p95, ms': round(p95_ms),
        })),
      },
    ],
    promises: FRAMES.map(({ agents, limit }, n) => {
      const most = round(Math.max(...(measured[n] ?? []).map(({ p95_ms }) => p95_ms)))
      return {
        says: `script per frame at p95 stays under ${limit} ms with ${agents} agents`,
        holds: most < limit,
        measured: `${most} ms`,
      }
    }),
  }
}

/** Histories to replay: a usual day, very many agents at once, and very many sessions that end and return. */
const HISTORIES: readonly { readonly of: string; readonly events: (count: number) => Iterable<NewEvent> }[] =
  [
    { of: 'a day', events: (events) => generateNewEvents({ seed: 11, events }) },
    { of: '50 alive', events: (events) => crowd(50, events) },
    { of: '1,000 alive', events: (events) => crowd(1_000, events) },
    { of: '5,000 alive', events: (events) => crowd(5_000, events) },
    { of: '3,000 sessions that end and go on', events: (events) => comings(3_000, events) },
  ]

/** Measures jumps to any moment of a long history. */
export async function seekPart(quick: boolean): Promise<Part> {
  const events = quick ? 20_000 : 1_000_000
  const seen: (Seeks & { readonly of: string })[] = []
  for (const { of, events: told } of HISTORIES)
    seen.push({ of, ...(await seek(told(events), quick ? 50 : 200)) })
  return {
    tables: [
      {
        title: `GET /api/replay at random moments among ${events} events`,
        rows: seen.map(({ of, p50_ms, p95_ms, worst_ms, agents, mb_a_thousand }) => ({
          history: of,
          'p50, ms': round(p50_ms),
          'p95, ms': round(p95_ms),
          'worst, ms': round(worst_ms),
          'agents in an answer': agents,
          'MB for 1,000 events': round(mb_a_thousand),
        })),
      },
    ],
    promises: seen.map(({ of, p95_ms }) => ({
      says: `a seek takes under 100 ms: ${of}`,
      holds: p95_ms < 100,
      measured: `p95 ${round(p95_ms)} ms`,
    })),
  }
}
