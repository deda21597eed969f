import { spawnSync } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../e2e/command.ts'
import type { Daemon } from '../e2e/daemon.ts'
import { processorMs } from './live-process.ts'
import { median, quantile } from './statistics.ts'

const SCRIPT = join(ROOT, 'hooks', 'panoptes-hook.sh')
const BYTES = 2_048
const PER_SECOND = 200
let serial = 0

/** Creates a payload of 2 KB, as a client sends it to its hook. */
function payload(): string {
  serial += 1
  const told = {
    session_id: `bench-${serial % 8}`,
    transcript_path: '/home/dev/.claude/projects/notes/bench.jsonl',
    cwd: '/home/dev/notes',
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    tool_name: 'Write',
    tool_use_id: `toolu_${serial}`,
    tool_input: { file_path: '/home/dev/notes/notes.txt', content: '' },
  }
  const room = BYTES - JSON.stringify(told).length
  const content = 'One more line of notes, as an agent writes them. '.repeat(50).slice(0, room)
  return JSON.stringify({ ...told, tool_input: { ...told.tool_input, content } })
}

export interface Calls {
  readonly p50_ms: number
  readonly p95_ms: number
}

/**
 * Measures the time that a client waits for one hook call: the installed hook, and a shell that does nothing.
 */
export function hookCalls(home: string, calls: number): { readonly hook: Calls; readonly shell: Calls } {
  const times = { hook: [] as number[], shell: [] as number[] }
  const commands = { hook: `${SCRIPT} claude-code ${home}`, shell: ':' }
  for (let n = 0; n < calls; n += 1) {
    const order = n % 2 === 0 ? (['hook', 'shell'] as const) : (['shell', 'hook'] as const)
    for (const name of order) {
      const input = payload()
      const start = performance.now()
      const { status } = spawnSync('sh', ['-c', commands[name]], { input })
      times[name].push(performance.now() - start)
      if (status !== 0) throw new Error(`sh -c '${commands[name]}' ended with ${status}`)
    }
  }
  return { hook: callsOf(times.hook), shell: callsOf(times.shell) }
}

const callsOf = (times: readonly number[]): Calls => ({
  p50_ms: median(times),
  p95_ms: quantile(times, 0.95),
})

/**
 * Returns the processor milliseconds of the daemon per payload, when payloads arrive one by one at an even
 * pace.
 */
export async function daemonCost(daemon: Daemon, form: 'spool' | 'http', count: number): Promise<number> {
  const give = form === 'spool' ? leaveInSpool(daemon) : await postToHook(daemon)
  const start = performance.now()
  const before = processorMs(daemon.pid)
  for (let given = 0; given < count; given += 1) {
    await give(payload())
    await sleep(Math.max(0, start + ((given + 1) * 1_000) / PER_SECOND - performance.now()))
  }
  const spool = join(daemon.home.panoptes, 'spool')
  while ((await readdir(spool)).length > 0) await sleep(5)
  return (processorMs(daemon.pid) - before) / count
}

function leaveInSpool(daemon: Daemon): (text: string) => void {
  const spool = join(daemon.home.panoptes, 'spool')
  return (text) => {
    const name = `claude-code.${process.pid}.${serial}`
    writeFileSync(join(spool, `.${name}.part`), text, { mode: 0o600 })
    renameSync(join(spool, `.${name}.part`), join(spool, `${name}.json`))
  }
}

async function postToHook(daemon: Daemon): Promise<(text: string) => Promise<void>> {
  const headers = { authorization: `Bearer ${await daemon.token('ingest')}` }
  return async (body) => {
    const reply = await fetch(`${daemon.address}/hooks/claude-code`, { method: 'POST', headers, body })
    await reply.arrayBuffer()
    if (!reply.ok) throw new Error(`POST /hooks/claude-code answered ${reply.status}`)
  }
}
