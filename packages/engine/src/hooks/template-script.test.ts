import { spawn, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hashText } from './file.ts'

const SCRIPT = resolve(import.meta.dirname, '../../../../hooks/panoptes-template.sh')
const TOKEN = `pn_ing_${'a'.repeat(43)}`
const ANSWER =
  '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a\\n%s \\\\ \\u0000 ä"}}'
const PAYLOAD =
  '{"session_id":"s 1","hook_event_name":"SessionStart","source":"startup","cwd":"/w \\"q\\" ü\\\\n"}'

interface ReceivedRequest {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly authorization: string | undefined
  readonly body: string
}

let folder = ''
let home = ''
let requests: ReceivedRequest[] = []
let answer: { status: number; body: string } | 'hangs' | 'drips' = { status: 200, body: ANSWER }
const server = createServer(async (request, response) => {
  requests.push(await readRequest(request))
  if (answer === 'hangs') return
  // Starts an answer that, cut off there, ends like a complete one.
  if (answer === 'drips') return void response.writeHead(200).write('{"hookSpecificOutput":{"a":{}}')
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
})

async function readRequest(request: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const { method, url, headers } = request
  return { method, url, authorization: headers.authorization, body: Buffer.concat(chunks).toString('utf8') }
}

const daemonFile = (about: object) =>
  writeFile(join(home, 'daemon.json'), `${JSON.stringify(about, null, 2)}\n`)
const running = () => {
  const { port } = server.address() as AddressInfo
  return { pid: process.pid, port, address: `http://127.0.0.1:${port}`, version: '1.0.0', started_at: 1 }
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'panoptes-template-'))
  home = join(folder, 'a home')
  requests = []
  answer = { status: 200, body: ANSWER }
  for (const name of ['tokens', 'hooks']) await mkdir(join(home, name), { recursive: true })
  await writeFile(join(home, 'tokens', 'ingest'), `${TOKEN}\n`)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  await daemonFile(running())
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
  await rm(folder, { recursive: true, force: true })
})

interface Run {
  readonly args?: readonly string[]
  readonly env?: Record<string, string>
  /** Leaves the script's standard input open. */
  readonly open?: boolean
}

async function run(input: string, { args = ['claude-code', home], env = {}, open = false }: Run = {}) {
  const began = performance.now()
  const child = spawn('sh', [SCRIPT, ...args], { env: { PATH: process.env.PATH, ...env } })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  child.stdin.on('error', () => undefined)
  if (open) child.stdin.write(input)
  else child.stdin.end(input)
  const status = await new Promise((ended) => child.on('close', ended))
  child.stdin.destroy()
  return { status, output, seconds: (performance.now() - began) / 1_000 }
}

const silent = { status: 0, output: '' }

