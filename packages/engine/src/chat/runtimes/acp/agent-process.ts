import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Failed, failedWith } from '../failed.ts'

export interface AgentCommand {
  /** How it is called where something is said of it. */
  readonly title: string
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** What is to be done in a terminal, where it is known. */
  readonly advice?: Advice | undefined
}

export interface Advice {
  readonly install?: string | undefined
  readonly signIn?: string | undefined
}

export interface AgentProcess {
  readonly child: ChildProcessWithoutNullStreams
  /** Settles when it is gone, with words on how. */
  readonly gone: Promise<string>
  /** The last of what it wrote for whoever runs it. */
  readonly complaints: () => string
  /** It, and all that it started; killed where it takes longer than so many milliseconds. */
  readonly end: (ms?: number) => void
}

const MOST_COMPLAINTS = 4_096
/** What it may take to end its own children before it is killed. */
const GRACE_MS = 500
/** An agent that runs within another one refuses to start. */
const THEIRS = new Set(['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT'])

const running = new Set<number>()
process.on('exit', () => {
  for (const pid of running) signalGroup(pid, 'SIGKILL')
})

/** Starts a program in a process group of its own, so that nothing of it is left behind. */
export function startProcess({
  title,
  command,
  env,
  cwd,
  advice,
}: AgentCommand): Promise<AgentProcess | Failed> {
  const [program = '', ...words] = command
  if (!existsSync(cwd))
    return Promise.resolve(
      failedWith('not_configured', `The folder ${cwd} that ${title} is to work in is not there.`),
    )
  return new Promise((done) => {
    const kept = Object.entries(env).filter(([name]) => !THEIRS.has(name))
    const child = spawn(program, words, {
      cwd,
      env: Object.fromEntries(kept),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    let complaints = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints = (complaints + text).slice(-MOST_COMPLAINTS)
    })
    // Whoever is gone takes nothing any more: that is told by its end.
    child.stdin.on('error', () => {})
    const gone = new Promise<string>((over) => {
      child.once('exit', (code, signal) => {
        if (child.pid !== undefined) running.delete(child.pid)
        over(signal ? `it was ended by ${signal}` : `it ended with ${code}`)
      })
    })
    child.once('error', (error: NodeJS.ErrnoException) => done(notStarted(title, program, error, advice)))
    child.once('spawn', () => {
      const pid = child.pid ?? 0
      running.add(pid)
      done({ child, gone, complaints: () => complaints, end: (ms) => endGroup(pid, ms) })
    })
  })
}

const notStarted = (
  title: string,
  program: string,
  { code }: NodeJS.ErrnoException,
  advice: Advice | undefined,
): Failed =>
  code === 'ENOENT' || code === 'EACCES'
    ? failedWith('not_installed', notInstalled(title, program, advice?.install))
    : failedWith('died', `${title} could not be started (${code}).`)

export const notInstalled = (title: string, program: string, install: string | undefined): string =>
  `${title} is not installed: ${program} is no program that can be run here. ${install ? `Run \`${install}\`` : 'Install it'}, or mend its command in config.yaml.`

function endGroup(pid: number, ms = GRACE_MS): void {
  // The group is looked for also where its first process is gone: others of it may be left.
  signalGroup(pid, 'SIGTERM')
  setTimeout(() => {
    signalGroup(pid, 'SIGKILL')
    running.delete(pid)
  }, ms).unref()
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (pid <= 1) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch {
    // It is gone.
  }
}
