import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ownDatabase } from '@panoptes/engine/testing/database'
import { describe, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { makeHome, ROOT, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { sharedNats } from './setup/shared-servers.ts'

const run = promisify(execFile)

interface Service {
  readonly image?: string
  readonly build?: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly volumes?: readonly string[]
  readonly configs?: readonly { readonly source: string; readonly target: string }[]
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>
  readonly configs: Readonly<Record<string, { readonly content: string }>>
  readonly volumes: Readonly<Record<string, unknown>>
}

const compose = async (): Promise<Compose> =>
  parse(await readFile(join(ROOT, 'compose.yaml'), 'utf8'), { merge: true }) as Compose

/** Each test starts a dozen processes. */
vi.setConfig({ testTimeout: 180_000 })

describe('compose.yaml', () => {
  it('has a health check for every dependency, and uses every volume and config', async () => {
    const { services, configs, volumes } = await compose()
    expect(Object.keys(services).toSorted()).toEqual(['hub-1', 'hub-2', 'nats', 'postgres', 'proxy'])
    for (const [service, { depends_on = {}, volumes: used = [], configs: given = [] }] of Object.entries(
      services,
    )) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        expect(condition, service).toBe('service_healthy')
        expect(services[other]?.healthcheck, `${service} waits for ${other}`).toBeDefined()
      }
      for (const volume of used) expect(volumes, service).toHaveProperty([volume.split(':')[0] ?? ''])
      for (const { source } of given) expect(configs, service).toHaveProperty([source])
    }
    expect(configs.caddy?.content).toContain('health_uri /ready')
    for (const hub of ['hub-1', 'hub-2']) expect(configs.caddy?.content).toContain(`${hub}:8201`)
  })

  it('pins every third-party image by digest, like the Dockerfile', async () => {
    const { services } = await compose()
    const own = 'panoptes'
    const used = Object.values(services).flatMap(({ image }) => (image === own ? [] : [image ?? '']))
    const built = (await readFile(join(ROOT, 'Dockerfile'), 'utf8')).matchAll(/^FROM (\S+)/gm)
    const images = [...used, ...[...built].map(([, image]) => image ?? '')]
    expect(images).toHaveLength(5)
    for (const image of images) expect(image).toMatch(/^[a-z]+:\d+\.\d+[\w.-]*@sha256:[0-9a-f]{64}$/)
  })

  // Two simultaneous builds under one name would conflict, and the second one fails.
  it('builds one image for both hubs, once', async () => {
    const { services } = await compose()
    const hubs = Object.entries(services).filter(([, { image }]) => image === 'panoptes')
    expect(hubs.map(([service, { build }]) => [service, build])).toEqual([
      ['hub-1', '.'],
      ['hub-2', undefined],
    ])
  })

  it('starts hubs with commands, settings and health checks that work, with the bus', async () => {
    const { services, configs } = await compose()
    const bus = sharedNats()
    const database = await ownDatabase()
    const env = { PANOPTES_LEDGER: database.url, PANOPTES_BUS: bus }
    const hubs: { readonly home: TestHome; readonly daemon: Daemon }[] = []
    try {
      for (const service of ['hub-1', 'hub-2']) {
        const { command = [], environment = {} } = services[service] ?? {}
        expect(Object.keys(environment).toSorted()).toEqual(['PANOPTES_BUS', 'PANOPTES_LEDGER'])
        const home = await makeHome()
        await mkdir(home.panoptes, { mode: 0o700 })
        const settings = (configs.hub?.content ?? '').replace(/\$\{\w+:-([^}]*)\}/, '$1')
        await writeFile(join(home.panoptes, 'config.yaml'), settings)
        // The test chooses the port and how to learn it.
        const args = command.slice(1).filter((word) => word !== '--no-open')
        hubs.push({ home, daemon: await startDaemon({ home, env, args }) })
      }
      for (const [at, { daemon }] of hubs.entries()) {
        const [, program = '', ...rest] = services[`hub-${at + 1}`]?.healthcheck?.test ?? []
        const asked = rest.map((word) => word.replace('8201', String(daemon.port)))
        await expect.poll(() => isWell(program, asked)).toBe(true)
        // The proxy and Prometheus address the hubs by these names.
        expect(await statusOf(daemon, '/ready', `hub-1:${daemon.port}`)).toBe(200)
        expect(await statusOf(daemon, '/ready', 'elsewhere:8201')).toBe(421)
        expect(await statusOf(daemon, '/metrics', 'localhost')).toBe(401)
      }
      const [first] = hubs
      const [, program = '', ...rest] = services['hub-1']?.healthcheck?.test ?? []
      await first?.daemon.stop()
      const asked = rest.map((word) => word.replace('8201', String(first?.daemon.port)))
      expect(await isWell(program, asked)).toBe(false)
    } finally {
      for (const { daemon, home } of hubs) {
        await daemon.stop()
        await home.remove()
      }
      await database.drop()
    }
  })

  it('builds what its Dockerfile copies', async () => {
    const text = await readFile(join(ROOT, 'Dockerfile'), 'utf8')
    const { files } = JSON.parse(await readFile(join(ROOT, 'packages', 'cli', 'package.json'), 'utf8'))
    for (const [, part = ''] of text.matchAll(/\/src\/packages\/cli\/(bin|dist)\b/g))
      expect(files).toContain(part)
    expect(text).toContain('/ready')
    expect(text).toMatch(/^USER node$/m)
  })
})

const isWell = (program: string, args: readonly string[]): Promise<boolean> =>
  run(program === 'node' ? process.execPath : program, args).then(
    () => true,
    () => false,
  )

/** `fetch` sets the Host header itself; curl allows another one. */
function statusOf({ address }: Daemon, path: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(`${address}${path}`, { headers: { host } }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })
}

describe('docs/team/systemd.md', () => {
  it('has units that systemd accepts', async () => {
    const text = await readFile(join(ROOT, 'docs', 'team', 'systemd.md'), 'utf8')
    const units = [...text.matchAll(/`\/etc\/systemd\/system\/([\w-]+\.service)`:\s+```ini\n([\s\S]*?)```/g)]
    expect(units.map(([, unit]) => unit)).toEqual([
      'panoptes-hub.service',
      'panoptes-forward.service',
      'panoptes-nats.service',
    ])
    const folder = await mkdtemp(join(tmpdir(), 'panoptes-units-'))
    try {
      for (const [, unit = '', written = ''] of units) {
        for (const section of ['[Unit]', '[Service]', '[Install]']) expect(written).toContain(section)
        const here = written
          .replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`)
          .replace(/^User=.*$/m, 'User=root')
          .replace(/^EnvironmentFile=/m, 'EnvironmentFile=-')
        await writeFile(join(folder, unit), here)
        if (!existsSync('/usr/bin/systemd-analyze')) continue
        const { stderr } = await run('systemd-analyze', ['verify', '--man=no', join(folder, unit)])
        expect(stderr.split('\n').filter((line) => line.includes(unit))).toEqual([])
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
