import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { browsersFile, openBrowsers } from './browsers.ts'
import { type Paths, resolvePaths } from './paths.ts'

const DAY = 86_400_000

describe('signed-in browsers', () => {
  let paths: Paths
  let clock = 0
  let token = 'one'
  beforeEach(async () => {
    const home = await mkdtemp(join(tmpdir(), 'panoptes-browsers-'))
    onTestFinished(() => rm(home, { recursive: true, force: true }))
    paths = resolvePaths({ PANOPTES_HOME: home })
    await mkdir(paths.tokens)
    clock = Date.UTC(2026, 0, 1)
    token = 'one'
  })
  const open = () => openBrowsers(paths, { token: () => token, now: () => clock })

  it('keeps a browser signed in for 30 days, across restarts', async () => {
    const browsers = await open()
    const { id, secret } = browsers.add('Firefox on Linux')
    await browsers.settled()
    const again = await open()
    clock += 30 * DAY - 1
    expect(again.identify(secret)).toBe(id)
    clock += 1
    expect(again.identify(secret)).toBeUndefined()
    expect(again.list()).toEqual([])
    await again.settled()
  })

  it('signs everybody out when a pipe stands in the place of the list', async () => {
    expect(spawnSync('mkfifo', [browsersFile(paths)]).status).toBe(0)
    expect((await open()).list()).toEqual([])
  })

  it('lists creation and last use, and revokes one browser or all', async () => {
    const browsers = await open()
    const first = browsers.add('Firefox on Linux')
    clock += DAY
    const second = browsers.add('Safari on macOS')
    clock += DAY
    browsers.identify(first.secret)
    expect(browsers.list()).toEqual([
      { id: first.id, browser: 'Firefox on Linux', made_at: clock - 2 * DAY, used_at: clock },
      { id: second.id, browser: 'Safari on macOS', made_at: clock - DAY, used_at: clock - DAY },
    ])
    expect([browsers.revoke(first.id), browsers.revoke(first.id), browsers.revoke('none')]).toEqual([
      true,
      false,
      false,
    ])
    expect(browsers.identify(first.secret)).toBeUndefined()
    expect(browsers.identify(second.secret)).toBe(second.id)
    expect(browsers.revokeAll()).toBe(1)
    await browsers.settled()
    expect((await open()).identify(second.secret)).toBeUndefined()
  })

  it('signs everybody out when the full token changes', async () => {
    const browsers = await open()
    const { secret } = browsers.add('Firefox on Linux')
    token = 'two'
    expect(browsers.identify(secret)).toBeUndefined()
    expect(browsers.list()).toEqual([])
    await browsers.settled()
  })

  it('stores only hashes, readable by the owner alone', async () => {
    const browsers = await open()
    const { secret } = browsers.add('Firefox on Linux')
    await browsers.settled()
    expect(await readFile(browsersFile(paths), 'utf8')).not.toContain(secret)
    expect((await stat(browsersFile(paths))).mode & 0o777).toBe(0o600)
  })

  it('starts empty when the file cannot be parsed', async () => {
    await writeFile(browsersFile(paths), '{"browsers":[{}]}')
    expect((await open()).list()).toEqual([])
  })

  it('keeps at most a hundred browsers and signs out the least recently used', async () => {
    const browsers = await open()
    const made = Array.from({ length: 101 }, () => {
      clock += 1
      return browsers.add('x').secret
    })
    expect(made.map((secret) => browsers.identify(secret) !== undefined)).toEqual(made.map((_, at) => at > 0))
    await browsers.settled()
  })
})
