import { existsSync } from 'node:fs'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  CHALLENGE_HEADER,
  checkCreatable,
  computeHomeProof,
  createHome,
  DEFAULT_CONFIG,
  findDaemon,
  isConfigPending,
  PROOF_HEADER,
  readConfig,
  readDaemonFile,
  removeDaemonFile,
  replaceFile,
  resolvePaths,
  tokenFile,
  writeDaemonFile,
} from './index.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'panoptes-home-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const paths = () => resolvePaths({ PANOPTES_HOME: join(folder, 'deep', 'home') })
const modeOf = async (file: string) => (await stat(file)).mode & 0o777
const info = (pid: number, port = 1) => ({
  pid,
  port,
  address: `http://127.0.0.1:${port}`,
  version: '0.1.0',
  started_at: 1,
})
/** No process can have this pid: the largest a Linux kernel hands out is 2^22. */
const NOBODY = 2 ** 22 + 1

describe('the home', () => {
  it('is created for this user alone, with a commented config', async () => {
    expect(await createHome(paths())).toMatchObject({ ok: true })
    expect(await modeOf(paths().home)).toBe(0o700)
    expect(await modeOf(paths().config)).toBe(0o600)
    expect(await readFile(paths().config, 'utf8')).toBe(DEFAULT_CONFIG)
  })

  it('fails quickly with the cause when no folder can be created', async () => {
    const file = join(folder, 'file')
    await writeFile(file, '')
    const below = await createHome(resolvePaths({ PANOPTES_HOME: join(file, 'a', 'home') }))
    expect(below).toMatchObject({ ok: false, message: expect.stringContaining('not a folder') })
    if (!existsSync('/proc/self')) return
    // Node's own recursive mkdir never returns here.
    const strange = resolvePaths({ PANOPTES_HOME: '/proc/self/a/home' })
    for (const refused of [await createHome(strange), await checkCreatable(strange.home)])
      expect(refused).toMatchObject({
        ok: false,
        code: 'read_only',
        message: expect.stringContaining('cannot create a folder in /proc/self'),
      })
  })

  it('can be probed for creation without leaving anything behind', async () => {
    expect(await checkCreatable(paths().home)).toMatchObject({ ok: true })
    expect(await readdir(folder)).toEqual([])
  })

  it('keeps an existing config', async () => {
    await createHome(paths())
    await writeFile(paths().config, 'server: {port: 9}\n')
    await createHome(paths())
    const read = await readConfig(paths())
    expect(read.ok && read.value.config.server.port).toBe(9)
  })

  it('names the file that stands in its place', async () => {
    await writeFile(join(folder, 'deep'), '')
    const made = await createHome(paths())
    expect(made).toMatchObject({ ok: false, message: expect.stringContaining(paths().home) })
  })

  it('reads a missing config as defaults and reports the mistakes of a wrong one', async () => {
    expect(await readConfig(paths())).toMatchObject({ ok: true })
    await createHome(paths())
    await writeFile(paths().config, 'log:\n  level: 7\n')
    expect(await readConfig(paths())).toMatchObject({
      ok: false,
      code: 'invalid',
      message: `${paths().config}:2:10: log.level must be silent, error, warn, info or debug`,
    })
  })
})

describe('replaceFile', () => {
  it('writes through a link and leaves no temporary file behind', async () => {
    const real = join(folder, 'real.yaml')
    const link = join(folder, 'link.yaml')
    await writeFile(real, 'old')
    await symlink(real, link)
    await replaceFile(link, 'new')
    expect(await readFile(real, 'utf8')).toBe('new')
    expect((await readdir(folder)).sort()).toEqual(['link.yaml', 'real.yaml'])
  })

  it('keeps the old text when the new one cannot be written', async () => {
    const file = join(folder, 'kept.yaml')
    await writeFile(file, 'old')
    await chmod(file, 0o600)
    await expect(replaceFile(join(file, 'below'), 'new')).rejects.toThrow()
    expect(await readFile(file, 'utf8')).toBe('old')
  })
})

describe('daemon.json', () => {
  it('is read back, and removed only by the process it describes', async () => {
    await createHome(paths())
    await writeDaemonFile(paths(), info(42))
    expect(await readDaemonFile(paths())).toEqual(info(42))
    await removeDaemonFile(paths(), 43)
    expect(await readDaemonFile(paths())).toEqual(info(42))
    await removeDaemonFile(paths(), 42)
    expect(await readDaemonFile(paths())).toBeUndefined()
  })

  it('counts as absent when it is malformed or foreign', async () => {
    await createHome(paths())
    for (const text of ['', '{"pid":', '[]', '{"pid":"x"}']) {
      await writeFile(paths().daemon, text)
      expect(await findDaemon(paths())).toEqual({ state: 'absent' })
    }
  })

  it('is stale when its process is gone', async () => {
    await createHome(paths())
    await writeDaemonFile(paths(), info(NOBODY))
    expect(await findDaemon(paths())).toMatchObject({ state: 'stale' })
  })

  it('tells apart a running, a foreign, an unproven and a silent daemon', async () => {
    await createHome(paths())
    let reply = '{"ok":true,"version":"9.9.9"}'
    const sent: unknown[] = []
    let served = paths()
    let token = 'x'
    const server = createServer(async ({ headers }, response) => {
      sent.push(headers.authorization)
      const challenge = String(headers[CHALLENGE_HEADER])
      if (token !== '') response.setHeader(PROOF_HEADER, await computeHomeProof(served, token, challenge))
      response.end(reply)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    await writeDaemonFile(paths(), info(process.pid, port))
    expect(await findDaemon(paths()), 'no token of our own').toMatchObject({
      state: 'unproven',
      message: expect.stringContaining(tokenFile(paths(), 'full')),
      next: expect.stringContaining(`kill ${process.pid}`),
    })
    await mkdir(paths().tokens)
    await writeFile(tokenFile(paths(), 'full'), '\n')
    expect(await findDaemon(paths()), 'an empty token').toMatchObject({ state: 'unproven' })
    await writeFile(tokenFile(paths(), 'full'), 'secret\n')
    expect(await findDaemon(paths()), 'another token').toMatchObject({ state: 'foreign' })
    token = ''
    expect(await findDaemon(paths()), 'no proof').toMatchObject({ state: 'foreign' })
    token = 'secret'
    served = resolvePaths({ PANOPTES_HOME: folder })
    expect(await findDaemon(paths()), 'a copy of the home').toMatchObject({ state: 'foreign' })
    served = paths()
    expect(await findDaemon(paths())).toMatchObject({ state: 'running', version: '9.9.9' })
    await writeFile(paths().config, 'log: {level: debug}\n')
    const read = Date.now() / 1_000
    await utimes(paths().config, read, read)
    await writeDaemonFile(paths(), { ...info(process.pid, port), started_at: Date.now() })
    expect(await isConfigPending(paths()), 'written before').toBe(false)
    await utimes(paths().config, read + 60, read + 60)
    expect(await isConfigPending(paths()), 'written since').toBe(true)
    expect(new Set(sent)).toEqual(new Set([undefined]))
    reply = 'hello'
    expect(await findDaemon(paths())).toMatchObject({ state: 'silent' })
    expect(await isConfigPending(paths())).toBe(false)
    server.close()
    server.closeAllConnections()
  })
})
