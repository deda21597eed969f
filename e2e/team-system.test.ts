import { describe, expect, it } from 'vitest'
import { tryFleet } from './team/trial.ts'

const EVENTS = Number(process.env.PANOPTES_TEAM_EVENTS ?? 100_000)
const SEED = Number(process.env.PANOPTES_TEAM_SEED ?? Date.now() % 1_000_000)
const MINUTES = Math.max(5, EVENTS / 20_000)

describe('a team whose hubs, computers, database, bus and links die at random', () => {
  it('has every event once, in order per agent, on every screen in the end', {
    timeout: 2 * MINUTES * 60_000,
    retry: 0,
  }, async () => {
    const options = {
      hubs: 3,
      computers: 10,
      withBus: process.env.PANOPTES_TEAM_BUS !== '0',
      events: EVENTS,
      seed: SEED,
    }
    const trial = await tryFleet({ ...options, patienceMs: MINUTES * 60_000 })
    console.log(
      `${trial.told} events in ${trial.seconds.toFixed(0)} s, seed ${SEED}, hurt: ${trial.hurt.join(', ')}`,
    )
    expect(trial.hurt.length).toBeGreaterThan(5)
    expect(trial.screens).toEqual(trial.screens.map(() => ({ events: trial.told, faults: [] })))
  })
})
