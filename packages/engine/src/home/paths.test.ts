import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isInHome, type Paths, resolvePaths } from './index.ts'

let folder = ''
let paths: Paths
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'panoptes-kept-'))
  paths = resolvePaths({ PANOPTES_HOME: join(folder, 'home') })
  await mkdir(paths.home)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const own = (...names: string[]) => join(paths.home, ...names)

describe('protected paths', () => {
  it('cover every listed file and what lies next to and below it, existing or not', async () => {
    for (const path of Object.values(paths)) expect(await isInHome(paths, path), path).toBe(true)
    for (const name of [
      'ledger.db-wal',
      'ledger.db-shm',
      'ledger.db.lock',
      'history.db-wal',
      'panoptes.log.1',
    ])
      expect(await isInHome(paths, own(name)), name).toBe(true)
    await mkdir(paths.tokens)
    for (const path of [own('tokens', 'full'), own('hooks', 'panoptes-hook.sh'), own('x', '..', 'ledger.db')])
      expect(await isInHome(paths, path), path).toBe(true)
  })

  it('are recognised through links in either direction', async () => {
    await symlink(paths.home, join(folder, 'link'))
    await symlink(paths.store, join(folder, 'dangling.db'))
    await writeFile(join(folder, 'settings.yaml'), '')
    await symlink(join(folder, 'settings.yaml'), paths.config)
    for (const name of ['link', 'link/ledger.db', 'dangling.db', 'settings.yaml'])
      expect(await isInHome(paths, join(folder, name)), name).toBe(true)
  })

  it('exclude other files that people put next to them', async () => {
    await mkdir(own('backups'))
    for (const path of [
      own('backups', 'ledger.db'),
      own('day.ndjson'),
      own('ledger.db.copy'),
      own('tokens.html'),
    ])
      expect(await isInHome(paths, path), path).toBe(false)
    expect(await isInHome(paths, join(folder, 'ledger.db'))).toBe(false)
  })
})
