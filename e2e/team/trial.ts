import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { openLedger } from '@panoptes/engine/ledger'
import { type Hurt, hurt } from './faults.ts'
import { type Fleet, type FleetOptions, startFleet } from './fleet.ts'
import { openViewer, type Sight, type Viewer } from './page.ts'
import { type Screen, watchScreen } from './screen.ts'
import { AT_ONCE, checkStories, storyOf } from './story.ts'

export interface TrialOptions extends FleetOptions {
  readonly events: number
  readonly seed: number
  /** How long everything may take to arrive once nothing is hurt any more. */
  readonly patienceMs: number
}

export interface TrialSummary {
  /** Events of stories in each ledger and on each screen. */
  readonly told: number
  readonly screens: readonly { readonly events: number; readonly faults: readonly string[] }[]
  /** How many events the ledger has, of stories and others. */
  readonly stored: number
  /** What somebody sees who had the page open all the time. */
  readonly page: Sight & { readonly faults: readonly string[] }
  /** Who ended though nobody killed them. */
  readonly deaths: readonly string[]
  readonly hurt: readonly Hurt[]
  readonly seconds: number
}

/** So many events a second are told; never all of them at once. */
const PACE = 3_000
const LEAST_MS = 30_000

/**
 * Agents on many computers go on telling what they do, while hubs, computers, the database, the bus and the links between them are killed and cut at
 * random, several at once. In the end everybody who watched has seen everything.
 */
export async function tryFleet(options: TrialOptions): Promise<TrialSummary> {
  const { events, seed, computers, hubs, patienceMs } = options
  const began = performance.now()
  const fleet = await startFleet(options)
  const screens: Screen[] = []
  let viewer: Viewer | undefined
  const stop = new AbortController()
  try {
    viewer = await openViewer(fleet.balancer.address, fleet.viewer)
    for (let n = 0; n < hubs; n += 1) screens.push(watchScreen(() => fleet.balancer.address, fleet.viewer))
    const each = Math.floor(events / computers)
    const stories = fleet.computers.map(({ home }, n) =>
      storyOf(join(home.panoptes, 'events.jsonl'), n, each),
    )
    const between = Math.max(LEAST_MS, (events / PACE) * 1_000) / Math.ceil(each / AT_ONCE)
    const telling = Promise.all(
      stories.map(async ({ tell }) => {
        while ((await tell()) > 0) await setTimeout(between)
      }),
    )
    const [done] = await Promise.all([hurt(fleet, seed, stop.signal), telling.finally(() => stop.abort())])
    const told = each * computers
    const end = performance.now() + patienceMs
    await until(end, () => screens.every((screen) => isSeen(screen, told)))
    const { stored, sight } = await lookTogether(end, fleet, viewer)
    return {
      told,
      stored,
      hurt: done,
      deaths: [...fleet.hubs, ...fleet.computers].flatMap((member) => member.deaths()),
      screens: screens.map((screen) => {
        const heard = checkStories(screen.keys())
        return { events: heard.events, faults: [...screen.faults(), ...heard.faults] }
      }),
      page: { ...sight, faults: viewer.faults() },
      seconds: (performance.now() - began) / 1_000,
    }
  } finally {
    stop.abort()
    for (const screen of screens) screen.close()
    await viewer?.close()
    await fleet.close()
  }
}

const isSeen = (screen: Screen, told: number): boolean =>
  screen.seen() >= told && checkStories(screen.keys()).events >= told

async function until(end: number, isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (performance.now() < end && !(await isSo())) await setTimeout(500)
}

/** What the page shows once that is what the ledger has: Panoptes itself may still say something. */
async function lookTogether(
  end: number,
  fleet: Fleet,
  viewer: Viewer,
): Promise<{ readonly stored: number; readonly sight: Sight }> {
  const opened = await openLedger({ kind: 'postgres', url: fleet.postgres.url, space: 'main' })
  if (!opened.ok) throw new Error(opened.message)
  const look = async () => {
    const sight = await viewer.sees()
    const head = await opened.value.head()
    if (!head.ok) throw new Error(head.message)
    return { stored: head.value.last, sight }
  }
  try {
    let seen = await look()
    await until(end, async () => {
      seen = await look()
      return isWhole(seen.sight, seen.stored)
    })
    return seen
  } finally {
    await opened.value.close()
  }
}

const isWhole = ({ stored, listed, newest, empty }: Sight, events: number): boolean =>
  stored === events && listed === events && newest === events && empty === 0
