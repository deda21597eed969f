import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { AchievementsReply, ScanStatus } from '@panoptes/schema'
import { expect, vi } from 'vitest'
import { makeHome, ROOT, type TestHome } from './command.ts'
import type { Daemon } from './daemon.ts'
import { longRows } from './long-transcript.ts'

const run = promisify(execFile)

/** A home with some dozens of Hermes' sessions. */
export async function homeWithHermes(): Promise<TestHome> {
  const home = await makeHome()
  const folder = join(home.folder, '.hermes')
  await mkdir(folder)
  const script = join(ROOT, 'fixtures', 'hermes', 'gen_db.py')
  const made = ['--out', join(folder, 'state.db'), '--sessions', '40', '--messages', '30', '--seed', '5']
  await run('python3', [script, ...made, '--text-scale', '0.2', '--no-edge'])
  return home
}

/** One session of Claude Code with so many tool calls, in its own project. */
export async function addBusySession(home: TestHome, id: string, calls: number): Promise<void> {
  const folder = join(home.folder, '.claude', 'projects', '-home-dev-long')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${id}.jsonl`), longRows(2 * calls + 2, Date.now() - 3_600_000))
}

const ask = async <T>(daemon: Daemon, path: string): Promise<T> =>
  (await (await daemon.request(path)).json()) as T

/** When nothing is being counted. */
const idle = (daemon: Daemon): Promise<void> =>
  vi.waitFor(async () => expect((await ask<ScanStatus>(daemon, '/api/scan-status')).state).toBe('idle'), {
    timeout: 30_000,
    interval: 50,
  })

/** Counts what there is now, to the end: a run that was under way already may have begun too early. */
export async function counted(daemon: Daemon): Promise<AchievementsReply> {
  await idle(daemon)
  const headers = { 'content-type': 'application/json' }
  await daemon.request('/api/rescan', { method: 'POST', body: '{}', headers })
  await idle(daemon)
  return ask(daemon, '/api/achievements')
}
