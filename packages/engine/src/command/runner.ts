import { spawn } from 'node:child_process'

/** What a command is told: a line of JSON on its standard input, and variables. */
export interface CommandInput {
  readonly json: string
  readonly env: Readonly<Record<string, string>>
}

export interface CommandRunnerOptions {
  /** For sh; what happened is never part of it. */
  readonly command: string
  /** The variables that it gets, beside what it is told; those of this process where nobody says. */
  readonly env?: NodeJS.ProcessEnv | undefined
  readonly timeoutMs?: number | undefined
  /** Why a run of the command failed. */
  readonly failed?: ((reason: string) => void) | undefined
}

/** Runs a command of the person's own: few at once, few that wait, none for long. */
export interface CommandRunner {
  /** What it is told is asked for when its turn comes; null runs nothing. False where too many wait. */
  readonly run: (input: () => Promise<CommandInput | null>) => boolean
  /** What runs is waited for, what waits is dropped. */
  readonly stop: () => Promise<void>
}

const AT_ONCE = 2
const MOST_WAITING = 16
const TIMEOUT_MS = 10_000

export function createCommandRunner(options: CommandRunnerOptions): CommandRunner {
  const waiting: (() => Promise<CommandInput | null>)[] = []
  const running = new Set<Promise<void>>()
  let stopped = false

  const runNext = () => {
    while (running.size < AT_ONCE && !stopped) {
      const next = waiting.shift()
      if (!next) return
      const run = next()
        .then((input) => (input === null ? undefined : runOnce(options, input)))
        .then(() => {
          running.delete(run)
          runNext()
        })
      running.add(run)
    }
  }

  return {
    run: (input) => {
      if (waiting.length >= MOST_WAITING) return false
      waiting.push(input)
      runNext()
      return true
    },
    stop: async () => {
      stopped = true
      await Promise.all(running)
    },
  }
}

function runOnce(
  { command, env = process.env, timeoutMs = TIMEOUT_MS, failed }: CommandRunnerOptions,
  { json, env: told }: CommandInput,
): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], {
      stdio: ['pipe', 'ignore', 'ignore'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      env: {
        ...env,
        ...Object.fromEntries(Object.entries(told).map(([name, value]) => [name, plain(value)])),
      },
    })
    child.on('error', (error) => failed?.(error.message))
    child.on('close', (code, signal) => {
      if (code !== 0) failed?.(signal ? `it was ended after ${timeoutMs} ms` : `it ended with ${code}`)
      resolve()
    })
    child.stdin.on('error', () => undefined)
    child.stdin.end(`${json}\n`)
  })
}

/** An environment takes no NUL. */
const plain = (text: string): string => text.replaceAll('\0', '')