describe('the template script', () => {
  it("prints the daemon's answer to its payload", async () => {
    expect(await run(PAYLOAD)).toMatchObject({ status: 0, output: `${ANSWER}\n` })
    expect(requests).toEqual([
      { method: 'POST', url: '/api/templates/start', authorization: `Bearer ${TOKEN}`, body: PAYLOAD },
    ])
  })

  it.for(['curl', 'wget', 'node'])(
    'works with %s alone and leaves nothing behind',
    async (program, { skip }) => {
      skip((await placeOf(program)) === undefined, `This machine has no ${program}.`)
      const PATH = await onlyTools([program])
      const { status, output } = await run(PAYLOAD.replaceAll(',', ',\n'), { env: { PATH } })
      expect([status, output]).toEqual([0, `${ANSWER}\n`])
      const bodies = requests.map(({ authorization, body }) => [authorization, JSON.parse(body)])
      expect(bodies).toEqual([[`Bearer ${TOKEN}`, JSON.parse(PAYLOAD)]])
      expect(await readdir(join(home, 'hooks'))).toEqual([])
    },
  )

  it('stays silent when no HTTP client is installed', async () => {
    expect(await run(PAYLOAD, { env: { PATH: await onlyTools([]) } })).toMatchObject(silent)
    expect(requests).toEqual([])
  })

  it('uses node without a proxy, prints nothing on a refusal, and ends in time', async () => {
    const PATH = await onlyTools(['node'])
    const proxy = 'http://127.0.0.1:1'
    const env = { PATH, http_proxy: proxy, NODE_USE_ENV_PROXY: '1', NODE_OPTIONS: '--use-env-proxy' }
    expect((await run(PAYLOAD, { env })).output).toBe(`${ANSWER}\n`)
    answer = { status: 403, body: ANSWER }
    expect(await run(PAYLOAD, { env: { PATH } })).toMatchObject(silent)
    answer = 'drips'
    const dripped = await run(PAYLOAD, { env: { PATH } })
    expect(dripped).toMatchObject(silent)
    expect(dripped.seconds).toBeLessThan(15)
  })

  it('stays silent while Panoptes is not running, whatever files it left behind', async () => {
    server.close()
    expect(await run(PAYLOAD)).toMatchObject(silent)
    for (const about of ['', 'not JSON', '{}', '{"address": "http://127.0.0.1:1", "pid": 0}']) {
      await writeFile(join(home, 'daemon.json'), about)
      expect(await run(PAYLOAD)).toMatchObject(silent)
    }
    await rm(join(home, 'daemon.json'))
    expect(await run(PAYLOAD)).toMatchObject(silent)
    expect(await run(PAYLOAD, { args: ['claude-code', join(folder, 'nowhere')] })).toMatchObject(silent)
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  })

  it.each(['daemon.json', join('tokens', 'ingest')])('does not block when %s is a pipe', async (name) => {
    await rm(join(home, name), { force: true })
    expect(spawnSync('mkfifo', [join(home, name)]).status).toBe(0)
    expect(await run(PAYLOAD)).toMatchObject(silent)
  })

  it('sends its token neither to another computer nor to a process that replaced the daemon', async () => {
    const { port } = running()
    for (const address of [
      'http://example.com:80',
      `http://127.0.0.1:${port}@example.com`,
      `http://127.0.0.1:${port}/$(id)`,
    ]) {
      await daemonFile({ ...running(), address })
      expect(await run(PAYLOAD)).toMatchObject(silent)
    }
    for (const pid of [2 ** 22 + 1, 0, -1]) {
      await daemonFile({ ...running(), pid })
      expect(await run(PAYLOAD)).toMatchObject(silent)
    }
    await daemonFile(running())
    await rm(join(home, 'tokens', 'ingest'))
    expect(await run(PAYLOAD)).toMatchObject(silent)
    await writeFile(join(home, 'tokens', 'ingest'), 'odd" token\n')
    expect(await run(PAYLOAD)).toMatchObject(silent)
    expect(requests).toEqual([])
  })

  it.each([
    ['an odd payload', 'not a payload'],
    ['another event', '{"hook_event_name":"Stop"}'],
    ['no payload', ''],
  ])('sends no request for %s', async (_, payload) => {
    expect(await run(payload)).toMatchObject(silent)
    expect(requests).toEqual([])
  })

  it.each([
    ['a bypass', { env: { PANOPTES_BYPASS: '1' } }],
    ['the older bypass', { env: { KEI_EVENTS_BYPASS: '1' } }],
    ['another agent', { args: ['codex'] }],
  ])('sends no request with %s and drains its input', async (_, how) => {
    expect(await run(`{"hook_event_name":"SessionStart","x":"${'x'.repeat(300_000)}"}`, how)).toMatchObject(
      silent,
    )
    expect(requests).toEqual([])
  })

  it.each([
    ['nothing', { status: 204, body: '' }],
    ['a refusal', { status: 403, body: ANSWER }],
    ['something else', { status: 200, body: '{"decision":"block"}' }],
    ['a page', { status: 200, body: '<html>' }],
  ])('prints nothing when the answer is %s', async (_, given) => {
    answer = given
    expect(await run(PAYLOAD)).toMatchObject(silent)
    expect(requests).toHaveLength(1)
  })

  it('reads the home from the environment by default and uses no proxy', async () => {
    const env = { PANOPTES_HOME: home, http_proxy: 'http://127.0.0.1:1', all_proxy: 'http://127.0.0.1:1' }
    expect((await run(PAYLOAD, { args: ['claude-code'], env })).output).toBe(`${ANSWER}\n`)
  })

  it('ends in about two seconds whichever side stalls, and prints no part of an incomplete answer', async () => {
    answer = 'hangs'
    const waiting = [run(PAYLOAD), run(PAYLOAD, { open: true })]
    await expect.poll(() => requests.length).toBe(1)
    answer = 'drips'
    const runs = await Promise.all([...waiting, run(PAYLOAD)])
    expect(runs).toMatchObject([silent, silent, silent])
    expect(Math.max(...runs.map(({ seconds }) => seconds))).toBeLessThan(15)
  })

  it('prints no part of a truncated answer', async () => {
    answer = { status: 200, body: ANSWER.slice(0, -10) }
    expect(await run(PAYLOAD)).toMatchObject(silent)
  })

  it('gets a new version number whenever its text changes', async () => {
    const shipped = await readFile(SCRIPT, 'utf8')
    expect([/^# Version (\d+)$/m.exec(shipped)?.[1], hashText(shipped).slice(0, 12)]).toEqual([
      '4',
      'cce65bcbafb8',
    ])
  })
})

/** Creates a PATH folder with only the tools every system has, plus the given ones. */
async function onlyTools(more: readonly string[]): Promise<string> {
  const tools = join(folder, 'bin')
  await mkdir(tools)
  for (const tool of ['sh', 'cat', 'sed', 'head', 'tr', 'sleep', 'rm', ...more]) {
    await symlink((await placeOf(tool)) ?? tool, join(tools, tool))
  }
  return tools
}

async function placeOf(tool: string): Promise<string | undefined> {
  for (const place of (process.env.PATH ?? '').split(delimiter)) {
    const names = await readdir(place).catch((): string[] => [])
    if (names.includes(tool)) return join(place, tool)
  }
  return undefined
}
