import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AchievementsReply, ScanStatus } from '@panoptes/schema'
import { expect, vi } from 'vitest'
import type { TestHome } from './command.ts'
import type { Daemon } from './daemon.ts'
import { projectsIn } from './transcripts-home.ts'

/** Adds a Claude Code session with so many tool calls, in its own project. */
export async function addBusySession(home: TestHome, id: string, calls: number): Promise<void> {
  const folder = join(projectsIn(home), '-home-dev-long')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${id}.jsonl`), longRows(2 * calls + 2, Date.now() - 3_600_000))
}

/** Rows of a session with so many messages: consecutive replies with one call each. */
function longRows(messages: number, begin: number): string {
  const row = (n: number, role: string, content: unknown) => ({
    type: role,
    uuid: `l${n}`,
    timestamp: new Date(begin + n * 1_000).toISOString(),
    cwd: '/home/dev/long',
    message: { id: `lm${n}`, role, model: 'claude-opus-4-8', content },
  })
  const rows = [row(0, 'user', 'A long session')]
  for (let n = 1; n + 1 < messages; n += 2) {
    const call = { type: 'tool_use', id: `c${n}`, name: 'Bash', input: { command: `make part-${n}` } }
    rows.push(row(n, 'assistant', n % 40 === 1 ? [{ type: 'text', text: `Now part ${n}.` }, call] : [call]))
    rows.push(row(n + 1, 'user', [{ type: 'tool_result', tool_use_id: `c${n}`, content: `made ${n}` }]))
  }
  return rows.map((each) => `${JSON.stringify(each)}\n`).join('')
}

const ask = async <T>(daemon: Daemon, path: string): Promise<T> =>
  (await (await daemon.request(path)).json()) as T

/** Waits until no scan is running. */
const idle = (daemon: Daemon): Promise<void> =>
  vi.waitFor(async () => expect((await ask<ScanStatus>(daemon, '/api/scan-status')).state).toBe('idle'), {
    timeout: 30_000,
    interval: 50,
  })

/**
 * Scans everything that is there now. A scan that was running already may have started too early, so it does not
 * count.
 */
export async function counted(daemon: Daemon): Promise<AchievementsReply> {
  await idle(daemon)
  const headers = { 'content-type': 'application/json' }
  await daemon.request('/api/rescan', { method: 'POST', body: '{}', headers })
  await idle(daemon)
  return ask(daemon, '/api/achievements')
}
