import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHome, type Paths, resolvePaths } from '@panoptes/engine/home'
import { config } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startPanoptes } from './start.ts'

let folder = ''
let paths: Paths
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'panoptes-start-'))
  paths = resolvePaths({ PANOPTES_HOME: join(folder, 'home') })
  await createHome(paths)
})
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))

const start = (port: number) =>
  startPanoptes({
    paths,
    env: { HOME: folder },
    config: config.parse({ log: { level: 'silent' } }),
    host: '127.0.0.1',
    port,
    allowRemote: false,
    page: Promise.resolve({ folder: null, problem: null }),
    onStop: () => undefined,
  })

function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const server = createServer().listen(0, '127.0.0.1', () => {
    const address = server.address()
    server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
  })
  return promise
}

describe('startPanoptes', () => {
  it('closes the port and the store, and names the file, when daemon.json cannot be written', async () => {
    const port = await freePort()
    await mkdir(paths.daemon)
    await expect(start(port)).rejects.toThrow(`Cannot write ${paths.daemon}: it is a folder`)
    await expect(fetch(`http://127.0.0.1:${port}/health`)).rejects.toThrow('fetch failed')
    expect((await readdir(paths.home)).filter((name) => name.startsWith('.daemon'))).toEqual([])
    // The lock on the store must be released.
    await rm(paths.daemon, { recursive: true })
    await (await start(port)).close()
  })
})
