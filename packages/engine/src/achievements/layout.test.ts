import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolvePaths } from '@panoptes/engine/home'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeCheckpoint } from './checkpoint.ts'
import { writeJson } from './files.ts'
import { complete } from './kept.ts'
import { placeOfAchievements } from './layout.ts'
import { nothingYet } from './snapshot.ts'
import { writeState } from './state-file.ts'

let root: string
let folder: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'panoptes-layout-'))
  folder = join(root, 'hermes', 'plugin-data', 'hermes-achievements')
  mkdirSync(folder, { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const placeWith = (layout: 'panoptes' | 'hermes', force = false) => {
  const env = { HOME: root, HERMES_HOME: join(root, 'hermes') }
  return placeOfAchievements({ paths: resolvePaths(env), config: { layout, layout_force: force }, env })
}

const write = (name: string, text: string) => writeFileSync(join(folder, name), text)

describe('the files of achievements', () => {
  it('are in the home of Panoptes', () => {
    write('state.json', '{"unlocks": {"let_him_cook": {"unlocked_at": 1}}}')
    expect(placeWith('panoptes')).toEqual({ ok: true, value: join(root, '.panoptes', 'achievements') })
  })

  it('are in the home of Hermes where the layout says so', () => {
    expect(placeWith('hermes')).toEqual({ ok: true, value: folder })
    rmSync(folder, { recursive: true })
    expect(placeWith('hermes')).toEqual({ ok: true, value: folder })
  })

  it('stay there when they were written by Panoptes', () => {
    writeJson(join(folder, 'scan_snapshot.json'), nothingYet('hermes', 'UTC'))
    const contribution = {
      session_id: 's',
      agent: 'hermes',
      title: 'A',
      source: 'cli',
      model: null,
      started_at: 1,
      last_at: 2,
      values: complete({}),
    }
    writeCheckpoint(
      join(folder, 'scan_checkpoint.json'),
      '/state.db',
      new Map([['s', { fingerprint: 'f', contribution }]]),
    )
    const unlock = { unlocked_at: 1_000, first_tier: null, evidence: null, tiers: {} }
    writeState(join(folder, 'state.json'), new Map([['full_send', unlock]]))
    expect(placeWith('hermes')).toMatchObject({ ok: true })
  })

  it.each([
    [
      'state.json',
      '{"unlocks": {"let_him_cook": {"unlocked_at": 1, "first_tier": "Copper", "evidence": null}}}',
    ],
    ['state.json', '{"unlocks": '],
    ['state.json', '[]'],
    ['scan_snapshot.json', '{"achievements": [], "aggregate": {}, "sessions": [], "generated_at": 1}'],
    ['scan_checkpoint.json', '{"schema_version": 1, "sessions": {"s": {"fingerprint": {}, "stats": {}}}}'],
    ['scan_checkpoint.json', '{"schema_version": 2, "sessions": {"s": null}}'],
  ])('are refused there beside a %s of somebody else: %s', (name, text) => {
    write(name, text)
    const refused = placeWith('hermes')
    expect(refused).toMatchObject({ ok: false, code: 'invalid' })
    expect(!refused.ok && refused.message).toContain(folder)
    expect(placeWith('hermes', true)).toEqual({ ok: true, value: folder })
  })
})
