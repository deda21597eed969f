import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { randomFrom } from '../crash.ts'
import { hurt } from './faults.ts'
import { type FleetOptions, startFleet } from './fleet.ts'
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
  readonly hurt: readonly string[]
  readonly seconds: number
}

/** So many events a second are told; never all of them at once. */
const PACE = 3_000
const LEAST_MS = 30_000

/**
 * Agents on many computers go on telling what they do, while hubs, computers, the database, the bus and the links between them are killed and cut at
 * random. In the end everybody who watched has seen everything.
 */
export async function tryFleet(options: TrialOptions): Promise<TrialSummary> {
  const { events, seed, computers, hubs, patienceMs } = options
  const began = performance.now()
  const fleet = await startFleet(options)
  const screens: Screen[] = []
  const stop = new AbortController()
  try {
    const watched = Array.from({ length: hubs }, () =>
      watchScreen(() => fleet.balancer.address, fleet.viewer),
    )
    screens.push(...watched)
    const each = Math.floor(events / computers)
    const stories = fleet.computers.map(({ home }, n) =>
      storyOf(join(home.panoptes, 'events.jsonl'), n, each),
    )
    const between = Math.max(LEAST_MS, (events / PACE) * 1_000) / Math.ceil(each / AT_ONCE)
    const hurting = hurt(fleet, randomFrom(seed), stop.signal)
    await Promise.all(
      stories.map(async ({ tell }) => {
        while ((await tell()) > 0) await setTimeout(between)
      }),
    )
    stop.abort()
    const done = await hurting
    const told = each * computers
    await untilSeen(screens, told, patienceMs)
    return {
      told,
      hurt: done,
      screens: screens.map((screen) => {
        const heard = checkStories(screen.keys())
        return { events: heard.events, faults: [...screen.faults(), ...heard.faults] }
      }),
      seconds: (performance.now() - began) / 1_000,
    }
  } finally {
    stop.abort()
    for (const screen of screens) screen.close()
    await fleet.close()
  }
}

const isSeen = (screen: Screen, told: number): boolean =>
  screen.seen() >= told && checkStories(screen.keys()).events >= told

async function untilSeen(screens: readonly Screen[], told: number, patienceMs: number): Promise<void> {
  const end = performance.now() + patienceMs
  while (performance.now() < end && !screens.every((screen) => isSeen(screen, told))) await setTimeout(500)
}
