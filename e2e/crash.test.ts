import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { crash } from './crash.ts'

const KILLS = 25
/** This many events allow a few checkpoints and several kills of the same store. */
const MOST_EVENTS = 6_000
const seed = Number(process.env.PANOPTES_CRASH_SEED ?? Date.now() % 1_000_000)

describe('a process killed at random moments', () => {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-crash-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it(`loses, duplicates and reorders no acknowledged event (${KILLS} kills, seed ${seed})`, async () => {
    const summary = await crash({ kills: KILLS, seed, folder, mostEvents: MOST_EVENTS })
    expect(summary.faults).toEqual([])
    expect(summary.kills).toBe(KILLS)
    expect(summary.acknowledged).toBeGreaterThan(1_000)
  }, 600_000)
})
