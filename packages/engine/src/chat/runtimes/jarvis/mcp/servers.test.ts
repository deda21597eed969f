import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { McpServer, Result } from '@panoptes/schema'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type HttpServer,
  mcpServer,
  overHttp,
  overStdio,
  silent,
  startHttpServer,
} from './server.test-kit.ts'
import { type McpOptions, type McpServers, openMcpServers } from './servers.ts'

const never = new AbortController().signal
/** Allows for a busy machine, where a program takes longer to start. */
const SOON_MS = 5_000
const UP_MS = 30_000
const opened: { close: () => Promise<void> }[] = []
const started: HttpServer[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((servers) => servers.close()))
  await Promise.all(started.splice(0).map(({ kill }) => kill()))
})

const open = (configs: Readonly<Record<string, McpServer>>, options: McpOptions = {}): McpServers => {
  const servers = openMcpServers(configs, { waitMs: 15_000, restMs: 0, ...options })
  opened.push(servers)
  return servers
}
const serving = async (...given: Parameters<typeof startHttpServer>): Promise<HttpServer> => {
  const server = await startHttpServer(...given)
  started.push(server)
  return server
}
const named = async (servers: McpServers, name: string) => {
  const { tools } = await servers.tools(never)
  const tool = tools.find((one) => one.name === name)
  if (!tool) throw new Error(`no ${name} in ${tools.map((one) => one.name).join(', ')}`)
  return tool
}
const call = async (
  servers: McpServers,
  name: string,
  input: Readonly<Record<string, unknown>> = {},
  signal = never,
): Promise<Result<string>> => (await named(servers, name)).run(input, { signal, folder: '/' })
/** Finds processes by a word in their command line. A minimal Linux may have no `ps`. */
const programsWith = async (word: string): Promise<readonly string[]> => {
  const commands =
    process.platform === 'linux'
      ? (await readdir('/proc'))
          .filter((name) => /^\d+$/.test(name))
          .map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''))
      : (await promisify(execFile)('ps', ['-eo', 'pid,args'])).stdout.split('\n')
  return (await Promise.all(commands)).filter((command) => command.includes(word))
}
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
const pidOf = async (servers: McpServers): Promise<number> => {
  const said = await call(servers, 'kit__pid')
  return Number(said.ok && said.value)
}

describe.each(['stdio', 'HTTP'])('MCP server over %s', (over) => {
  let servers: McpServers
  let server: HttpServer | null = null
  beforeAll(async () => {
    server = over === 'stdio' ? null : await startHttpServer()
    const more = { allow: ['pid'] }
    const config = server ? overHttp(server.url, more) : overStdio(more)
    servers = openMcpServers({ kit: config }, { waitMs: 15_000, restMs: 0 })
  })
  afterAll(async () => {
    await servers.close()
    await server?.kill()
  })

  it('offers its tools under unique names and returns their results', async () => {
    expect(await call(servers, 'kit__echo', { text: 'héllo' })).toEqual({ ok: true, value: 'heard: héllo' })
    expect((await named(servers, 'kit__echo')).schema).toMatchObject({
      properties: { text: { type: 'string' } },
    })
  })

  it('requires approval for everything the config does not allow, whatever the server claims', async () => {
    expect((await named(servers, 'kit__echo')).asks).toBe(true)
    expect((await named(servers, 'kit__pid')).asks).toBe(false)
  })

  it('reports an error inside a tool and continues', async () => {
    expect(await call(servers, 'kit__fail')).toMatchObject({ ok: false, message: 'It broke here.' })
    expect(await call(servers, 'kit__throw')).toMatchObject({
      ok: false,
      message: expect.stringContaining('thrown inside'),
    })
    expect(await call(servers, 'kit__echo', {})).toMatchObject({ ok: false })
    expect(await call(servers, 'kit__echo', { text: 'on' })).toMatchObject({ ok: true })
    expect(await servers.missing()).toEqual([])
  })

  it('has its results bounded and cleaned of invisible characters and instructions', async () => {
    const big = await call(servers, 'kit__big')
    expect(big.ok && big.value.length).toBeLessThan(51_000)
    expect(big.ok && big.value).toContain('150000 more characters')
    const told = await call(servers, 'kit__inject')
    const words = told.ok ? told.value : ''
    for (const hidden of ['\u001b', '\u200b', 'Ignore all previous']) expect(words).not.toContain(hidden)
    expect(words).toContain('plain')
    expect(await call(servers, 'kit__picture')).toEqual({
      ok: true,
      value: '[image image/png, 6 bytes, not shown]',
    })
  })

  it('is cut off when a response is too large, and can be asked again', async () => {
    expect(await call(servers, 'kit__huge')).toMatchObject({ ok: false })
    expect(await call(servers, 'kit__echo', { text: 'on' })).toMatchObject({ ok: true })
  })

  it('stops a call at once', async () => {
    const stop = new AbortController()
    const hanging = await named(servers, 'kit__hang')
    const running = hanging.run({}, { signal: stop.signal, folder: '/' })
    const began = performance.now()
    stop.abort()
    expect(await running).toMatchObject({ ok: false, code: 'stopped' })
    expect(performance.now() - began).toBeLessThan(SOON_MS)
    expect(await call(servers, 'kit__echo', { text: 'on' })).toMatchObject({ ok: true })
  })
})

