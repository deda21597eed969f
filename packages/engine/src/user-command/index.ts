import { spawn } from 'node:child_process'

/** The input of a command: a line of JSON on standard input, and environment variables. */
export interface CommandInput {
  readonly json: string
  readonly env: Readonly<Record<string, string>>
}

interface CommandRunnerOptions {
  /** Runs in `sh`. Event data is never part of the command text, so it cannot be executed. */
  readonly command: string
  /** The base environment of the command; defaults to that of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined
  readonly timeoutMs?: number | undefined
  /** This is called with the reason when a run failed. */
  readonly onFailure?: ((reason: string) => void) | undefined
}

/** Runs a command configured by the user, with limits on concurrency, queue length and run time. */
export interface CommandRunner {
  /**
   * Builds the input when the run starts; null skips the run. Returns false if the queue is full.
   */
  readonly run: (input: () => Promise<CommandInput | null>) => boolean
  /** Waits for running commands and drops queued ones. */
  readonly stop: () => Promise<void>
}

const MAX_CONCURRENT = 2
const MOST_WAITING = 16
const TIMEOUT_MS = 10_000

export function createCommandRunner(options: CommandRunnerOptions): CommandRunner {
  const waiting: (() => Promise<CommandInput | null>)[] = []
  const running = new Set<Promise<void>>()
  let stopped = false

  const runNext = () => {
    while (running.size < MAX_CONCURRENT && !stopped) {
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
  { command, env = process.env, timeoutMs = TIMEOUT_MS, onFailure }: CommandRunnerOptions,
  { json, env: inputEnv }: CommandInput,
): Promise<void> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], {
      stdio: ['pipe', 'ignore', 'ignore'],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      env: {
        ...env,
        ...Object.fromEntries(Object.entries(inputEnv).map(([name, value]) => [name, stripNul(value)])),
      },
    })
    child.on('error', (error) => onFailure?.(error.message))
    child.on('close', (code, signal) => {
      if (code !== 0)
        onFailure?.(signal ? `it was stopped after ${timeoutMs} ms` : `it exited with code ${code}`)
      resolve()
    })
    child.stdin.on('error', () => undefined)
    child.stdin.end(`${json}\n`)
  })
}

/** Environment variables cannot contain NUL. */
const stripNul = (text: string): string => text.replaceAll('\0', '')
