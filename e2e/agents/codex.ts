import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import { collect, exitOf } from '../command.ts'
import type { Daemon } from '../daemon.ts'
import { makeTempFolder, workFolder } from './claude.ts'

const LIMIT_MS = 60_000

export interface CodexRun {
  readonly code: number | null
  readonly thread: string
  readonly output: string
}

export interface CodexOptions {
  readonly daemon: Daemon
  readonly model: string
  readonly prompt: string
  /** The conversation to continue. */
  readonly thread?: string
}

/**
 * Runs the real client without a terminal, with the configuration from the guide and without any other network
 * access.
 */
export async function runCodex({ daemon, model, prompt, thread }: CodexOptions): Promise<CodexRun> {
  const { folder } = daemon.home
  const cwd = workFolder(daemon.home)
  const home = join(folder, '.codex')
  await mkdir(cwd, { recursive: true })
  await mkdir(home, { recursive: true })
  const config = `model = "${model}"
model_provider = "panoptes"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.panoptes]
name = "Panoptes"
base_url = "${daemon.address}/v1"
env_key = "PANOPTES_KEY"
wire_api = "responses"
`
  await writeFile(join(home, 'config.toml'), config)
  const flags = ['--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox']
  const going = thread === undefined ? [] : ['resume', thread]
  const child = spawn(inject('codex'), ['exec', ...flags, ...going, prompt], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      TMPDIR: await makeTempFolder(daemon.home),
      LANG: 'C.UTF-8',
      PANOPTES_KEY: await daemon.token('gateway'),
    },
  })
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
  const stdout = collect(child, 'stdout')
  const stderr = collect(child, 'stderr')
  const code = await exitOf(child)
  clearTimeout(limit)
  const output = `${stdout()}${stderr()}`
  return { code, thread: /"thread_id":"([^"]+)"/.exec(output)?.[1] ?? '', output }
}
