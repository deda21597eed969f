import { spawn } from 'node:child_process'
import { appendFile, mkdir, open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { collect, exitOf, ROOT, spawnCommand, type TestHome } from './command.ts'
import { randomFrom } from './crash.ts'
import { type Daemon, startDaemon } from './daemon.ts'

const SCRIPT = join(ROOT, 'hooks', 'panoptes-hook.sh')

export interface RestartOptions {
  readonly restarts: number
  readonly seed: number
  readonly home: TestHome
  /** Continues until every input got more events than this, however slow the machine is. */
  readonly moreThan?: number
  readonly onRestart?: (number: number) => void
}

export interface RestartSummary {
  readonly restarts: number
  readonly seed: number
  /** How many events each input got, and for HTTP how many were acknowledged. */
  readonly spool: number
  readonly file: number
  readonly http: number
  /** Events that were lost or stored twice. */
  readonly faults: readonly string[]
}

/** Names of sent events; in the end the store must have each exactly once. */
interface Given {
  readonly spool: Set<string>
  readonly file: Set<string>
  readonly http: Set<string>
}

/** Kills and restarts the daemon at random moments while hooks, a file and HTTP keep sending. */
export async function restart(options: RestartOptions): Promise<RestartSummary> {
  const { restarts, seed, home, moreThan = 0, onRestart } = options
  const chance = randomFrom(seed)
  const given: Given = { spool: new Set(), file: new Set(), http: new Set() }
  const stop = new AbortController()
  await mkdir(home.panoptes, { recursive: true, mode: 0o700 })
  const emitters = [
    emitBySpool(home, given.spool, stop.signal),
    emitByFile(home, given.file, stop.signal),
    emitByHttp(home, given.http, stop.signal),
  ]
  const fewest = () => Math.min(given.spool.size, given.file.size, given.http.size)
  for (let number = 1; number <= restarts || fewest() <= moreThan; number += 1) {
    await liveAndDie(home, chance)
    onRestart?.(number)
  }
  stop.abort()
  await Promise.all(emitters)
  const daemon = await startDaemon({ home })
  const faults = await faultsOf(daemon, given)
  await daemon.stop()
  const { spool, file, http } = given
  return { restarts, seed, spool: spool.size, file: file.size, http: http.size, faults }
}

/** The daemon is usually ready when it is killed, sometimes not yet. Usually nothing calls it before. */
async function liveAndDie(home: TestHome, chance: () => number): Promise<void> {
  const child = spawnCommand(home, ['up', '--port', '0', '--no-open', '--json'])
  const said = collect(child, 'stdout')
  collect(child, 'stderr')
  const exit = exitOf(child)
  if (chance() < 0.8) {
    const limit = performance.now() + 60_000
    while (!said().includes('"link"') && child.exitCode === null && performance.now() < limit) await sleep(10)
  }
  await sleep(chance() * 500)
  child.kill(chance() < 0.2 ? 'SIGTERM' : 'SIGKILL')
  await exit
}

async function emitBySpool(home: TestHome, given: Set<string>, signal: AbortSignal): Promise<void> {
  for (let number = 0; !signal.aborted; number += 1) {
    const name = `spool-${number}`
    const child = spawn('sh', [SCRIPT, 'claude-code', home.panoptes], { stdio: ['pipe', 'ignore', 'ignore'] })
    child.stdin.end(JSON.stringify(payload(name, number % 2 === 0)))
    await exitOf(child)
    given.add(name)
    await sleep(10)
  }
}

/** Half of the payloads have an id; the others are identified only by content and time. */
const payload = (name: string, named: boolean) =>
  named
    ? { session_id: 's1', hook_event_name: 'PreToolUse', tool_name: name, tool_use_id: name, tool_input: {} }
    : { session_id: 's1', hook_event_name: 'UserPromptSubmit', prompt: name }

async function emitByFile(home: TestHome, given: Set<string>, signal: AbortSignal): Promise<void> {
  const path = join(home.panoptes, 'events.jsonl')
  for (let number = 0; !signal.aborted; number += 1) {
    const name = `file-${number}`
    const line = `${JSON.stringify({ event: 'prompt', session_id: 's2', prompt_preview: name })}\n`
    if (number % 5 === 0) {
      const half = Math.floor(line.length / 2)
      const file = await open(path, 'a', 0o600)
      await file.write(line.slice(0, half))
      await sleep(5)
      await file.write(line.slice(half))
      await file.close()
    } else await appendFile(path, line, { mode: 0o600 })
    given.add(name)
    await sleep(3)
  }
}

async function emitByHttp(home: TestHome, given: Set<string>, signal: AbortSignal): Promise<void> {
  for (let number = 0; !signal.aborted; number += 1) {
    const name = `http-${number}`
    const reply = await send(home, name).catch(() => undefined)
    if (reply?.ok) given.add(name)
    await sleep(reply ? 5 : 50)
  }
}

async function send(home: TestHome, name: string): Promise<Response> {
  const { address } = JSON.parse(await readFile(join(home.panoptes, 'daemon.json'), 'utf8')) as {
    address: string
  }
  const token = (await readFile(join(home.panoptes, 'tokens', 'ingest'), 'utf8')).trim()
  const reply = await fetch(`${address}/hooks/claude-code`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(payload(name, true)),
    signal: AbortSignal.timeout(5_000),
  })
  await reply.arrayBuffer()
  return reply
}

async function faultsOf(daemon: Daemon, given: Given): Promise<readonly string[]> {
  const wanted = new Set([...given.spool, ...given.file, ...given.http])
  const limit = performance.now() + 60_000
  let counts = await stored(daemon)
  while (performance.now() < limit) {
    const waiting = (await readdir(join(daemon.home.panoptes, 'spool'))).length
    if (waiting === 0 && [...wanted].every((name) => counts.has(name))) break
    await sleep(200)
    counts = await stored(daemon)
  }
  const lost = [...wanted].filter((name) => !counts.has(name)).map((name) => `lost ${name}`)
  const twice = [...counts].filter(([, count]) => count > 1).map(([name, count]) => `${count} times ${name}`)
  return [...lost, ...twice]
}

async function stored(daemon: Daemon): Promise<ReadonlyMap<string, number>> {
  const text = await (await daemon.request('/api/export?kind=tool_use,prompt')).text()
  const counts = new Map<string, number>()
  for (const line of text.trim().split('\n')) {
    const { prompt_preview, tool } = JSON.parse(line) as { prompt_preview?: string; tool?: string }
    const name = prompt_preview ?? tool ?? ''
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}
