import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHome, type TestHome } from './command.ts'
import { restart } from './restarts.ts'

const RESTARTS = 25
const seed = Number(process.env.PANOPTES_RESTART_SEED ?? Date.now() % 1_000_000)

describe('a daemon that is killed and restarted repeatedly', () => {
  let home: TestHome
  // A retry of the test also starts with an empty home.
  beforeEach(async () => {
    home = await makeHome()
  })
  afterEach(() => home.remove())

  it(`loses and duplicates nothing from emitters that keep sending (${RESTARTS} restarts, seed ${seed})`, async () => {
    const summary = await restart({ restarts: RESTARTS, seed, home, moreThan: 100 })
    expect(summary.faults).toEqual([])
    expect(Math.min(summary.spool, summary.file, summary.http)).toBeGreaterThan(100)
  }, 600_000)
})
