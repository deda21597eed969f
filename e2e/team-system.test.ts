import { describe, expect, it } from 'vitest'
import { usePostgres } from './setup/shared-servers.ts'
import { type Hurt, together } from './team/faults.ts'
import { tryFleet } from './team/fleet-trial.ts'

usePostgres()

const EVENTS = Number(process.env.PANOPTES_TEAM_EVENTS ?? 100_000)
const SEED = Number(process.env.PANOPTES_TEAM_SEED ?? Date.now() % 1_000_000)
const MINUTES = Math.max(5, EVENTS / 20_000)

/** The test runs in both variants unless a variable selects one. */
const WAYS = { '1': [true], '0': [false] }[process.env.PANOPTES_TEAM_BUS ?? ''] ?? [true, false]

describe('a team whose hubs, computers, database, bus and connections fail at random, several at once', () => {
  it.each(WAYS.map((withBus) => ({ withBus, way: withBus ? 'with a bus' : 'without a bus' })))(
    'has every event once, in order per agent, on every screen and on the page in the end, $way',
    { timeout: 2 * MINUTES * 60_000 },
    async ({ withBus, way }) => {
      console.log(`PANOPTES_TEAM_SEED=${SEED} PANOPTES_TEAM_BUS=${withBus ? 1 : 0}`)
      const options = { hubs: 3, computers: 10, withBus, events: EVENTS, seed: SEED }
      const trial = await tryFleet({ ...options, patienceMs: MINUTES * 60_000 })
      const { told, stored, seconds, hurt } = trial
      console.log(
        `${told} events ${way} in ${seconds.toFixed(0)} s, seed ${SEED}; ${hurt.length} things hurt, ${together(hurt)} of them together with others:\n${hurt.map(shown).join('\n')}`,
      )
      expect(hurt.length).toBeGreaterThan(5)
      expect(trial.deaths).toEqual([])
      expect(trial.screens).toEqual(trial.screens.map(() => ({ events: told, faults: [] })))
      expect(trial.page).toEqual({ stored, listed: stored, newest: stored, empty: 0, faults: [] })
    },
  )
})

const shown = ({ what, from, to }: Hurt): string => `${from.toFixed(1)}–${to.toFixed(1)} s ${what}`
