import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolvePaths } from '@panoptes/engine/home'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeCheckpoint } from './checkpoint.ts'
import { writeJson } from './files.ts'
import { placeOfAchievements } from './layout.ts'
import { nothingYet } from './snapshot.ts'
import { complete } from './stored-contribution.ts'
import { writeState } from './unlock-book.ts'

let root: string
let folder: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'panoptes-layout-'))
  folder = folderIn('plugins')
  mkdirSync(folder, { recursive: true })
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const folderIn = (place: string) => join(root, 'hermes', place, 'hermes-achievements')

/** The package of Hermes where its own installer puts it. */
function hermesOf(version: string): void {
  const venv = join(root, 'hermes', 'hermes-agent', 'venv')
  mkdirSync(join(venv, 'lib', 'python3.11', 'site-packages', `hermes_agent-${version}.dist-info`), {
    recursive: true,
  })
  mkdirSync(join(venv, 'bin'))
  writeFileSync(join(venv, 'bin', 'hermes'), '#!/bin/false\n', { mode: 0o755 })
}

const placeWith = (layout: 'panoptes' | 'hermes', force = false) => {
  const env = { HOME: root, HERMES_HOME: join(root, 'hermes') }
  return placeOfAchievements({ paths: resolvePaths(env), config: { layout, layout_force: force }, env })
}

const write = (name: string, text: string) => writeFileSync(join(folder, name), text)

describe('location of the achievement files', () => {
  it('is in the home of Panoptes', () => {
    write('state.json', '{"unlocks": {"let_him_cook": {"unlocked_at": 1}}}')
    expect(placeWith('panoptes')).toEqual({ ok: true, value: join(root, '.panoptes', 'achievements') })
  })

  it('is in the home of Hermes if so configured', () => {
    expect(placeWith('hermes')).toEqual({ ok: true, value: folder })
    rmSync(folder, { recursive: true })
    expect(placeWith('hermes')).toEqual({ ok: true, value: folder })
  })

  it.each([
    ['0.19.0', 'plugins'],
    ['0.21.3', 'plugin-data'],
  ])('is where Hermes %s looks: in %s, whatever else exists', (version, place) => {
    hermesOf(version)
    mkdirSync(folderIn('plugin-data'), { recursive: true })
    expect(placeWith('hermes')).toEqual({ ok: true, value: folderIn(place) })
    writeFileSync(join(folderIn(place), 'state.json'), '{"unlocks": {"let_him_cook": {"unlocked_at": 1}}}')
    expect(placeWith('hermes')).toMatchObject({ ok: false, code: 'invalid' })
  })

  it('is where files of the plugin exist if Hermes itself is not found', () => {
    rmSync(folder, { recursive: true })
    mkdirSync(folderIn('plugin-data'), { recursive: true })
    expect(placeWith('hermes')).toEqual({ ok: true, value: folderIn('plugin-data') })
  })

  it('stays there if Panoptes wrote the files', () => {
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
  ])('is rejected next to a foreign %s: %s', (name, text) => {
    write(name, text)
    const refused = placeWith('hermes')
    expect(refused).toMatchObject({ ok: false, code: 'invalid' })
    expect(!refused.ok && refused.message).toContain(folder)
    expect(placeWith('hermes', true)).toEqual({ ok: true, value: folder })
  })
})
