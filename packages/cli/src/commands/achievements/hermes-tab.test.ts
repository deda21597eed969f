import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEFAULT_CONFIG } from '@panoptes/engine/home'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Context, makeContext } from '../../context.ts'
import { hermesTab, type TabOptions } from './hermes-tab.ts'

const ORIGINS = ['http://127.0.0.1:9119', 'http://127.0.0.1:7777']

let home: string
let context: Context
let answers: Record<string, unknown>[]
let lines: string[]

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'panoptes-tab-command-'))
  mkdirSync(join(home, '.hermes'))
  answers = []
  lines = []
  const made = makeContext(['--json'], { HOME: home })
  const answer = (told: readonly string[], document: object) => {
    lines.push(...told)
    answers.push(document as Record<string, unknown>)
  }
  context = { ...made, output: { ...made.output, answer } }
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const run = async (options: TabOptions) => {
  await hermesTab(context, options)
  return answers.at(-1)
}
const all = (folder: string) => readdirSync(join(home, folder), { recursive: true, encoding: 'utf8' }).sort()
const config = () => readFileSync(context.paths.config, 'utf8')

it('shows the planned changes and writes nothing in a dry run', async () => {
  expect(await run({ dryRun: true })).toMatchObject({ dry_run: true, origin: 'http://127.0.0.1:9119' })
  expect(lines.join('\n')).toContain('"name": "panoptes-achievements"')
  expect(lines.join('\n')).toContain('/api/achievements?source=hermes')
  expect(all('.')).toEqual(['.hermes'])
})

it('writes the tab, allows the dashboard in the config, and removes both on uninstall', async () => {
  await run({})
  expect(all('.hermes')).toContain('plugins/panoptes-achievements/dashboard/manifest.json')
  expect(config()).toContain('allowed_origins:\n    - http://127.0.0.1:9119\n')
  expect(await run({ uninstall: true, dryRun: true })).toMatchObject({
    origins_removed: ['http://127.0.0.1:9119'],
  })
  expect(config()).toContain('- http://127.0.0.1:9119')
  await run({ uninstall: true })
  expect(all('.hermes')).toEqual([])
  expect(config()).toBe(DEFAULT_CONFIG)
  expect(existsSync(context.paths.hermesTab)).toBe(false)
  expect(await run({ uninstall: true })).toMatchObject({ removed: [] })
})

it('keeps an origin on uninstall that was allowed before the install', async () => {
  await run({})
  rmSync(context.paths.hermesTab)
  rmSync(join(home, '.hermes', 'plugins'), { recursive: true })
  await run({})
  await run({ uninstall: true })
  expect(config()).toContain('http://127.0.0.1:9119')
})

it('replaces the old origin when the dashboard moves', async () => {
  await run({})
  const moved = { origin: 'http://127.0.0.1:7777' }
  expect(await run({ ...moved, dryRun: true })).toMatchObject({ origins_removed: ['http://127.0.0.1:9119'] })
  await run(moved)
  expect(config()).toContain('allowed_origins:\n    - http://127.0.0.1:7777\n')
  expect(config()).not.toContain('- http://127.0.0.1:9119')
  await run({ uninstall: true })
  expect(config()).toBe(DEFAULT_CONFIG)
})

it('removes every origin that it added on uninstall, even after an interrupted move', async () => {
  await run({})
  const both = { ...JSON.parse(readFileSync(context.paths.hermesTab, 'utf8')), origins: ORIGINS }
  writeFileSync(context.paths.hermesTab, JSON.stringify(both))
  writeFileSync(
    context.paths.config,
    config().replace('- http://127.0.0.1:9119\n', `$&    - ${ORIGINS[1]}\n    - http://127.0.0.1:8000\n`),
  )
  expect(await run({ uninstall: true })).toMatchObject({ origins_removed: ORIGINS })
  expect(config()).toContain('allowed_origins:\n    - http://127.0.0.1:8000\n')
})

it('rejects an invalid origin and one whose host name differs from Panoptes', async () => {
  await expect(run({ origin: 'http://localhost:9119' })).rejects.toMatchObject({ code: 'usage', exit: 2 })
  await expect(run({ origin: 'dashboard' })).rejects.toMatchObject({ code: 'usage', exit: 2 })
  expect(await run({ origin: 'http://127.0.0.1:7000/' })).toMatchObject({ origin: 'http://127.0.0.1:7000' })
})

it('says where it looked if Hermes is missing', async () => {
  rmSync(join(home, '.hermes'), { recursive: true })
  await expect(run({})).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining(join(home, '.hermes')),
  })
})