describe('MCP server process', () => {
  it('is started once, on first use, and ended with Panoptes', async () => {
    const servers = open({ kit: overStdio() })
    const [first, second] = await Promise.all([pidOf(servers), pidOf(servers)])
    expect(first).toBe(second)
    await servers.close()
    await vi.waitFor(() => expect(isAlive(first)).toBe(false), UP_MS)
  })

  it('is ended with Panoptes even if it never finished starting', async () => {
    const config = silent()
    const mark = `mark-${process.pid}-${Date.now()}`
    const servers = open({ kit: { ...config, args: [...config.args, mark] } }, { waitMs: 400 })
    await servers.tools(never)
    await vi.waitFor(async () => expect(await programsWith(mark)).toHaveLength(1), UP_MS)
    await servers.close()
    expect(await programsWith(mark)).toEqual([])
  })

  it('is restarted after it died, without repeating the call', async () => {
    const servers = open({ kit: overStdio() })
    const first = await pidOf(servers)
    expect(await call(servers, 'kit__die')).toMatchObject({ ok: false, message: 'The program ended.' })
    const second = await pidOf(servers)
    expect(second).not.toBe(first)
  })

  it('is restarted for the next call if it was killed between two calls', async () => {
    const servers = open({ kit: overStdio() })
    const echo = await named(servers, 'kit__echo')
    const first = await pidOf(servers)
    process.kill(first, 'SIGKILL')
    await vi.waitFor(() => expect(isAlive(first)).toBe(false), UP_MS)
    await vi.waitFor(
      async () =>
        expect(await echo.run({ text: 'back' }, { signal: never, folder: '/' })).toMatchObject({
          value: 'heard: back',
        }),
      UP_MS,
    )
  })

  it('gets only basic environment variables and those of the config', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'not for servers')
    const servers = open({ kit: overStdio({ env: { OWN: 'given' } }) })
    const said = await call(servers, 'kit__env')
    vi.unstubAllEnvs()
    const env = JSON.parse(said.ok ? said.value : '{}')
    expect(env).toMatchObject({ OWN: 'given', PATH: process.env.PATH })
    expect(JSON.stringify(env)).not.toContain('not for servers')
    expect(Object.keys(env).filter((name) => /KEY|TOKEN|SECRET|VITEST/.test(name))).toEqual([])
  })

  it('is started in the working folder', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'panoptes-mcp-')))
    const servers = open({ kit: overStdio() }, { folder })
    expect(await call(servers, 'kit__where')).toEqual({ ok: true, value: folder })
    await servers.close()
    await rm(folder, { recursive: true })
  })

  it('gets the arguments of the config, with a tilde expanded', async () => {
    const config = overStdio()
    const words = ['~/notes', '~', 'a~/b', '--in=~/x']
    const servers = open({ kit: { ...config, args: [...config.args, ...words] } })
    const home = process.env.HOME || homedir()
    const said = await call(servers, 'kit__words')
    expect(JSON.parse(said.ok ? said.value : '')).toEqual([join(home, 'notes'), home, 'a~/b', '--in=~/x'])
  })

  it('may offer more tools later', async () => {
    const servers = open({ kit: overStdio() })
    await call(servers, 'kit__grow')
    await vi.waitFor(async () => expect(await named(servers, 'kit__grown')).toBeDefined(), UP_MS)
  })
})

describe('MCP server over HTTP only', () => {
  it('is asked again after it was unreachable', async () => {
    const first = await serving()
    const servers = open({ kit: overHttp(first.url) })
    const echo = await named(servers, 'kit__echo')
    await first.kill()
    expect(await echo.run({ text: 'x' }, { signal: never, folder: '/' })).toMatchObject({ ok: false })
    expect(await servers.missing()).toMatchObject([
      { server: 'kit', message: expect.stringContaining('ECONNREFUSED') },
    ])
    await serving(first.port)
    expect(await echo.run({ text: 'x' }, { signal: never, folder: '/' })).toMatchObject({ value: 'heard: x' })
    expect(await servers.missing()).toEqual([])
  })

  it('gets the headers of the config, and a rejection explains what to do', async () => {
    const { url } = await serving(0, { NEEDS: 'Bearer word' })
    const refused = open({ kit: overHttp(url) })
    expect(await refused.missing()).toMatchObject([{ message: expect.stringMatching(/401.*headers/) }])
    const let_in = open({ kit: overHttp(url, { headers: { Authorization: 'Bearer word' } }) })
    expect(await call(let_in, 'kit__echo', { text: 'in' })).toMatchObject({ ok: true })
  })
})

