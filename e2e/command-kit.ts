import { afterEach, beforeEach } from 'vitest'
import { type Ended, makeHome, runCommand, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'

export interface Typed {
  readonly home: () => TestHome
  readonly run: (...args: string[]) => Promise<Ended>
  /** Runs a command with `--json` and returns its output, with its exit code unless the output has one. */
  readonly json: (...args: string[]) => Promise<Readonly<Record<string, unknown>>>
  /** Starts a daemon on this home, and stops it after the test. */
  readonly start: () => Promise<Daemon>
  readonly stopAfterwards: (...daemons: readonly Daemon[]) => void
}

/** Creates an empty home for each test of a file, with functions that run commands in it. */
export function useHome(): Typed {
  let home: TestHome
  const daemons: Daemon[] = []
  beforeEach(async () => {
    home = await makeHome()
  })
  afterEach(async () => {
    for (const daemon of daemons.splice(0)) await daemon.stop()
    await home.remove()
  })
  return {
    home: () => home,
    run: (...args) => runCommand(home, args),
    json: async (...args) => {
      const { code, stdout } = await runCommand(home, [...args, '--json'])
      const document: Record<string, unknown> = JSON.parse(stdout)
      return { code, ...document }
    },
    start: async () => {
      const daemon = await startDaemon({ home })
      daemons.push(daemon)
      return daemon
    },
    stopAfterwards: (...more) => void daemons.push(...more),
  }
}
