import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inject } from 'vitest'
import { collect, exitOf, type TestHome } from '../command.ts'
import type { Daemon } from '../daemon.ts'
import { makeTempFolder, workFolder } from './claude.ts'

/** Stops all requests other than those to its model. */
export const QUIET = {
  OPENCODE_DISABLE_AUTOUPDATE: '1',
  OPENCODE_DISABLE_MODELS_FETCH: '1',
  OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
}
const LIMIT_MS = 110_000

export interface OpenCodeRun {
  readonly code: number | null
  readonly session: string
  readonly output: string
}

export interface OpenCodeOptions {
  readonly daemon: Daemon
  readonly model: string
  /** The model for titles. */
  readonly small: string
  readonly prompt: string
  /** The session to continue. */
  readonly session?: string
}

export interface OpenCodeModels {
  /** An OpenAI-compatible endpoint. */
  readonly url: string
  readonly key: string
  readonly model: string
  readonly small: string
  readonly permission: 'allow' | 'ask'
}

/** Configures its models and its work folder. */
export async function configureOpenCode(
  home: TestHome,
  { url, key, model, small, permission }: OpenCodeModels,
): Promise<void> {
  const configs = join(home.folder, '.config', 'opencode')
  await mkdir(workFolder(home), { recursive: true })
  await mkdir(configs, { recursive: true })
  const provider = {
    npm: '@ai-sdk/openai-compatible',
    name: 'Panoptes',
    options: { baseURL: url, apiKey: key },
    models: { [model]: { name: model }, [small]: { name: small } },
  }
  const config = {
    autoupdate: false,
    share: 'disabled',
    permission,
    model: `panoptes/${model}`,
    small_model: `panoptes/${small}`,
    provider: { panoptes: provider },
  }
  await writeFile(join(configs, 'opencode.json'), JSON.stringify(config))
}

/** Runs the real client without a terminal, with the gateway's models only. */
export async function runOpenCode(options: OpenCodeOptions): Promise<OpenCodeRun> {
  const { daemon, model, small, prompt, session } = options
  const { folder } = daemon.home
  const cwd = workFolder(daemon.home)
  await configureOpenCode(daemon.home, {
    url: `${daemon.address}/v1`,
    key: await daemon.token('gateway'),
    model,
    small,
    permission: 'allow',
  })
  const going = session === undefined ? [] : ['--session', session]
  const child = spawn(inject('opencode'), ['run', '--format', 'json', ...going, prompt], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      TMPDIR: await makeTempFolder(daemon.home),
      LANG: 'C.UTF-8',
      ...QUIET,
    },
  })
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
  const stdout = collect(child, 'stdout')
  const stderr = collect(child, 'stderr')
  const code = await exitOf(child)
  clearTimeout(limit)
  const output = `${stdout()}${stderr()}`
  return { code, session: /"sessionID":"([^"]+)"/.exec(output)?.[1] ?? '', output }
}
