import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  findDaemon,
  openTokens,
  readConfig,
  readForwardToken,
  readRegularSync,
  resolvePaths,
} from './index.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'panoptes-regular-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const paths = () => resolvePaths({ PANOPTES_HOME: home })
const pipe = (file: string) => expect(spawnSync('mkfifo', [file]).status).toBe(0)

describe('a special file in the place of a regular one', () => {
  it.each([
    ['a pipe', (file: string) => pipe(file), 'it is a pipe (FIFO)'],
    ['a folder', (file: string) => mkdirSync(file), 'it is a folder'],
  ])('is named at once when %s stands where config.yaml should be', async (_, put, said) => {
    put(paths().config)
    const read = await readConfig(paths())
    expect(read).toMatchObject({ ok: false, code: 'io', message: expect.stringContaining(said) })
    expect(read.ok ? '' : read.message).toContain(paths().config)
    expect(read.ok ? '' : read.message).toContain('Move it away')
  })

  it('is named when it is a socket', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(paths().config, resolve))
    expect(await readConfig(paths())).toMatchObject({
      ok: false,
      message: expect.stringContaining('a socket'),
    })
    await new Promise((resolve) => server.close(resolve))
  })

  it('does not block looking for the daemon, its tokens or the hub token', async () => {
    pipe(paths().daemon)
    expect(await findDaemon(paths())).toEqual({ state: 'absent' })
    mkdirSync(paths().tokens)
    pipe(join(paths().tokens, 'full'))
    expect(await openTokens(paths())).toMatchObject({ ok: false, code: 'corrupt' })
    pipe(join(home, 'hub.token'))
    expect(await readForwardToken(join(home, 'hub.token'))).toMatchObject({
      ok: false,
      message: expect.stringContaining('a pipe'),
    })
    expect(() => readRegularSync(join(home, 'hub.token'))).toThrow('not a file')
  })

  it('does not affect reading a regular file', () => {
    writeFileSync(join(home, 'a'), 'text')
    expect(readRegularSync(join(home, 'a'))).toBe('text')
  })
})
