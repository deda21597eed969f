import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { inject } from 'vitest'
import { collect, exitOf, type TestHome } from '../command.ts'
import { mark } from './script.ts'
import type { ClientName } from './versions.ts'

/** Stops all requests other than those to the model. */
export const QUIET = {
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_BUG_COMMAND: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
}
const LIMIT_MS = 90_000
const ASKING = [
  '--input-format',
  'stream-json',
  '--output-format',
  'stream-json',
  '--verbose',
  '--permission-prompt-tool',
  'stdio',
]

export interface ClaudeRun {
  readonly code: number | null
  readonly session: string
  readonly output: string
}

export interface ClaudeOptions {
  readonly client: ClientName
  readonly home: TestHome
  /** The URL of the model. */
  readonly model: string
  readonly env?: Readonly<Record<string, string>>
  /** Tools that need no permission. */
  readonly allowed?: string
  /**
   * Answers to the client's questions. A program is then connected that can answer permission requests; without it
   * the client asks nothing.
   */
  readonly asks?: Promise<Readonly<Record<string, string>>>
  /** Forks this session and continues in the fork. */
  readonly forkOf?: string
  /** Continues this session. */
  readonly resume?: string
  /** The number of turns; each begins as soon as the one before has ended. */
  readonly turns?: number
}

/** The folder in which the agents of a test work. */
export const workFolder = (home: TestHome): string => join(home.folder, 'notes')

/** Makes the temporary folder of the agents of a test, which leave things in it. It is removed with the home. */
export async function makeTempFolder(home: TestHome): Promise<string> {
  const folder = join(home.folder, 'tmp')
  await mkdir(folder, { recursive: true })
  return folder
}

/** Runs the real client without a terminal, from the first prompt to its end. */
export async function runClaude({
  client,
  home,
  model,
  env,
  allowed = 'Bash,Read,Agent',
  forkOf,
  resume = forkOf,
  turns = 1,
  asks = turns > 1 ? new Promise(() => undefined) : undefined,
}: ClaudeOptions): Promise<ClaudeRun> {
  const cwd = workFolder(home)
  await mkdir(cwd, { recursive: true })
  const temp = await makeTempFolder(home)
  const prompt = `${mark('main')} go`
  const way = asks ? ASKING : [prompt, '--output-format', 'json']
  const before = resume === undefined ? [] : ['--resume', resume]
  const fork = forkOf === undefined ? [] : ['--fork-session']
  const args = ['-p', ...way, ...before, ...fork, '--allowedTools', allowed]
  const child = spawn(inject('clients')[client], args, {
    cwd,
    stdio: [asks ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: home.folder,
      TMPDIR: temp,
      CLAUDE_CODE_TMPDIR: temp,
      LANG: 'C.UTF-8',
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'no-key-is-needed',
      ...QUIET,
      ...env,
    },
  })
  const limit = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
  const stdout = collect(child, 'stdout')
  if (asks && child.stdin)
    converse(child.stdin, { prompt, turns }, stdout, asks, (heard) => child.stdout?.on('data', heard))
  const stderr = collect(child, 'stderr')
  const code = await exitOf(child)
  clearTimeout(limit)
  const output = `${stdout()}${stderr()}`
  return { code, session: /"session_id":"([^"]+)"/.exec(output)?.[1] ?? '', output }
}

/** The other side of a client that communicates in lines of JSON. */
function converse(
  stdin: Writable,
  { prompt, turns }: { readonly prompt: string; readonly turns: number },
  said: () => string,
  answers: Promise<Readonly<Record<string, string>>>,
  onData: (heard: () => void) => void,
): void {
  const send = (line: object) => void stdin.write(`${JSON.stringify(line)}\n`)
  let begun = 0
  onData(() => {
    if (said().split('"type":"result"').length <= begun) return
    if (begun === turns) stdin.end()
    else begin()
  })
  const begin = () => {
    begun += 1
    send({ type: 'user', message: { role: 'user', content: prompt } })
  }
  begin()
  void answers.then((given) => {
    const line = said()
      .split('\n')
      .find((each) => each.includes('"type":"control_request"'))
    const { request_id, request } = JSON.parse(line ?? '{}')
    const response = { behavior: 'allow', updatedInput: { ...request.input, answers: given } }
    send({ type: 'control_response', response: { subtype: 'success', request_id, response } })
  })
}
