import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readRetention } from './retention.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-retention-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (file: string, text: string) => {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), text)
}
const read = (more: Readonly<Record<string, string>> = {}) =>
  readRetention({ HOME: folder, ...more }, join(folder, 'managed'))
const claudeCode = async (more: Readonly<Record<string, string>> = {}) => (await read(more))['claude-code']

describe('the retention of Claude Code', () => {
  it('is thirty days unless a settings file says otherwise', async () => {
    expect(await claudeCode()).toEqual({ kind: 'days', days: 30 })
    write('.claude/settings.json', '{"model": "opus"}')
    expect(await claudeCode()).toEqual({ kind: 'days', days: 30 })
    write('.claude/settings.json', '\uFEFF{"cleanupPeriodDays": 7}')
    expect(await claudeCode()).toEqual({ kind: 'days', days: 7 })
  })

  it('comes from managed settings first, then from local ones, then from those of the user', async () => {
    write('.claude/settings.json', '{"cleanupPeriodDays": 7}')
    write('.claude/settings.local.json', '{"cleanupPeriodDays": 90}')
    expect(await claudeCode()).toEqual({ kind: 'days', days: 90 })
    write('managed/managed-settings.json', '{"cleanupPeriodDays": 14}')
    expect(await claudeCode()).toEqual({ kind: 'days', days: 14 })
    write('managed/managed-settings.d/10-first.json', '{"cleanupPeriodDays": 15}')
    write('managed/managed-settings.d/20-second.json', '{"cleanupPeriodDays": 16}')
    expect(await claudeCode()).toEqual({ kind: 'days', days: 16 })
  })

  it('follows CLAUDE_CONFIG_DIR', async () => {
    write('.claude/settings.json', '{"cleanupPeriodDays": 7}')
    write('other/settings.json', '{"cleanupPeriodDays": 60}')
    expect(await claudeCode({ CLAUDE_CONFIG_DIR: join(folder, 'other') })).toEqual({ kind: 'days', days: 60 })
  })

  it.each([
    ['{"cleanupPeriodDays": 0}', /is 0: Claude Code rejects that since 2\.1\.89.* Set at least 1\./],
    ['{"cleanupPeriodDays": -3}', /is not a number of days/],
    ['{"cleanupPeriodDays": "30"}', /is not a number of days/],
    ['{"cleanupPeriodDays": 7', /settings\.json could not be read/],
    ['[]', /does not contain settings/],
  ])('is unknown with a reason for %s', async (text, reason) => {
    write('.claude/settings.json', text)
    expect(await claudeCode()).toEqual({ kind: 'unknown', reason: expect.stringMatching(reason) })
  })
})

describe('the retention of other agents', () => {
  it('is unlimited unless Hermes is told to delete sessions', async () => {
    expect(await read()).toMatchObject({
      hermes: { kind: 'unlimited' },
      codex: { kind: 'unlimited' },
      opencode: { kind: 'unlimited' },
    })
    write('.hermes/config.yaml', 'sessions:\n  auto_prune: false\n  retention_days: 5\n')
    expect((await read()).hermes).toEqual({ kind: 'unlimited' })
    write('.hermes/config.yaml', 'sessions:\n  auto_prune: true\n')
    expect((await read()).hermes).toEqual({ kind: 'days', days: 90 })
    write('.hermes/config.yaml', 'sessions:\n  auto_prune: true\n  retention_days: 45\n')
    expect((await read()).hermes).toEqual({ kind: 'days', days: 45 })
  })

  it('is unknown where the settings of Hermes cannot be read', async () => {
    write('.hermes/config.yaml', 'sessions: [')
    expect((await read()).hermes).toEqual({
      kind: 'unknown',
      reason: expect.stringContaining('config.yaml could not be read'),
    })
    write('.hermes/config.yaml', 'sessions:\n  auto_prune: true\n  retention_days: soon\n')
    expect((await read()).hermes).toMatchObject({ kind: 'unknown' })
  })
})