describe('several MCP servers', () => {
  it('offer the tools of working servers and name the broken ones', async () => {
    const { url } = await serving()
    const servers = open(
      {
        gone: mcpServer({ command: 'no-such-program-of-ours' }),
        ends: mcpServer({ command: process.execPath, args: ['-e', 'process.exit(3)'] }),
        babbles: mcpServer({
          command: process.execPath,
          args: ['-e', 'console.log("hello"); setInterval(() => {}, 1e4)'],
        }),
        silent: silent(),
        nobody: overHttp('http://127.0.0.1:2/mcp'),
        kit: overHttp(url),
      },
      { connectMs: 1_500 },
    )
    // On a busy machine a program may take longer to start and end, so all of them are asked again.
    await vi.waitFor(async () => {
      const { tools, missing } = await servers.tools(never)
      expect(new Set(tools.map(({ server }) => server))).toEqual(new Set(['kit']))
      expect(Object.fromEntries(missing.map(({ server, message }) => [server, message]))).toEqual({
        gone: 'no-such-program-of-ours was not found. Install it, or fix its command in config.yaml.',
        ends: 'The program ended.',
        babbles: 'It did not answer in time.',
        silent: 'It did not answer in time.',
        nobody: expect.stringContaining('Nothing answers at http://127.0.0.1:2/mcp'),
      })
    }, UP_MS)
  })

  it('are waited for only as long as a run waits, and are available the next time', async () => {
    const servers = open({ kit: overStdio() }, { waitMs: 1 })
    expect(await servers.tools(never)).toEqual({
      tools: [],
      missing: [{ server: 'kit', message: 'It is still starting.' }],
    })
    await vi.waitFor(async () => expect((await servers.tools(never)).missing).toEqual([]), UP_MS)
  })

  it('delay one run and no other if they never answer', async () => {
    const servers = open({ silent: silent(), kit: overStdio() }, { waitMs: 500 })
    await servers.tools(never)
    await vi.waitFor(async () => expect(await named(servers, 'kit__echo')).toBeDefined(), UP_MS)
    const began = performance.now()
    for (let run = 0; run < 10; run += 1) {
      const { missing } = await servers.tools(never)
      expect(missing).toEqual([{ server: 'silent', message: 'It is still starting.' }])
    }
    expect(performance.now() - began).toBeLessThan(10 * 500)
  })

  it('are asked again in the background after a while if they never answered', async () => {
    const servers = open({ silent: silent() }, { waitMs: 3_000, connectMs: 4_000, restMs: 300 })
    await servers.tools(never)
    const seen = async (message: string) =>
      vi.waitFor(async () => {
        const began = performance.now()
        const { missing } = await servers.tools(never)
        expect(missing).toEqual([{ server: 'silent', message }])
        return performance.now() - began
      }, UP_MS)
    expect(await seen('It did not answer in time.')).toBeLessThan(3_000)
    expect(await seen('It is still starting.')).toBeLessThan(3_000)
  })

  it('are left alone for a while after a failure', async () => {
    const servers = open({ gone: mcpServer({ command: 'no-such-program-of-ours' }) }, { restMs: 60_000 })
    await servers.tools(never)
    const began = performance.now()
    expect((await servers.tools(never)).missing).toHaveLength(1)
    expect(performance.now() - began).toBeLessThan(SOON_MS)
  })

  it('get unique tool names that every provider accepts', async () => {
    const servers = open({ 'my kit': overStdio(), my_kit: overStdio() })
    const { tools } = await servers.tools(never)
    const names = tools.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter((name) => !/^[A-Za-z0-9_-]{1,64}$/.test(name))).toEqual([])
  })

  it('have different identities for tools of the same name', async () => {
    const one = await named(open({ kit: overStdio() }), 'kit__echo')
    const same = await named(open({ kit: overStdio({ allow: ['echo'], env: { A: '1' } }) }), 'kit__echo')
    const other = await named(open({ kit: overHttp((await serving()).url) }), 'kit__echo')
    expect(same.identity).toBe(one.identity)
    expect(other.identity).not.toBe(one.identity)
  })
})
